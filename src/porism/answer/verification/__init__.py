"""Formulas of an answer compared with those of its sources."""
