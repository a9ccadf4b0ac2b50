"""Commands of ``porism assess``: pools judged, judgments exported as qrels."""
