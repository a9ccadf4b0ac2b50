"""A topic as a query: the words and formulas to search with, by where in the topic they stand.

S4 (MathDowsers 2021) section 3.1 makes a bag of keywords and formulas of a topic. Keywords are
looked for in the LaTeX as well, because *mod* or *sin* may stand nowhere else; a word counts if it
is one by which mathematics is filed. Repetitions are kept: a word that stands twice weighs twice.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass

from porism.analysis.latex_tokens import latex_strings
from porism.model import Content, Formula, Topic
from porism.text import CLASSIC, Analyzer, stem, without_possessives
from porism.text.stop_words import LONG_STOP_WORDS


@dataclass(frozen=True, slots=True)
class TermBag:
    """Words (tokens of a chain) and formulas of one part of a topic, in order, repetitions kept."""

    words: tuple[str, ...] = ()
    formulas: tuple[Formula, ...] = ()


@dataclass(frozen=True, slots=True)
class TopicQuery:
    """What to search with; its parts are kept apart because a ranking may weigh them apart."""

    title: TermBag = TermBag()
    body: TermBag = TermBag()
    tags: TermBag = TermBag()

    @property
    def words(self) -> tuple[str, ...]:
        """The words of all parts."""
        return self.title.words + self.body.words + self.tags.words

    @property
    def formulas(self) -> tuple[Formula, ...]:
        """The formulas of all parts."""
        return self.title.formulas + self.body.formulas + self.tags.formulas


def word_query(topic: Topic, chain: Analyzer) -> TopicQuery:
    """Every word of a topic, as a chain has it, and every formula.

    >>> from porism.model import TopicId
    >>> topic = Topic(TopicId("A.1"), ("Sums of ", Formula("q_1", "n")), tags=("real-analysis",))
    >>> word_query(topic, CLASSIC).words
    ('sum', 'real', 'analysi')
    """

    def bag(content: Content) -> TermBag:
        return TermBag(tuple(chain("\n".join(_prose(content)))), tuple(_formulas(content)))

    return TopicQuery(bag(topic.title), bag(topic.body), bag(topic.tags))


def keyword_query(
    topic: Topic, vocabulary: Collection[str] | None, chain: Analyzer = CLASSIC
) -> TopicQuery:
    """The keywords and formulas of a topic as S4 section 3.1 chooses them.

    Without vocabulary every word is one that could be, which all but stop words are. Keywords
    become the tokens of ``chain``, so that they meet those of documents. All formulas of the title
    count, those of the body unless they are one symbol or a number.
    """

    def words(content: Content) -> tuple[str, ...]:
        return tuple(token for keyword in keywords(content, vocabulary) for token in chain(keyword))

    return TopicQuery(
        TermBag(words(topic.title), tuple(_formulas(topic.title))),
        TermBag(words(topic.body), tuple(filter(_says_something, _formulas(topic.body)))),
        TermBag(words(topic.tags)),
    )


def keywords(content: Content, vocabulary: Collection[str] | None) -> list[str]:
    r"""The keywords of a text and its LaTeX, in order; ``vocabulary`` holds stems, None all.

    A hyphenated word is looked at as a whole and then by its words. Stop words, single characters
    and whatever has a digit in it are no keywords.

    >>> text = ("In the 2-adic case: ", Formula("q_1", r"11^{10} \mod 100"), " half-life")
    >>> keywords(text, {"mod", "adic", "half-lif", "life", "the"})
    ['adic', 'mod', 'half-life', 'life']
    """
    found = []
    for piece in content:
        text = piece if isinstance(piece, str) else _words_in(piece.latex)
        for word in _candidates(text):
            if _may_be_keyword(word) and (vocabulary is None or stem(word) in vocabulary):
                found.append(word)
    return found


def keyword_vocabulary(tags: Iterable[str], titles: Iterable[Content]) -> frozenset[str]:
    """The stems of the words by which a collection files its posts: of tags and of titles.

    S4 takes the tags and the titles of Wikipedia's articles on mathematics; these are at hand
    wherever a collection is. Words of formulas are left out: commands would all come in by them.

    >>> sorted(keyword_vocabulary(["real-analysis"], [("Is this a group? ",)]))
    ['analysi', 'group', 'real', 'real-analysi']
    """
    texts = set(tags)
    texts.update(piece for title in titles for piece in _prose(title))
    words = {word for text in texts for word in _candidates(text)}
    return frozenset(stem(word) for word in words if _may_be_keyword(word))


_HYPHENATED = re.compile(r"[^\W_]+(?:-[^\W_]+)*")
_DIGIT = re.compile(r"\d")

_LAYOUT_COMMANDS = """
    left right middle big bigg Big Bigg bigl bigr biggl biggr Bigl Bigr Biggl Biggr limits nolimits
    over above atop text mbox hbox textrm textbf textit textsf texttt tag label ref quad qquad space
    hspace vspace color displaystyle textstyle scriptstyle style operatorname substack stackrel
    overset underset overline underline overbrace underbrace hat widehat bar tilde widetilde vec dot
    ddot dots cdots ldots vdots ddots phantom boxed bf it rm sf cal large Large small tiny huge Huge
    hline newline nonumber notag mathbb mathbf mathcal mathfrak mathrm mathit mathsf mathscr mathop
    mathbin mathrel boldsymbol
""".split()
"""Commands that only say how a formula is set: ``\\limits`` and ``\\left`` are no keywords.

Keywords alone, over the lab's judged answers, find better without them: nDCG' 0.680 and 0.610 on
the topics of 2020 and 2021, where with them it is 0.668 and 0.606.
"""

_LAYOUT = re.compile(
    rf"\\(?:(?:begin|end)\s*\{{[^{{}}]*\}}|(?:{'|'.join(_LAYOUT_COMMANDS)})(?![A-Za-z]))"
)


# What S4 finds as "mod" in topic A.7 is written by these.
_MODULO = re.compile(r"\\[pb]mod(?![A-Za-z])")


def _words_in(latex: str) -> str:
    """LaTeX with those of its words that may be keywords."""
    return _MODULO.sub(" mod ", _LAYOUT.sub(" ", latex))


def _candidates(text: str) -> Iterator[str]:
    """The words of a text in lower case, hyphenated ones as a whole and then by their words."""
    for word in _HYPHENATED.findall(without_possessives(text.lower())):
        yield word
        if "-" in word:
            yield from word.split("-")


def _may_be_keyword(word: str) -> bool:
    return len(word) > 1 and word not in LONG_STOP_WORDS and _DIGIT.search(word) is None


def _says_something(formula: Formula) -> bool:
    """Whether it is more than one symbol or a number, grouping and space not counted."""
    written = [each for each in latex_strings(formula.latex) if each not in _GROUPING]
    return len(written) > 1 and _NUMBER.fullmatch("".join(written)) is None


_GROUPING = frozenset((*"{}$~", *(rf"\{sign}" for sign in " ,;:!")))
_NUMBER = re.compile(r"[-+]?[0-9.,]+")


def _prose(content: Content) -> Iterator[str]:
    return (piece for piece in content if isinstance(piece, str))


def _formulas(content: Content) -> Iterator[Formula]:
    return (piece for piece in content if not isinstance(piece, str))
