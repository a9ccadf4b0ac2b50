"""Commands that train models of texts."""
