"""Test collections: pools drawn from runs, judgments of people, and what is made of them."""
