"""JSON that others may have changed: read, or refused with a reason, and never with a traceback."""

from __future__ import annotations

import json

MAX_NESTING = 50
"""Deeper than anything that people or programs write; what can be nested is gone down by calls."""


def json_value(text: str | bytes) -> object:
    """What JSON says; a ValueError tells why it says nothing that could be used.

    Besides what is no JSON, numbers of thousands of digits are refused, and what is nested without
    end, and halves of characters, which JSON can name by their numbers and no file can hold.

    >>> json_value('{"rank": 1}')
    {'rank': 1}
    >>> json_value("[" * 100_000)
    Traceback (most recent call last):
    ValueError: it is nested too deeply
    """
    try:
        value = json.loads(text.decode("utf-8-sig") if isinstance(text, bytes) else text)
    except UnicodeDecodeError:
        raise ValueError("this is no UTF-8") from None
    except json.JSONDecodeError:
        raise  # it is a ValueError, and knows the line
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
    except ValueError:
        raise ValueError("it has a number of too many digits") from None
    _check(value)
    return value


def _check(value: object) -> None:
    level = [value]
    for _ in range(MAX_NESTING):
        inside: list[object] = []
        for each in level:
            if isinstance(each, str) and not _is_whole(each):
                raise ValueError("it holds half a character, which no file could hold")
            if isinstance(each, dict):
                inside += [*each.keys(), *each.values()]
            elif isinstance(each, list):
                inside += each
        if not inside:
            return
        level = inside
    raise ValueError("it is nested too deeply")


def _is_whole(text: str) -> bool:
    return text.isascii() or not any("\ud800" <= char <= "\udfff" for char in text)
