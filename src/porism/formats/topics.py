"""Topics of the ARQMath labs.

The lab's files hold HTML in XML. Each formula is between dollar signs in a span with its id; its
LaTeX is HTML-escaped in some years and spans, and not in others. The readers here return LaTeX as
its author typed it, whatever the year.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from lxml import etree

from porism.errors import FormatError, PorismError
from porism.formats.byte_streams import open_bytes, with_line
from porism.formats.dumps.arqmath import read_formulas
from porism.formats.markup import content
from porism.formats.markup.delimiters import trimmed
from porism.formats.text_lines import check_ids, open_atomic
from porism.model import Content, Formula, Topic, TopicId


def read_topics(path: Path, formulas: Path | None = None) -> Iterator[Topic]:
    """The topics of a file of the lab, plain or gzip, of any year and task.

    ``formulas`` is the year's TSV of LaTeX, from which each formula with an id is then taken: topic
    files have lost part of a few formulas. An id that it does not have is an error.
    """
    known = None if formulas is None else _known_formulas(formulas)
    seen: set[TopicId] = set()
    for element in _topic_elements(path):
        topic = _topic(element, path)
        if topic.id in seen:
            raise FormatError(str(path), _line(element), f"topic {topic.id} occurs twice")
        seen.add(topic.id)
        if known is not None:
            try:
                topic = _with_formulas(topic, known)
            except KeyError as missing:
                raise FormatError(
                    str(path),
                    _line(element),
                    f"topic {topic.id} has the formula {missing.args[0]}, which is not in "
                    f"{formulas}: expected the formulas of the same year",
                ) from None
        yield topic
    if not seen:
        raise FormatError(str(path), 1, f"the file has no topics: {_EXPECTED}")


_EXPECTED = 'expected <Topics> with a <Topic number="A.1"> for each topic'


def _topic_elements(path: Path) -> Iterator[etree._Element]:
    with open_bytes(path) as stream:
        parsed = etree.iterparse(
            stream,
            events=("start", "end"),
            resolve_entities=False,
            load_dtd=False,
            no_network=True,
        )
        try:
            for event, element in parsed:
                if event == "start":
                    _check_root(element, path)
                elif element.tag == "Topic":
                    yield element
                    element.clear()
        except etree.XMLSyntaxError as error:
            why = f"not well-formed XML ({error.msg}): {_EXPECTED}"
            raise FormatError(str(path), error.lineno or 1, why) from None
        except FormatError as error:
            raise with_line(error, 1) from error


def _check_root(element: etree._Element, path: Path) -> None:
    if element.getparent() is not None:
        return
    if element.getroottree().docinfo.internalDTD is not None:
        why = "the file declares a document type, which could define entities: remove it"
        raise FormatError(str(path), _line(element), why)
    if element.tag != "Topics":
        why = f"found <{element.tag}>: {_EXPECTED}"
        raise FormatError(str(path), _line(element), why)


def _line(element: etree._Element) -> int:
    line: object = element.sourceline  # the stubs do not know its type
    return line if isinstance(line, int) else 1


def _topic(element: etree._Element, path: Path) -> Topic:
    number = (element.get("number") or "").strip()
    if not number:
        why = f"found a topic without number: {_EXPECTED}"
        raise FormatError(str(path), _line(element), why)
    formula_id = (element.findtext("Formula_Id") or "").strip()
    latex = element.findtext("Latex")
    if bool(formula_id) != (latex is not None):
        why = f"topic {number} has one of <Formula_Id> and <Latex>: expected both, or neither"
        raise FormatError(str(path), _line(element), why)
    return Topic(
        TopicId(number),
        content(_normalised_markup(element.findtext("Title") or "")),
        content(_normalised_markup(element.findtext("Question") or "")),
        tuple(tag.strip() for tag in (element.findtext("Tags") or "").split(",") if tag.strip()),
        None if latex is None else Formula(formula_id, _unescaped_latex(latex)),
    )


_SPAN = re.compile(
    r'(<span class="math-container"(?: id="[^"<>]*")?>)((?:[^<]|<(?!span\b|/span>))*)</span>'
)
_ENTITY = re.compile(r"&(?:lt|gt|amp|quot|#39|#x27);")
_AROUND_SPAN = re.compile(
    r'<span class="math-container">[\s$]*(<span class="math-container"[^<>]*>[^<]*</span>)'
    r"[\s$]*</span>"
)


def _normalised_markup(markup: str) -> str:
    """The HTML with every span in the project's form: escaped, without dollars, not nested."""
    escaped = _SPAN.sub(
        lambda span: (
            f"{span[1]}{html.escape(_undollared(_unescaped_latex(span[2])), quote=False)}</span>"
        ),
        markup,
    )
    return _AROUND_SPAN.sub(r"\1", escaped)


