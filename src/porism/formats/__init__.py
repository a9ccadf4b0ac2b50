"""File formats, one per module: bytes to records and back, always as streams.

Formulas in a text are located here and passed on as text; ``formula`` parses them.
"""
