"""What goes to a terminal: how wide it is taken to be, and what must not reach it."""

WIDTH = 98


def harmless(text: str) -> str:
    """The text without what moves a terminal's cursor or changes its colours."""
    return "".join(
        char if char.isprintable() or char == "\n" else "\N{REPLACEMENT CHARACTER}" for char in text
    )
