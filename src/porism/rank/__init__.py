"""Retrieval systems: a topic in, a ranking of answers or of formulas out; and how they combine."""
