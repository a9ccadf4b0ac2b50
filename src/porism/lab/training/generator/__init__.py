"""Training of language models on the questions and answers of a collection."""
