"""Pools: drawn from runs, stored, limited and ordered for judging, and their reusability."""
