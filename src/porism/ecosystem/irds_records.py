"""The records that ir_datasets hands out: documents, formulas, queries.

Formulas in text stand as ``$latex$``. What a source does not tell is empty, or None for a score.
"""

# Annotations are not postponed here: the exporters of ir_datasets look at them for types, and
# leave out fields whose type they do not know.

from typing import NamedTuple

from porism.collection.post_text import text_content
from porism.model import Content, Formula, Topic


class PorismDoc(NamedTuple):
    """A post. ``text`` is what a reader sees of its body, ``html`` is the body as it is stored."""

    doc_id: str
    kind: str
    parent_id: str
    title: str
    text: str
    html: str
    tags: tuple[str, ...]
    score: int | None
    created: str

    def default_text(self) -> str:
        """Title and text."""
        return f"{self.title}\n{self.text}" if self.title else self.text


class PorismFormula(NamedTuple):
    """An instance of a formula, with its trees as strings, which are empty if it was refused.

    ``visual_id`` is the lab's own where it gave one, else Porism's.
    """

    doc_id: str
    latex: str
    slt: str
    opt: str
    visual_id: str
    post_id: str

    def default_text(self) -> str:
        """The LaTeX, without dollar signs."""
        return self.latex


class ArqMathTask1Query(NamedTuple):
    """A question to be answered. ``text`` is title and question, ``formulas`` their LaTeX."""

    query_id: str
    title: str
    question: str
    tags: tuple[str, ...]
    text: str
    formulas: tuple[str, ...]

    def default_text(self) -> str:
        """Title and question."""
        return self.text


class ArqMathTask2Query(NamedTuple):
    """A formula of a question, to which useful formulas are to be found."""

    query_id: str
    formula_id: str
    latex: str
    title: str
    question: str
    tags: tuple[str, ...]
    text: str
    formulas: tuple[str, ...]

    def default_text(self) -> str:
        """The LaTeX of the formula, without dollar signs."""
        return self.latex


IrdsDocument = PorismDoc | PorismFormula
IrdsQuery = ArqMathTask1Query | ArqMathTask2Query


def post_document(row: tuple[object, ...]) -> PorismDoc:
    """The document in a row of id, name, kind, parent, title, body, tags, score, created."""
    number, name, kind, parent_id, title, body, tags, score, created = row
    doc_id = _text(name) or _text(number)
    html = _text(body)
    return PorismDoc(
        doc_id=doc_id,
        kind=_text(kind),
        parent_id=_text(parent_id),
        title=_with_dollars(text_content(_text(title), f"post {doc_id}")),
        text=_with_dollars(text_content(html, f"post {doc_id}")),
        html=html,
        tags=tuple(_text(tags).split("\n")) if tags else (),
        score=None if score is None else int(_text(score)),
        created=_text(created),
    )


def formula_document(row: tuple[object, ...]) -> PorismFormula:
    """The document in a row of the columns of ``PorismFormula``."""
    return PorismFormula(*map(_text, row))


def question_query(topic: Topic) -> ArqMathTask1Query:
    """The query that a topic is, without its query formula if it has one."""
    title, question = _with_dollars(topic.title), _with_dollars(topic.body)
    formulas = tuple(
        part.latex for part in (*topic.title, *topic.body) if isinstance(part, Formula)
    )
    text = "\n".join(part for part in (title, question) if part)
    return ArqMathTask1Query(topic.id, title, question, topic.tags, text, formulas)


def formula_query(topic: Topic) -> ArqMathTask2Query:
    """The query that a formula topic is; a topic without formula gives one without LaTeX."""
    of_question = question_query(topic)
    focus = topic.focus or Formula("", "")
    return ArqMathTask2Query(topic.id, focus.id, focus.latex, *of_question[1:])


def _with_dollars(parts: Content) -> str:
    return "".join(part if isinstance(part, str) else f"${part.latex}$" for part in parts)


def _text(value: object) -> str:
    return "" if value is None else str(value)
