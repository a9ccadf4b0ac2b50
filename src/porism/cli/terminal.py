"""Text for a terminal: its width, and no control characters."""

WIDTH = 98


def harmless(text: str) -> str:
    """The text without control characters, which move the cursor or change colours."""
    return "".join(
        char if char.isprintable() or char == "\n" else "\N{REPLACEMENT CHARACTER}" for char in text
    )
