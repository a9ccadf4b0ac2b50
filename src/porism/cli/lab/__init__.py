"""Commands that tune systems and reproduce published results."""
