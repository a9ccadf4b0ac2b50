"""Untrusted JSON: parsed, or rejected with a reason, never with a traceback."""

from __future__ import annotations

import json
from pathlib import Path

from porism.errors import PorismError

MAX_NESTING = 50
"""Deeper than anything that people or programs write, and safe for recursive functions."""


def json_value(text: str | bytes) -> object:
    """The value of a JSON text; raises ValueError with the reason if it is not acceptable.

    Rejected are malformed JSON, numbers of thousands of digits, deep nesting, and lone surrogates,
    which JSON can escape but no file can hold.

    >>> json_value('{"rank": 1}')
    {'rank': 1}
    >>> json_value("[" * 100_000)
    Traceback (most recent call last):
    ValueError: it is nested too deeply
    """
    try:
        value = json.loads(text.decode("utf-8-sig") if isinstance(text, bytes) else text)
    except UnicodeDecodeError:
        raise ValueError("it is not UTF-8") from None
    except json.JSONDecodeError:
        raise  # it is a ValueError, and knows the line
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
    except ValueError:
        raise ValueError("it has a number with too many digits") from None
    _check(value)
    return value


def read_json(path: Path, hint: str) -> object:
    """The value in a JSON file; PorismError if it has none, with a hint if there is no file."""
    try:
        return json_value(path.read_bytes())
    except FileNotFoundError:
        raise PorismError(f"{path}: there is no such file; {hint}") from None
    except (OSError, ValueError) as error:
        raise PorismError(f"{path}: cannot be read as JSON: {error}") from None


def _check(value: object) -> None:
    level = [value]
    for _ in range(MAX_NESTING):
        next_level: list[object] = []
        for each in level:
            if isinstance(each, str) and _has_surrogate(each):
                raise ValueError("it has a lone surrogate, half a character that no file can hold")
            if isinstance(each, dict):
                next_level += [*each.keys(), *each.values()]
            elif isinstance(each, list):
                next_level += each
        if not next_level:
            return
        level = next_level
    raise ValueError("it is nested too deeply")


def _has_surrogate(text: str) -> bool:
    return not text.isascii() and any("\ud800" <= char <= "\udfff" for char in text)
