"""File formats, one in each module: bytes to records and back, always as streams.

What is mathematics in a text is found here and handed on as text; what it means is left to others.
"""
