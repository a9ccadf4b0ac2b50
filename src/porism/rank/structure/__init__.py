"""Systems that compare the structure of formulas."""
