"""Commands that set space, or print their argument without some of its size."""

from __future__ import annotations

from porism.formula.display.atoms import Atom
from porism.formula.display.grammar import DisplayParser
from porism.formula.display.values import em, length_in_em

SPACES = {
    ",": "0.1667em", ":": "0.2222em", ">": "0.2222em", ";": "0.2778em", "!": "-0.1667em",
    " ": "0.333em", "\n": "0.333em", "\t": "0.333em", "quad": "1em", "qquad": "2em",
    "enspace": "0.5em", "thinspace": "0.1667em", "medspace": "0.2222em", "thickspace": "0.2778em",
    "negthinspace": "-0.1667em", "negmedspace": "-0.2222em", "negthickspace": "-0.2778em",
    "space": "0.333em", "nobreakspace": "0.333em", "enskip": "0.5em",
}  # fmt: skip


def space(parser: DisplayParser, command: str, row: list[Atom]) -> None:
    row.append(parser.space(SPACES[command[1:]]))


def sized_space(parser: DisplayParser, command: str, row: list[Atom]) -> None:
    """``\\hspace{1em}``, ``\\kern-3mu``."""
    length = length_in_em(dimension(parser))
    if length:
        row.append(parser.space(em(length)))


def ignore(parser: DisplayParser, command: str, row: list[Atom]) -> None:
    """What prints nothing; letters around it are still two words."""
    if row:
        row[-1].word = ""


def ignore_argument(parser: DisplayParser, command: str, row: list[Atom]) -> None:
    parser.raw_argument()


def ignore_length(parser: DisplayParser, command: str, row: list[Atom]) -> None:
    dimension(parser)


def phantom(parser: DisplayParser, command: str, row: list[Atom]) -> None:
    """``\\phantom`` and those that keep only the width or the height of their argument."""
    content = parser.argument_elements()
    size = {r"\hphantom": ' height="0" depth="0"', r"\vphantom": ' width="0"'}.get(command, "")
    xml = f"<mphantom>{content.inside(True)}</mphantom>"
    row.append(parser.leaf(f"<mpadded{size}>{xml}</mpadded>" if size else xml))


def padded(parser: DisplayParser, command: str, row: list[Atom]) -> None:
    """``\\smash``, ``\\rlap`` and the like: content without height or width."""
    parser.option()
    content = parser.argument_elements()
    size = ' height="0" depth="0"' if command == r"\smash" else ' width="0"'
    row.append(
        parser.built(lambda whole: f"<mpadded{size}>{content.inside(whole)}</mpadded>", (content,))
    )


def raised(parser: DisplayParser, command: str, row: list[Atom]) -> None:
    """``\\raisebox{1em}{x}``, ``\\raise 1em x``."""
    length = length_in_em(dimension(parser)) or 0.0
    length = -length if command == r"\lower" else length
    content = parser.argument_elements()
    row.append(
        parser.built(
            lambda whole: f'<mpadded voffset="{em(length)}">{content.inside(whole)}</mpadded>',
            (content,),
        )
    )


def rule(parser: DisplayParser, command: str, row: list[Atom]) -> None:
    parser.option()
    width, height = (length_in_em(parser.raw_argument()) or 0.0 for _ in range(2))
    xml = f'<mspace width="{em(abs(width))}" height="{em(abs(height))}"/>'
    row.append(parser.leaf(xml.replace("/>", ' mathbackground="currentcolor"/>')))


def dimension(parser: DisplayParser) -> str:
    """A length, in braces or not, as in ``\\kern-3mu``; "" if there is none."""
    tokens = parser.tokens
    if tokens[parser.at] == "{":
        return parser.raw_argument()
    start = parser.at
    while tokens[parser.at] in ("-", "+", "="):
        parser.at += 1
    if not (tokens[parser.at][:1].isdigit() or tokens[parser.at][:1] == "."):
        return ""
    parser.at += 1
    if length_in_em("".join(tokens[start : parser.at + 2])) is not None:
        parser.at += 2
    return "".join(tokens[start : parser.at])
