"""Retrieval systems, which rank answers or formulas for a topic, and how they are combined."""
