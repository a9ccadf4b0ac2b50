"""Search indexes: components made from a collection, and their building, updating and opening."""
