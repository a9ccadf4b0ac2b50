"""Ranking for what people type: exact titles first, phrases, spelling, names and near formulas."""
