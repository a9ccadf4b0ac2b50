"""Segments: documents inverted into postings, written, opened, merged and deleted from."""
