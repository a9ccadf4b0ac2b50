"""Models that give something else than vectors: scores of pairs, and weighted terms."""
