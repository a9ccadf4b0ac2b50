"""Commands that validate, score and compare runs."""
