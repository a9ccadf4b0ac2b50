"""Pools drawn from runs over a collection, and what they miss."""
