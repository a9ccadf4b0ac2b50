"""A source becomes a collection: rows read, formulas identified and parsed, tables written."""
