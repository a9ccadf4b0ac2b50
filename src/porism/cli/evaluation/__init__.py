"""Commands that validate, evaluate and compare runs."""
