"""Whether an answer's formulas agree with those of its sources, up to notation or as numbers."""
