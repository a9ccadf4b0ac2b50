"""Systems that re-rank by neural models: cross-encoders, late interaction, learned-sparse terms."""
