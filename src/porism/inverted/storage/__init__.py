"""Files of an index: arrays with checksums, their layout, and crash-safe replacement."""
