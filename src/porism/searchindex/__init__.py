"""A collection made searchable: its answers and formulas as tokens, in two indexes on disk."""
