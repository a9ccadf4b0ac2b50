"""Commands of ``porism formula``: show and convert formulas."""
