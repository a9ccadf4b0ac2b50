"""Exceptions that callers distinguish; each message says what was found and what to do."""


class PorismError(Exception):
    """Anything Porism refuses to do; the message is meant for the user."""


class LatexError(PorismError):
    """LaTeX that is rejected because it is too long or too deeply nested.

    Mere mistakes are not rejected: the parser recovers and reports a problem instead.
    """

    def __init__(self, source: str, offset: int, why: str) -> None:
        self.source = source
        self.offset = offset
        self.why = why
        super().__init__(source, offset, why)

    def __str__(self) -> str:
        return message_with_excerpt(self.source, self.offset, self.why)


def message_with_excerpt(source: str, offset: int, why: str) -> str:
    """A message with an excerpt of the source and a caret below the offending character."""
    start = max(0, offset - 30)
    excerpt = "".join(
        char if char.isprintable() else "\N{REPLACEMENT CHARACTER}"
        for char in source[start : offset + 30]
    )
    caret = " " * (offset - start) + "^"
    return f"{why} (at character {offset})\n  {excerpt}\n  {caret}"


class FormatError(PorismError):
    """A file or string that is not in the expected format, with its path and line."""

    def __init__(self, path: str, line: int, why: str) -> None:
        self.path = path
        self.line = line
        self.why = why
        super().__init__(path, line, why)

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.why}"


def error_summary(error: Exception) -> str:
    """An unexpected exception in one line, for logs and bug reports."""
    message = " ".join(str(error).split())
    return f"{type(error).__name__}: {message[:200]}" if message else type(error).__name__


class UnknownName(PorismError):
    """An unknown name; the message suggests similar ones."""
