"""What surrounds a result in its thread, and what it has of the query, for readers."""
