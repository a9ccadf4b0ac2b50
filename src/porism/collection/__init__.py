"""Collections on disk: posts and their formulas.

A collection is a folder with a SQLite database. ``ingest`` creates or updates it,
``open_collection`` reads it, ``export`` writes it in the format of the ARQMath lab.
"""
