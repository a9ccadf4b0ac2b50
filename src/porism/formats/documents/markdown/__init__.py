"""Markdown files as documents, with what Obsidian adds to Markdown."""
