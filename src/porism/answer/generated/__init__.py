"""Answers that language models write, and what is checked of their texts."""
