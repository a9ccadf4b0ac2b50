"""Pages about the service itself, and what browsers and programs read to find their way."""
