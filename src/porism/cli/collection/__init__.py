"""Commands that build, export and inspect collections."""
