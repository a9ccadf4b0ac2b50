"""Topics of all years, read and written."""

import gzip
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from porism.errors import FormatError, PorismError
from porism.formats.topics import read_topics, write_topics
from porism.model import Content, Formula, Topic, TopicId

FORMULAS = "id\ttopic_id\tthread_id\ttype\tformula\r\n"

TOPICS = """<?xml version="1.0" ?>\r
<Topics>\r
   <Topic number="B.1">\r
      <Formula_Id>q_2</Formula_Id>\r
      <Latex>x &lt; 2</Latex>\r
      <Title>Find [q_1]$c$[/]</Title>\r
      <Question>[p]Let [q_2]$$x &lt; 2$$[/].[/p] [p]Is A &amp;lt; B?[/p]</Question>\r
      <Tags>functions,real-analysis</Tags>\r
   </Topic>\r
</Topics>\r
"""
for short, long in {
    "[q": "&lt;span class=&quot;math-container&quot; id=&quot;q",
    "]$": "&quot;&gt;$",
    "[/]": "&lt;/span&gt;",
    "[p]": "&lt;p&gt;",
    "[/p]": "&lt;/p&gt;",
}.items():
    TOPICS = TOPICS.replace(short, long)


def written(folder: Path, text: str | bytes, name: str = "topics.xml") -> Path:
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def title_of(folder: Path, title: str) -> Content:
    """The title of a topic that is given as HTML, not yet escaped for XML."""
    escaped = title.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    text = f'<Topics><Topic number="A.1"><Title>{escaped}</Title></Topic></Topics>'
    (topic,) = read_topics(written(folder, text))
    return topic.title


@pytest.mark.parametrize("compress", [bytes, gzip.compress])
def test_topic_is_read(tmp_path: Path, compress: Callable[[bytes], bytes]) -> None:
    path = written(tmp_path, compress(TOPICS.encode()))
    assert [*read_topics(path)] == [
        Topic(
            TopicId("B.1"),
            ("Find ", Formula("q_1", "c")),
            ("Let ", Formula("q_2", "x < 2"), ".\nIs A < B?"),
            ("functions", "real-analysis"),
            Formula("q_2", "x < 2"),
        )
    ]


@pytest.mark.parametrize(
    ("span", "latex"),
    [
        ("$a &lt; b$", "a < b"),  # as in 2020
        ("$a < b$", "a < b"),  # as in 2021 and 2022
        ("$0<t<\\infty$", "0<t<\\infty"),  # which would be a tag in HTML
        ("$a &amp; b \\\\ c &amp; d$", "a & b \\\\ c & d"),
        ("$a & b \\\\ c & d$", "a & b \\\\ c & d"),
        ("$a &times b$", "a &times b"),
        ("$a & b &lt; c$", "a & b < c"),
        ("$$ x $$", "x"),
        ("$ x\\ $", "x\\ "),  # a blank that LaTeX shows
        ("$1", "1"),
        ("\\begin{align} x \\end{align}", "\\begin{align} x \\end{align}"),
        ("$\\text{if $a$ then } b$", "\\text{if $a$ then } b"),
        ("$\\space$$u = t$", "\\space$$u = t"),
    ],
)
def test_latex_is_as_typed_whether_escaped_or_not(tmp_path: Path, span: str, latex: str) -> None:
    title = title_of(tmp_path, f'So <span class="math-container" id="q_1">{span}</span> it is')
    assert title == ("So ", Formula("q_1", latex), " it is")


def test_nested_spans_are_one_formula(tmp_path: Path) -> None:
    inner = '<span class="math-container" id="q_501"> -1< x <1</span>'
    title = title_of(tmp_path, f'where <span class="math-container">${inner} $</span>')
    assert title == ("where ", Formula("q_501", "-1< x <1"))


def test_span_without_id_is_a_formula_without_id(tmp_path: Path) -> None:
    title = title_of(tmp_path, '<span class="math-container">$x^n=n^x$</span>')
    assert title == (Formula("", "x^n=n^x"),)


def test_latex_is_taken_from_the_formulas_of_the_year(tmp_path: Path) -> None:
    rows = "q_1\tB.1\t5\ttitle\tc \r\nq_2\tB.1\t5\tquestion\tx &lt; 2 &lt; 3\r\n"
    formulas = written(tmp_path, FORMULAS + rows, "formulas.tsv")
    (topic,) = read_topics(written(tmp_path, TOPICS), formulas)
    assert topic.title == ("Find ", Formula("q_1", "c"))
    assert topic.body[1] == topic.focus == Formula("q_2", "x < 2 < 3")


def test_formula_of_another_year_is_rejected(tmp_path: Path) -> None:
    formulas = written(tmp_path, FORMULAS + "q_1\tB.1\t5\ttitle\tc\r\n", "formulas.tsv")
    with pytest.raises(
        FormatError, match=r"topic B\.1 has the formula q_2, which is not in"
    ) as caught:
        list(read_topics(written(tmp_path, TOPICS), formulas))
    assert caught.value.line == 3


