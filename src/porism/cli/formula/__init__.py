"""Commands of ``porism formula``: formulas inspected and converted."""
