"""Random formulas and what must hold of every one, for the short run in the tests and long runs."""
