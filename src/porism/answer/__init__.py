"""Short answers (Task 3): an answerer gives one text with its sources to a topic."""
