"""Collections on disk: posts and the formulas in them, taken in from files and given out again.

A collection is a folder with a database. ``ingest`` makes and renews it, ``open_collection`` reads
it, ``export`` writes it as the ARQMath lab did.
"""