@pytest.mark.parametrize(
    ("text", "line", "why"),
    [
        ("<Topics></Topics>", 1, "the file has no topics"),
        ("<Topics>\n<Topic>\n</Topic></Topics>", 2, "found a topic without number"),
        ('<Topics>\n<Topic number="A.1"/>\n<Topic number="A.1"/></Topics>', 3, "A.1 occurs twice"),
        ('<Topics><Topic number="B.1"><Latex>x</Latex></Topic></Topics>', 1, "expected both, or"),
        ("<posts><row/></posts>", 1, "found <posts>: expected <Topics>"),
        ("A.1\t0\t7\t2\n", 1, "not well-formed XML"),
        ("", 1, "not well-formed XML"),
        ('<Topics>\n<Topic number="A.1"><Title>', 2, "not well-formed XML"),
        (
            b'<Topics>\n<Topic number="A.1"><Title>\xe9</Title></Topic></Topics>',
            2,
            "not well-formed",
        ),
        (
            '<!DOCTYPE Topics [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]>\n'
            '<Topics><Topic number="A.1"><Title>&b;</Title></Topic></Topics>',
            2,
            "declares a document type",
        ),
        (
            '<!DOCTYPE Topics SYSTEM "file:///etc/hostname">\n<Topics/>',
            2,
            "declares a document type",
        ),
        (gzip.compress(TOPICS.encode())[:-20], 1, "truncated or damaged"),
    ],
)
def test_errors_are_reported_with_their_line(
    tmp_path: Path, text: str | bytes, line: int, why: str
) -> None:
    path = written(tmp_path, text)
    with pytest.raises(FormatError) as caught:
        list(read_topics(path))
    assert why in caught.value.why
    assert (caught.value.path, caught.value.line) == (str(path), line)


def test_topics_are_written_as_the_lab_writes_them(tmp_path: Path) -> None:
    topic = Topic(
        TopicId("B.1"),
        ("Find ", Formula("q_1", "c")),
        ("Let ", Formula("q_2", "x < 2"), ".\nIs A < B?"),
        ("functions", "real-analysis"),
        Formula("q_2", "x < 2"),
    )
    write_topics(tmp_path / "topics.xml", [topic])
    expected = TOPICS.replace("\r", "").replace("$$", "$").replace("$x &lt;", "$x &amp;lt;")
    expected = expected.replace("&lt;p&gt;Let", "Let").replace(
        ".&lt;/p&gt; &lt;p&gt;", ".&lt;br&gt;"
    )
    expected = expected.replace("B?&lt;/p&gt;", "B?")
    assert (tmp_path / "topics.xml").read_text() == expected


XML_TEXT = st.characters(codec="utf-8", exclude_categories=("Cc", "Cs"), exclude_characters="￾￿")
PROSE = st.text(XML_TEXT | st.sampled_from("$\\`&<> \n\t#;"), min_size=1)
LATEX = (
    st.text(XML_TEXT | st.sampled_from("\\{}&<> ^_"), min_size=1)
    .map(str.strip)
    .filter(lambda latex: latex and not latex.startswith("$") and not latex.endswith("$"))
    .filter(lambda latex: ";" not in latex)  # which would look escaped
)
IDS = st.text("q_0123456789AB.", min_size=1, max_size=6)


def contents() -> st.SearchStrategy[Content]:
    """Content as the reader returns it: no adjacent prose, no leading or trailing blanks."""
    formulas = st.builds(Formula, st.just("") | IDS, LATEX)
    return st.lists(st.tuples(PROSE, formulas), max_size=3).flatmap(
        lambda pairs: st.builds(_joined, st.just(pairs), st.just("") | PROSE)
    )


def _joined(pairs: list[tuple[str, Formula]], last: str) -> Content:
    parts: list[str | Formula] = [part for pair in pairs for part in pair]
    parts.append(last.rstrip() if pairs else last.strip())
    if pairs:
        parts[0] = pairs[0][0].lstrip()
    return tuple(part for part in parts if part)


