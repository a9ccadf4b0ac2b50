"""Files on disk: arrays that are mapped into memory, checksums, and durable replacement."""
