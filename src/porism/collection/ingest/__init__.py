"""Ingest of a source: rows read, formulas identified and parsed, tables written."""
