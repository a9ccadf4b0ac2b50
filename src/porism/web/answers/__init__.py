"""Short answers on pages and by REST: extracts, and texts that a language model writes."""
