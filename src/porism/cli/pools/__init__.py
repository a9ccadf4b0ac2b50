"""Commands that draw topics and pools for a test collection."""
