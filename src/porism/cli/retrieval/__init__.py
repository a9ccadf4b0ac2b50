"""Commands that build and search indexes."""
