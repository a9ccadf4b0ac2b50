"""Formulas by visual id, where they occur, and as the rows of the lab's files."""
