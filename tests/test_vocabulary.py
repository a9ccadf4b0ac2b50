"""One word for one thing: names use the field's vocabulary, and no class name has two meanings."""

import ast
import re
from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path

import click
import pytest

from porism.cli.main import porism

PROJECT = Path(__file__).parent.parent
SOURCE = PROJECT / "src" / "porism"

MAX_MODULES = 15
"""A folder with more modules than this needs subpackages."""

INSTEAD = {
    "alike": "similar",
    "asked": "query",
    "asking": "query builder",
    "begun": "started",
    "chain": "analyzer",
    "elsewhere": "the noun of what is there",
    "found": "results",
    "gathering": "postings",
    "kept": "cached",
    "library": "search index",
    "likeness": "similarity",
    "look": "visual formula",
    "looks": "visual formulas",
    "narrowing": "filter",
    "near": "proximity",
    "nearness": "proximity",
    "notation": "formula tokens",
    "placing": "layout",
    "recipe": "field specification",
    "searcher": "maker",
    "shown": "page",
    "sought": "candidates",
    "starting": "start",
    "taking": "batches",
    "told": "message",
    "where": "filter",
}
"""Retired words, each with the word to use."""


def words(name: str) -> list[str]:
    """The words of a name in snake case, camel case or with hyphens.

    >>> words("TopKGoal"), words("--topic-formulas"), words("visual_ids")
    (['top', 'k', 'goal'], ['topic', 'formulas'], ['visual', 'ids'])
    """
    return [word.lower() for word in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+", name)]


def retired(names: Iterator[tuple[str, str]]) -> list[str]:
    """A message for each name, given with its place, that uses a retired word."""
    return [
        f"{place}: {name}: write {INSTEAD[word]!r} instead of {word!r}"
        for name, place in names
        for word in words(name)
        if word in INSTEAD
    ]


def modules() -> Iterator[tuple[str, str]]:
    for path in sorted(SOURCE.rglob("*.py")):
        place = str(path.relative_to(PROJECT))
        yield path.stem, place
        yield path.parent.name, place


def classes() -> Iterator[tuple[str, str]]:
    for path in sorted(SOURCE.rglob("*.py")):
        for node in ast.parse(path.read_text("utf-8")).body:
            if isinstance(node, ast.ClassDef):
                yield node.name, f"{path.relative_to(PROJECT)}:{node.lineno}"


def options(command: click.Command = porism, name: str = "porism") -> Iterator[tuple[str, str]]:
    for parameter in command.params:
        for option in parameter.opts:
            yield option, name
    if isinstance(command, click.Group):
        for child, subcommand in command.commands.items():
            yield from options(subcommand, f"{name} {child}")


@pytest.mark.parametrize("names", [modules, classes, options], ids=lambda each: each.__name__)
def test_no_name_uses_a_retired_word(names: Callable[[], Iterator[tuple[str, str]]]) -> None:
    assert not retired(names())


def test_retired_words_are_detected() -> None:
    names = [("WithLikeness", "a"), ("--look-at", "b"), ("looking_glass", "c"), ("Searcher2", "d")]
    assert len(retired(iter(names))) == 3


def test_no_public_class_name_has_two_meanings() -> None:
    places = defaultdict(list)
    for name, place in classes():
        if not name.startswith("_"):
            places[name].append(place)
    assert not {name: where for name, where in places.items() if len(where) > 1}


def test_no_folder_has_more_modules_than_a_reader_can_scan() -> None:
    folders = {path.parent for path in SOURCE.rglob("*.py")}
    sizes = {str(each.relative_to(PROJECT)): len(list(each.glob("[!_]*.py"))) for each in folders}
    assert not {name: size for name, size in sizes.items() if size > MAX_MODULES}
