"""The tokens of a formula with all macros expanded, each with its place.

The display and the layout tree are read from the same tokens, so a place in one is a place in the
other.
"""

from __future__ import annotations

from collections.abc import Mapping

from porism.formula.latex.macros import (
    DEFINING,
    DOCUMENT_LIMITS,
    ExpansionBudget,
    LatexMacro,
    definition_at,
    macro_arguments,
)
from porism.formula.latex.reader import without_delimiters
from porism.formula.latex.tokenizer import tokens

SPLIT = 1 / 16
"""The distance of a digit from the one before it, if a number is split into arguments."""


class PlacedToken(str):
    """A token with its place in the expanded formula."""

    __slots__ = ("place",)
    place: float

    def __new__(cls, text: str, place: float) -> PlacedToken:
        token = super().__new__(cls, text)
        token.place = place
        return token


def placed(token_list: list[str]) -> list[str]:
    """The tokens with their places; the empty token at the end needs none."""
    return [PlacedToken(token, place) for place, token in enumerate(token_list[:-1])] + [""]


def expanded_tokens(source: str, macros: Mapping[str, LatexMacro]) -> list[str]:
    """The tokens of a formula, in which uses of macros are replaced and definitions left out.

    A macro whose expansion exceeds the limits of a document stays unexpanded.
    """
    token_list = tokens(without_delimiters(source))
    if macros or not DEFINING.isdisjoint(token_list):
        _expand(token_list, dict(macros))
    return token_list


def _expand(token_list: list[str], macros: dict[str, LatexMacro]) -> None:
    budget = ExpansionBudget(DOCUMENT_LIMITS)
    at = 0
    while at < len(token_list) - 1:
        token = token_list[at]
        if token in DEFINING:
            defined = definition_at(token_list, at)
            if defined is not None:
                macros[defined[0]] = defined[1]
                del token_list[at : defined[2]]
                continue
        elif token in macros:
            macro = macros[token]
            arguments, end = macro_arguments(macro, token_list, at + 1)
            if budget.allows(macro.size(arguments)):
                token_list[at:end] = macro.expanded(arguments)
                continue
            del macros[token]
        at += 1
