"""Formulas that nothing delimits: where they begin and end among words, and their LaTeX."""