def _unescaped_latex(latex: str) -> str:
    """LaTeX without surrounding blanks and HTML escapes.

    Only the few entities that ``html.escape`` writes are decoded, since ``&`` is LaTeX as well.
    """
    return trimmed(_ENTITY.sub(lambda entity: html.unescape(entity[0]), latex))


def _undollared(latex: str) -> str:
    """LaTeX without surrounding dollars; damaged formulas have only the first."""
    for dollars in ("$$", "$"):
        if latex.startswith(dollars):
            return latex.removeprefix(dollars).removesuffix(dollars)
    return latex


def _known_formulas(path: Path) -> dict[str, str]:
    return {row.id: _unescaped_latex(row.representation) for row in read_formulas(path)}


def _with_formulas(topic: Topic, known: Mapping[str, str]) -> Topic:
    """The topic with the LaTeX of ``known``; raises KeyError with an id that is missing."""

    def with_latex(formula: Formula) -> Formula:
        return Formula(formula.id, known[formula.id]) if formula.id else formula

    def replaced(parts: Content) -> Content:
        return tuple(with_latex(part) if isinstance(part, Formula) else part for part in parts)

    focus = None if topic.focus is None else with_latex(topic.focus)
    return Topic(topic.id, replaced(topic.title), replaced(topic.body), topic.tags, focus)


def write_topics(path: Path, topics: Iterable[Topic]) -> None:
    """Write topics as the lab does, without visual ids and macros of formulas.

    LaTeX is HTML-escaped in every span, so that HTML parsers read all of it.
    """
    seen: set[TopicId] = set()
    with open_atomic(path) as file:
        file.write('<?xml version="1.0" ?>\n<Topics>\n')
        for topic in topics:
            _check_topic(path, topic, seen)
            seen.add(topic.id)
            file.write(f'   <Topic number="{_in_xml(path, topic.id)}">\n')
            for name, text in _fields(topic):
                file.write(f"      <{name}>{_in_xml(path, text)}</{name}>\n")
            file.write("   </Topic>\n")
        if not seen:
            raise PorismError(f"{path}: there are no topics to write")
        file.write("</Topics>\n")


def _check_topic(path: Path, topic: Topic, seen: set[TopicId]) -> None:
    check_ids(path, (topic.id,))
    if topic.id in seen:
        raise PorismError(f"{path}: topic {topic.id} would be written twice")
    if topic.focus is not None:
        check_ids(path, (topic.focus.id,))
    for tag in topic.tags:
        if "," in tag or not tag or tag != tag.strip():
            raise PorismError(
                f"{path}: the tag {tag!r} of topic {topic.id} cannot be written: expected no comma "
                "and no leading or trailing blank"
            )


def _fields(topic: Topic) -> Iterator[tuple[str, str]]:
    if topic.focus is not None:
        latex = topic.focus.latex
        yield "Formula_Id", topic.focus.id
        # LaTeX that seems escaped is escaped once more, so that it reads back unchanged.
        yield "Latex", latex if _unescaped_latex(latex) == latex else html.escape(latex)
    yield "Title", _lab_markup(topic.title)
    yield "Question", _lab_markup(topic.body)
    yield "Tags", ",".join(topic.tags)


def _lab_markup(parts: Content) -> str:
    return "".join(_span(part) if isinstance(part, Formula) else _prose(part) for part in parts)


def _prose(text: str) -> str:
    """Prose as HTML without tags or formulas, with all white space preserved."""
    escaped = text.translate(_IN_PROSE)
    escaped = _LINE_END.sub("<br>", escaped)
    return _LOST_BLANK.sub(lambda blank: f"&#{ord(blank[0])};", escaped)


def _span(formula: Formula) -> str:
    attribute = f' id="{html.escape(formula.id)}"' if formula.id else ""
    latex = html.escape(formula.latex, quote=False)
    return f'<span class="math-container"{attribute}>${latex}$</span>'


_IN_PROSE = str.maketrans(
    {"&": "&amp;", "<": "&lt;", ">": "&gt;", "$": "&#36;", "\\": "&#92;", "`": "&#96;"}
)
_LINE_END = re.compile(r"(?<![ \t\r\n\f])\n(?![ \t\r\n\f])")
_LOST_BLANK = re.compile(r"[\t\r\n\f]|(?<=[ \t\r\n\f]) ")
_NOT_IN_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def _in_xml(path: Path, text: str) -> str:
    if invalid := _NOT_IN_XML.search(text):
        raise PorismError(f"{path}: XML cannot hold the character {invalid[0]!r}: remove it")
    return html.escape(text, quote=False).replace('"', "&quot;").replace("\r", "&#13;")
