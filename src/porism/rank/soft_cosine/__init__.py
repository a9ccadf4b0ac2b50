"""Soft cosine measures: terms that differ match by how similar they are."""
