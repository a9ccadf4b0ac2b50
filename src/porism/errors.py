"""The exceptions that callers tell apart; every message says what was found and what to do."""


class PorismError(Exception):
    """Anything Porism refuses to do, with a message meant for the person who asked."""


class LatexError(PorismError):
    """LaTeX that is refused, because it is too long or nested too deeply to be a formula.

    What is merely wrong is not refused: the parser recovers and reports a problem instead.
    """

    def __init__(self, source: str, offset: int, why: str) -> None:
        self.source = source
        self.offset = offset
        self.why = why
        super().__init__(source, offset, why)

    def __str__(self) -> str:
        return message_with_excerpt(self.source, self.offset, self.why)


def message_with_excerpt(source: str, offset: int, why: str) -> str:
    """A message with the place it speaks of: an excerpt of the source and a caret below it."""
    start = max(0, offset - 30)
    excerpt = "".join(
        char if char.isprintable() else "\N{REPLACEMENT CHARACTER}"
        for char in source[start : offset + 30]
    )
    caret = " " * (offset - start) + "^"
    return f"{why} (at character {offset})\n  {excerpt}\n  {caret}"


class FormatError(PorismError):
    """A file or string that is not in the form it should have, with the place where that shows."""

    def __init__(self, path: str, line: int, why: str) -> None:
        self.path = path
        self.line = line
        self.why = why
        super().__init__(path, line, why)

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.why}"


def error_summary(error: Exception) -> str:
    """One line about an error that Porism did not foresee, for whoever reports it."""
    said = " ".join(str(error).split())
    return f"{type(error).__name__}: {said[:200]}" if said else type(error).__name__


class UnknownName(PorismError):
    """A name that means nothing here; the message shows names that are near."""