ALL_TOPICS = st.lists(
    st.builds(
        Topic,
        IDS.map(TopicId),
        contents(),
        contents(),
        st.lists(st.text("ab-", min_size=1), max_size=3).map(tuple),
        st.none() | st.builds(Formula, IDS, LATEX),
    ),
    min_size=1,
    max_size=3,
    unique_by=lambda topic: topic.id,
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(ALL_TOPICS)
def test_topics_read_back_equal(tmp_path: Path, topics: list[Topic]) -> None:
    write_topics(tmp_path / "topics.xml.gz", topics)
    assert [*read_topics(tmp_path / "topics.xml.gz")] == topics


@pytest.mark.parametrize("latex", ["a &lt; b", "&amp;", "a & b", "x\ny"])
def test_formula_topic_reads_back_whatever_its_latex(tmp_path: Path, latex: str) -> None:
    topic = Topic(TopicId("B.1"), focus=Formula("q_1", latex))
    write_topics(tmp_path / "topics.xml", [topic])
    assert [*read_topics(tmp_path / "topics.xml")] == [topic]


@pytest.mark.parametrize(
    ("topics", "why"),
    [
        ([], "there are no topics to write"),
        ([Topic(TopicId("A.1")), Topic(TopicId("A.1"))], "would be written twice"),
        ([Topic(TopicId(""))], "cannot be written to a column"),
        ([Topic(TopicId("A.1"), tags=("a,b",))], "the tag 'a,b' of topic A.1 cannot be written"),
        ([Topic(TopicId("B.1"), focus=Formula("", "x"))], "cannot be written to a column"),
        ([Topic(TopicId("A.1"), title=("\0",))], "XML cannot hold the character"),
    ],
)
def test_unreadable_output_is_rejected(tmp_path: Path, topics: list[Topic], why: str) -> None:
    with pytest.raises(PorismError, match=why):
        write_topics(tmp_path / "topics.xml", topics)
    assert not [*tmp_path.iterdir()]


TASKS = [
    ("task1/Topics_Task1_2020_V2.0.xml", "2020_Formulas_latex_V2.0", 98, 1_008),
    ("task2/Topics_Task2_2020_V1.1.xml", "2020_Formulas_latex_V2.0", 85, 922),
    ("task1/Topics_Task1_2021_V1.1.xml", "2021_Formulas_latex_V1.1", 100, 843),
    ("task2/Topics_Task2_2021_V1.1.xml", "2021_Formulas_latex_V1.1", 100, 843),
    ("task1/Topics_Task1_2022_V0.1.xml", "2022_Formulas_latex_V0.1", 100, 1_059),
    ("task2/Topics_Task2_2022_V0.1.xml", "2022_Formulas_latex_V0.1", 100, 1_059),
]
DAMAGED = {"q_439", "q_465", "q_987", "q_988"}
"""Formulas of 2022 that are truncated in the topic files at a sign that looks like a tag."""


def formulas_of(topics: list[Topic]) -> list[Formula]:
    parts = [part for topic in topics for part in (*topic.title, *topic.body)]
    return [part for part in parts if isinstance(part, Formula)]


@pytest.mark.parametrize(("name", "year", "count", "formulas"), TASKS)
def test_real_topics_agree_with_their_formulas(
    shared: Path, tmp_path: Path, name: str, year: str, count: int, formulas: int
) -> None:
    folder = shared / "data" / "topics"
    alone = [*read_topics(folder / name)]
    replaced = [*read_topics(folder / name, folder / "formulas" / f"Topics_{year}.tsv.gz")]
    assert len(alone) == len(replaced) == count
    assert len(formulas_of(alone)) == formulas
    assert all((topic.focus is None) == ("task1" in name) for topic in alone)
    pairs = zip(formulas_of(alone), formulas_of(replaced), strict=True)
    differing = {one.id for one, other in pairs if one != other}
    assert differing == (DAMAGED if "2022" in name else set())
    for topics in (alone, replaced):
        write_topics(tmp_path / "topics.xml", topics)
        assert [*read_topics(tmp_path / "topics.xml")] == topics


def test_real_topics_have_the_content_of_the_file(shared: Path) -> None:
    folder = shared / "data" / "topics"
    topics = [*read_topics(folder / "task2" / "Topics_Task2_2020_V1.1.xml")]
    assert topics[0].id == "B.1"
    assert topics[0].title[:4] == (
        "Finding value of ",
        Formula("q_1", "c"),
        " such that the range of the rational function ",
        Formula("q_2", r"f(x) = \frac{x^2 + x + c}{x^2 + 2x + c}"),
    )
    assert topics[0].tags == ("functions",)
    assert topics[0].focus == Formula("q_4", r"f(x)= \frac{x^2 + x + c}{x^2 + 2x + c}")
    assert topics[9].id == "B.12"
    assert topics[-1].id == "B.98"
    latex = {topic.focus.latex for topic in topics if topic.focus is not None}
    assert r"I=<p,x>" in latex
    assert r"\det{\begin{bmatrix}A&B\\O&C\end{bmatrix}}=\det(A)\det(C)" in latex


@pytest.mark.parametrize("markup", ['<math alttext="$x$">', """<img alt="" src="$a'><i>b$">"""])
def test_topic_with_broken_markup_is_read(markup: str, tmp_path: Path) -> None:
    assert Formula("", "y") in title_of(tmp_path, f"Is {markup} $y$ so?")
