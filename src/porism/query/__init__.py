"""What a person typed, read as words, formulas and operators."""
