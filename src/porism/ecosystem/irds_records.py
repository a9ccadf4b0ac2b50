"""The records that ir_datasets returns: documents, formulas, queries.

Formulas in text are written ``$latex$``. Unknown values are empty, or None for a score.
"""

# Annotations are not postponed: the exporters of ir_datasets read the types of fields from them,
# and leave out fields of unknown types.

from typing import NamedTuple

from porism.collection.post_text import text_content
from porism.formula.latex import layout_of
from porism.formula.operators import operator_tree
from porism.model import Content, Formula, Topic


class PorismDoc(NamedTuple):
    """A post. ``text`` is the body as plain text, ``html`` the body as stored."""

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
    """An instance of a formula; its trees, as strings, are empty if the parser refused it.

    ``visual_id`` is the lab's or, where it gave none, Porism's.
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
    """A question to answer. ``text`` is title and question, ``formulas`` their LaTeX."""

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
    """A formula of a question, for which useful formulas are searched."""

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
    """The document for a row of ``ANSWER_RECORDS`` or ``QUESTION_RECORDS``."""
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
    """The document for a row of ``FORMULA_RECORDS``."""
    instance_id, latex, macros, visual_id, post_id = map(_text, row)
    layout = layout_of(latex, macros)
    opt = str(operator_tree(layout))
    return PorismFormula(instance_id, latex, str(layout), opt, visual_id, post_id)


def question_query(topic: Topic) -> ArqMathTask1Query:
    """The query for a topic, without its query formula, if any."""
    title, question = _with_dollars(topic.title), _with_dollars(topic.body)
    formulas = tuple(
        part.latex for part in (*topic.title, *topic.body) if isinstance(part, Formula)
    )
    text = "\n".join(part for part in (title, question) if part)
    return ArqMathTask1Query(topic.id, title, question, topic.tags, text, formulas)


def formula_query(topic: Topic) -> ArqMathTask2Query:
    """The query for a formula topic; without a query formula, its LaTeX is empty."""
    of_question = question_query(topic)
    focus = topic.focus or Formula("", "")
    return ArqMathTask2Query(topic.id, focus.id, focus.latex, *of_question[1:])


def _with_dollars(parts: Content) -> str:
    return "".join(part if isinstance(part, str) else f"${part.latex}$" for part in parts)


def _text(value: object) -> str:
    return "" if value is None else str(value)
