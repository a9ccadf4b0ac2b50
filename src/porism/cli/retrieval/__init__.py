"""Commands that build indexes and search them."""
