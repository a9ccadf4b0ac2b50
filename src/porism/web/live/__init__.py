"""Serving a source itself: it is ingested and indexed in a cache, and kept up to date."""
