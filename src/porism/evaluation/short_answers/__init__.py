"""Task 3: one short answer per topic, scored by manual grades and by similarity."""
