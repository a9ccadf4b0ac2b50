"""The retrieval systems themselves: baselines, published systems, and our own."""
