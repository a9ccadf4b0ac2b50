"""HTML for people: pages that are complete in one file and need no other."""
