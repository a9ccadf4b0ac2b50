"""Commands of ``porism assess``: judging pools, and exporting judgments as qrels."""
