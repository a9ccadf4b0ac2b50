"""Structure of formulas in packed form, and the algorithms that compare it."""
