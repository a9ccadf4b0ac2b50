"""Measures by the names that papers print, such as ``nDCG'`` and ``P'@10``.

A measure is a value whose printed name parses back. What computes it is ir-measures, which wraps
the code of trec_eval that the lab used.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

import ir_measures

from porism.errors import UnknownName

RELEVANT = 2
"""Grades from here on are relevant where a measure knows only yes and no: high and medium."""

CUT = 1000
"""How far down nDCG and MAP look if their name does not say (S3 section 4.6)."""

DEFAULT_MEASURES = ("nDCG'", "MAP'", "P'@10", "bpref")
"""What the lab reports, and bpref."""

UNPRIMED_MEASURES = ("nDCG", "MAP", "P@10")
"""The same where unjudged documents count as not relevant; S1 prints the last of them."""


@dataclass(frozen=True, slots=True)
class Measure:
    """What is measured, and under which name it is printed.

    A plain name is read as the lab means it: grade 2 or more is relevant, and nDCG and MAP look
    at 1,000 documents. The prime says that unjudged documents are taken out first. A name with
    brackets is one of ir-measures and means what it means there.

    >>> print(parse_measure("P'@10").definition)
    P(rel=2,judged_only=True)@10
    >>> print(parse_measure("AP(rel=3)").definition)
    AP(rel=3)
    """

    name: str
    definition: Any  # ir_measures has no types

    def __str__(self) -> str:
        return self.name

    @property
    def needs_judged_only(self) -> bool:
        """Whether it takes no notice of unjudged documents, so that they need not be handed in."""
        return self.definition.NAME == "Bpref" or bool(
            "judged_only" in self.definition.SUPPORTED_PARAMS and self.definition["judged_only"]
        )


_PLAIN_NAME = re.compile(r"(?P<name>[A-Za-z_]+)(?P<prime>'?)(?:@(?P<cut>\d+))?")
_LAB_NAMES = {
    "ndcg": "nDCG",
    "map": "AP",
    "ap": "AP",
    "p": "P",
    "bpref": "Bpref",
    "mrr": "RR",
    "recall": "R",
}
"""What names mean that papers write otherwise than ir-measures does."""


MeasureLike = str | Measure | ir_measures.Measure
MeasuresLike = MeasureLike | Iterable[MeasureLike]
"""Measures by name, as values, or as objects of ir-measures; one alone will do."""


def parse_measures(given: MeasuresLike) -> tuple[Measure, ...]:
    """The measures, each once."""
    if isinstance(given, (str, Measure, ir_measures.Measure)):
        return (parse_measure(given),)
    return tuple(dict.fromkeys(map(parse_measure, given)))


def parse_measure(text: MeasureLike) -> Measure:
    """The measure of a name; an unknown one is refused, and near ones are named.

    One that is a measure already, of ours or of ir-measures, stays what it is.
    """
    if isinstance(text, Measure):
        return text
    if isinstance(text, ir_measures.Measure):
        return Measure(_in_brackets(text), text)
    name = re.sub("[\u2018\u2019\u2032`]", "'", text.strip())  # whatever prime somebody typed
    plain = _PLAIN_NAME.fullmatch(name)
    try:
        definition = _plain(plain) if plain else ir_measures.parse_measure(name)
        definition.validate_params()
    except (NameError, ValueError, KeyError, SyntaxError, AssertionError, TypeError) as error:
        why = "it needs a cut, as in P@10" if "cutoff" in str(error) else str(error)
        why = re.sub(r"=<object object at \w+>", " is missing", why)
        known = {each.lower(): each for each in (*DEFAULT_MEASURES, *UNPRIMED_MEASURES)}
        near = [known[each] for each in get_close_matches(name.lower(), known, n=2, cutoff=0.4)]
        hint = f"did you mean {' or '.join(near)}?" if near else "see docs/evaluate.md"
        raise UnknownName(f"there is no measure {text!r} ({why}); {hint}") from None
    return Measure(_printed(plain) if plain else name, definition)


def _in_brackets(definition: Any) -> str:  # Any: ir_measures has no types
    """The name of a measure of ir-measures, so that it is not taken for one of the lab's."""
    name = str(definition)
    if not _PLAIN_NAME.fullmatch(name):
        return name
    told = "rel=1" if "rel" in definition.SUPPORTED_PARAMS else "judged_only=False"
    bare, _, cut = name.partition("@")
    return f"{bare}({told}){'@' + cut if cut else ''}"


def _plain(found: re.Match[str]) -> Any:  # Any: ir_measures has no types
    name = found["name"]
    definition = ir_measures.parse_measure(_LAB_NAMES.get(name.lower(), name))
    asked: dict[str, object] = {}
    if "rel" in definition.SUPPORTED_PARAMS:
        asked["rel"] = RELEVANT
    if found["prime"]:
        if "judged_only" not in definition.SUPPORTED_PARAMS:
            raise ValueError(f"{name} has no form with a prime")
        asked["judged_only"] = True
    cut = int(found["cut"]) if found["cut"] else CUT if definition.NAME in ("nDCG", "AP") else None
    if cut == 0:
        raise ValueError("a cut of 0 leaves nothing")
    if cut is not None:
        asked["cutoff"] = cut
    return definition(**asked)


def _printed(found: re.Match[str]) -> str:
    """The name in one spelling, so that equal measures are printed alike."""
    name = {"ndcg": "nDCG", "ap": "MAP", "map": "MAP", "p": "P", "bpref": "bpref"}.get(
        found["name"].lower(), found["name"]
    )
    cut = f"@{found['cut']}" if found["cut"] else ""
    return f"{name}{chr(39) if found['prime'] else ''}{cut}"
