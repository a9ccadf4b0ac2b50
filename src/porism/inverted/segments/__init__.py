"""Segments: documents inverted into postings; writing, opening, merging and deleting."""
