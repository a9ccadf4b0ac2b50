"""Test collections: pools drawn from runs, judgments, and qrels and statistics made from them."""
