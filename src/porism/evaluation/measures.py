"""Measures by their names in papers, such as ``nDCG'`` and ``P'@10``.

A measure is a value whose printed name parses back. ir-measures computes it, wrapping the code of
trec_eval that the lab used.
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
"""The lowest relevant grade for binary measures: high and medium are relevant."""

DEFAULT_CUTOFF = 1000
"""The cutoff of nDCG and MAP if their name has none (S3 section 4.6)."""

DEFAULT_MEASURES = ("nDCG'", "MAP'", "P'@10", "bpref")
"""The lab's measures, and bpref."""

UNPRIMED_MEASURES = ("nDCG", "MAP", "P@10")
"""The same with unjudged documents as not relevant; S1 reports the last of them."""


@dataclass(frozen=True, slots=True)
class Measure:
    """A measure with its printed name.

    A plain name has the lab's meaning: grade 2 or more is relevant, and nDCG and MAP have a cutoff
    of 1,000. A prime means that unjudged documents are removed first. A name with parentheses is
    one of ir-measures and has its meaning.

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
        """Whether unjudged documents do not affect the measure, so that they can be omitted."""
        return self.definition.NAME == "Bpref" or bool(
            "judged_only" in self.definition.SUPPORTED_PARAMS and self.definition["judged_only"]
        )


_PLAIN_NAME = re.compile(r"(?P<name>[A-Za-z_]+)(?P<prime>'?)(?:@(?P<cutoff>\d+))?")
_LAB_NAMES = {
    "ndcg": "nDCG",
    "map": "AP",
    "ap": "AP",
    "p": "P",
    "bpref": "Bpref",
    "mrr": "RR",
    "recall": "R",
}
"""The ir-measures names of measures that papers write differently."""


MeasureLike = str | Measure | ir_measures.Measure
MeasuresLike = MeasureLike | Iterable[MeasureLike]
"""Measures by name, as values, or as objects of ir-measures; or a single one."""


def parse_measures(measures: MeasuresLike) -> tuple[Measure, ...]:
    """The measures without duplicates."""
    if isinstance(measures, (str, Measure, ir_measures.Measure)):
        return (parse_measure(measures),)
    return tuple(dict.fromkeys(map(parse_measure, measures)))


def parse_measure(text: MeasureLike) -> Measure:
    """The measure of a name; the error for an unknown name suggests similar ones.

    A measure of ours is returned unchanged, one of ir-measures is wrapped.
    """
    if isinstance(text, Measure):
        return text
    if isinstance(text, ir_measures.Measure):
        return Measure(_ir_measures_name(text), text)
    name = re.sub("[\u2018\u2019\u2032`]", "'", text.strip())  # any kind of prime
    plain = _PLAIN_NAME.fullmatch(name)
    try:
        definition = _plain(plain) if plain else ir_measures.parse_measure(name)
        definition.validate_params()
    except (NameError, ValueError, KeyError, SyntaxError, AssertionError, TypeError) as error:
        why = "it needs a cutoff, as in P@10" if "cutoff" in str(error) else str(error)
        why = re.sub(r"=<object object at \w+>", " is missing", why)
        known = {each.lower(): each for each in (*DEFAULT_MEASURES, *UNPRIMED_MEASURES)}
        matches = get_close_matches(name.lower(), known, n=2, cutoff=0.4)
        similar = " or ".join(known[each] for each in matches)
        hint = f"did you mean {similar}?" if similar else "see docs/evaluate.md"
        raise UnknownName(f"there is no measure {text!r} ({why}); {hint}") from None
    return Measure(_printed(plain) if plain else name, definition)


def _ir_measures_name(definition: Any) -> str:  # Any: ir_measures has no types
    """The name of a measure of ir-measures, with a parameter that sets it apart from the lab's."""
    name = str(definition)
    if not _PLAIN_NAME.fullmatch(name):
        return name
    parameter = "rel=1" if "rel" in definition.SUPPORTED_PARAMS else "judged_only=False"
    bare, _, cutoff = name.partition("@")
    return f"{bare}({parameter}){'@' + cutoff if cutoff else ''}"


def _plain(match: re.Match[str]) -> Any:  # Any: ir_measures has no types
    name = match["name"]
    definition = ir_measures.parse_measure(_LAB_NAMES.get(name.lower(), name))
    parameters: dict[str, object] = {}
    if "rel" in definition.SUPPORTED_PARAMS:
        parameters["rel"] = RELEVANT
    if match["prime"]:
        if "judged_only" not in definition.SUPPORTED_PARAMS:
            raise ValueError(f"{name} has no primed form")
        parameters["judged_only"] = True
    if match["cutoff"]:
        parameters["cutoff"] = int(match["cutoff"])
    elif definition.NAME in ("nDCG", "AP"):
        parameters["cutoff"] = DEFAULT_CUTOFF
    if parameters.get("cutoff") == 0:
        raise ValueError("@0 leaves no documents")
    return definition(**parameters)


def _printed(match: re.Match[str]) -> str:
    """The name in its standard spelling, the same for equal measures."""
    name = {"ndcg": "nDCG", "ap": "MAP", "map": "MAP", "p": "P", "bpref": "bpref"}.get(
        match["name"].lower(), match["name"]
    )
    cutoff = f"@{match['cutoff']}" if match["cutoff"] else ""
    return f"{name}{match['prime']}{cutoff}"
