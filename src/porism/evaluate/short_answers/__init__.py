"""Task 3: one short answer to each topic, scored by people's grades and by likeness."""
