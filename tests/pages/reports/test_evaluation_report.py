"""The evaluation report."""

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from lxml import html

from porism.collection.store import Collection, open_collection
from porism.evaluation.records import Evaluation, RunScores
from porism.evaluation.scoring import evaluate
from porism.formats.qrels import read_qrels
from porism.formats.runs import read_run
from porism.formats.topics import read_topics
from porism.model import DocId, Formula, Hit, Qrels, Run, Topic, TopicId, ranked
from porism.pages.reports.evaluation_report import EvaluationReport, evaluation_report_page
from porism.pages.topic_hits import AnswerTexts, CollectionFormulas, CollectionPosts
from tests.collection.small_site import ingested_site

HOSTILE = "</title><script>alert(1)</script> \"' onload=x & $y_"
FIRST, SECOND, THIRD = (TopicId(f"A.{number}") for number in (1, 2, 10))
TOPICS = (FIRST, THIRD, SECOND)
QRELS = Qrels(
    {
        FIRST: {DocId("2"): 3, DocId("3"): 0},
        THIRD: {DocId("2"): 1, DocId("8"): 2},
        SECOND: {DocId("3"): 2},
    }
)


def hits(*documents: str) -> tuple[Hit, ...]:
    return ranked(Hit(DocId(each), 9.0 - place) for place, each in enumerate(documents))


GOOD = Run("good", {FIRST: hits("2", "3", "9"), THIRD: hits("8", "2"), SECOND: hits("3")})
BAD = Run("bad", {FIRST: hits("9", "3"), THIRD: hits("2")})


def report_of(*runs: Run, task: int = 1) -> EvaluationReport:
    evaluation = evaluate(runs, QRELS, ["nDCG'", "P'@10"], task)
    return EvaluationReport("A report", evaluation, {run.name: run for run in runs}, QRELS)


def copies(count: int) -> list[Run]:
    return [Run(f"run {number}", GOOD.rankings) for number in range(count)]


@pytest.fixture(scope="module")
def collection(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Collection]:
    with open_collection(ingested_site(tmp_path_factory.mktemp("site"))) as opened:
        yield opened


def document(page: str) -> html.HtmlElement:
    return html.document_fromstring(page)


def text_of(element: html.HtmlElement) -> str:
    return " ".join("".join(map(str, element.itertext())).split())


def section(page: str, name: str) -> html.HtmlElement:
    (element,) = document(page).xpath(f'//section[@id="{name}"]')
    assert isinstance(element, html.HtmlElement)
    return element


def differing(report: EvaluationReport) -> html.HtmlElement:
    return section(evaluation_report_page(report), "differing")


def section_names(page: str) -> list[str]:
    return [str(name) for name in document(page).xpath("//section/@id")]


def table_rows(element: html.HtmlElement) -> list[list[str]]:
    return [[text_of(cell) for cell in row.iter("th", "td")] for row in element.iter("tr")]


def test_sections_are_in_order_and_linked() -> None:
    page = evaluation_report_page(
        replace(report_of(GOOD, BAD), breakdowns={"type": {"Proof": TOPICS}})
    )
    names = ["scores", "topics", "curves", "spread", "categories", "differing", "values"]
    assert section_names(page) == names
    assert document(page).xpath("//nav//a/@href") == [f"#{name}" for name in names]


def test_scores_are_best_first_with_the_best_in_bold_and_ceilings_last() -> None:
    scores = section(evaluation_report_page(report_of(BAD, GOOD)), "scores")
    assert table_rows(scores) == [
        ["run", "nDCG'", "P'@10", "topics answered"],
        ["good", "1.0000", "0.1000", "3"],
        ["bad", "0.1267", "0.0000", "2"],
        ["highest reachable", "1.0000", "0.1000", ""],
    ]
    assert [text_of(each) for each in scores.iter("strong")] == ["1.0000", "0.1000"]


def test_the_score_of_a_single_run_is_not_bold() -> None:
    assert not list(section(evaluation_report_page(report_of(GOOD)), "scores").iter("strong"))


def test_all_values_are_listed_in_natural_order_of_topics() -> None:
    first, second = section(evaluation_report_page(report_of(BAD, GOOD)), "values").iter("details")
    assert table_rows(first) == [
        ["topic", "good", "bad"],
        ["A.1", "1.0000", "0.0000"],
        ["A.2", "1.0000", "0.0000"],
        ["A.10", "1.0000", "0.3801"],
    ]
    assert text_of(next(second.iter("summary"))) == "P'@10"


@pytest.mark.parametrize("count", [1, 2, 3, 6, 7, 12, 33])
def test_every_run_and_topic_is_shown(count: int) -> None:
    page = evaluation_report_page(report_of(*copies(count)))
    for name in ("scores", "values", "spread", "curves"):
        text = text_of(section(page, name))
        assert all(f"run {number}" in text for number in range(count)), name
    assert all(topic in text_of(section(page, "topics")) for topic in TOPICS)
    ids = [str(name) for name in document(page).xpath("//@id")]
    assert len(ids) == len(set(ids))
    links = {str(link)[1:] for link in document(page).xpath("//a/@href")}
    assert links <= set(ids)


def test_two_runs_are_compared_by_difference() -> None:
    topics = text_of(section(evaluation_report_page(report_of(GOOD, BAD)), "topics"))
    assert "good is better for 3 topics" in topics
    assert "bad is better for 0 topics" in topics
    assert "A.10: +0.6199" in topics


def test_curves_have_tables() -> None:
    precision, gain = section(evaluation_report_page(report_of(GOOD, BAD)), "curves").iter(
        "details"
    )
    assert table_rows(precision)[1] == ["good", *["1.0000"] * 11]
    assert table_rows(gain)[2] == ["bad", "0.1667", "0.1267"]


def test_without_runs_or_rankings_there_are_no_curves() -> None:
    assert "curves" not in section_names(evaluation_report_page(replace(report_of(GOOD), runs={})))
    assert "curves" not in section_names(
        evaluation_report_page(replace(report_of(GOOD), qrels=Qrels()))
    )
    assert "curves" not in section_names(evaluation_report_page(report_of(GOOD, task=3)))


def test_a_breakdown_has_the_means_of_evaluated_topics() -> None:
    groups = {"Text": (FIRST, THIRD), "Both": (SECOND,), "Formula": (TopicId("A.99"),)}
    page = evaluation_report_page(
        replace(report_of(GOOD, BAD), breakdowns={"dependency": groups, "no": {}})
    )
    categories = section(page, "categories")
    assert table_rows(categories)[:3] == [
        ["nDCG'", "Text (2 topics)", "Both (1 topic)"],
        ["good", "1.0000", "1.0000"],
        ["bad", "0.1900", "0.0000"],
    ]
    assert "bad, Text: 0.1900" in text_of(categories)  # the tooltip of a bar
    assert [text_of(each) for each in categories.iter("h3")] == ["Dependency"]


def test_the_topics_where_runs_differ_most_come_first() -> None:
    topics = differing(replace(report_of(GOOD, BAD), differing_topics=2))
    assert [text_of(each) for each in topics.iter("h3")] == ["A.1", "A.2"]
    first, second = topics.iter("article")
    assert [text_of(each) for each in first.iter("li")] == [
        "3: high 2 score 9",
        "0: not relevant 3 score 8",
        "unjudged 9 score 7",
        "unjudged 9 score 9",
        "0: not relevant 3 score 8",
    ]
    assert "No results." in text_of(second)


def test_topics_where_runs_are_equal_are_omitted() -> None:
    assert "differing" not in section_names(evaluation_report_page(report_of(*copies(3))))


def test_a_single_run_shows_the_hardest_topics() -> None:
    topics = differing(replace(report_of(BAD), differing_topics=2))
    assert [text_of(each) for each in topics.iter("h3")] == ["A.1", "A.2"]
    assert "hardest" in text_of(topics)


def test_the_number_of_answers_is_limited() -> None:
    topics = differing(replace(report_of(GOOD), answers=1, differing_topics=1))
    assert len(list(topics.iter("li"))) == 1


def test_topics_and_answers_have_mathml(collection: Collection) -> None:
    topic = Topic(
        FIRST,
        ("Is ", Formula("7", "x^2"), " positive?"),
        ("I know this:\n", Formula("8", r"\frac{1}{2}"), ".\nIs it <b>so</b>?"),
    )
    report = replace(
        report_of(GOOD, BAD),
        topics={FIRST: topic},
        posts=CollectionPosts(collection),
        differing_topics=1,
    )
    page = evaluation_report_page(report)
    question, *answers = page.split('<article>\n<h3>A.1: Is <span class="formula"')[1].split("<li>")
    assert "<msup>" in question
    assert re.search(r'<p><span class="display"[^>]*><math [^>]*display="block"', question)
    assert "Is it &lt;b&gt;so&lt;/b&gt;?" in question
    assert "<details><summary>" in answers[0]
    assert "Answer to: Is <span" in answers[0]
    assert "<mfrac>" in answers[0]
    assert "<code>squaring</code>" in answers[1]
    assert "<details>" not in answers[2]  # the collection lacks this post


def test_answers_of_task_2_are_formulas(collection: Collection) -> None:
    instance = collection.instance("12")
    visual_id = DocId(instance.formula.visual_id)
    show = CollectionFormulas(collection)
    assert "<mfrac>" in (show(Hit(visual_id, 1.0)) or "")
    assert "in post 2" in (show(Hit(visual_id, 1.0, DocId("2"))) or "")
    assert "<mfrac>" in (show(Hit(visual_id, 1.0, DocId("404"))) or "")
    assert show(Hit(DocId("404"), 1.0, DocId("2"))) is None
    assert show(Hit(DocId("no number"), 1.0)) is None


def test_the_query_formula_of_a_task_2_topic_is_shown() -> None:
    topic = Topic(FIRST, focus=Formula("q_1", r"\sqrt{x}"))
    page = evaluation_report_page(replace(report_of(GOOD, BAD, task=2), topics={FIRST: topic}))
    assert re.search(r'<math [^>]*display="block"[^>]*>.*<msqrt>', page)


def test_task_3_has_means_over_answered_and_over_all_topics() -> None:
    runs = (
        RunScores("one", {"AR": {FIRST: 3.0}, "MG": {FIRST: 1.0}}, frozenset({FIRST})),
        RunScores("all", {"AR": dict.fromkeys(TOPICS, 2.0), "MG": dict.fromkeys(TOPICS, 0.0)}),
    )
    evaluation = Evaluation(3, ("AR", "MG"), TOPICS, runs)
    answers = {"one": Run("one", {FIRST: hits("17")})}
    texts = AnswerTexts({DocId("17"): "Take $x^2$ < 3 <script>alert(1)</script>."})
    page = evaluation_report_page(
        EvaluationReport("Answers", evaluation, answers, posts=texts, differing_topics=1)
    )
    scores = section(page, "scores")
    assert [row[:4] for row in table_rows(scores)] == [
        ["run", "AR", "MG", "AR over all topics"],
        ["one", "3.0000", "1.0000", "1.0000"],
        ["all", "2.0000", "0.0000", "2.0000"],
    ]
    assert [text_of(each) for each in scores.iter("strong")] == ["3.0000", "2.0000"]
    assert "<msup>" in page
    assert "alert" not in page


def test_facts_and_notes_are_at_the_top() -> None:
    report = report_of(GOOD, BAD)
    noted = replace(report.evaluation, notes=("left out: 2", "both"))
    text = text_of(
        document(evaluation_report_page(replace(report, evaluation=noted, notes=("both", "mine"))))
    )
    assert "Task 1 · 3 topics · 2 runs · nDCG', P'@10" in text
    assert text.count("left out: 2") == text.count("mine") == 1
    assert len(re.findall(r"\bboth\b", text)) == 1


@pytest.mark.parametrize("count", [1, 2, 3, 8])
def test_text_from_files_is_escaped(count: int, collection: Collection) -> None:
    topic_id = TopicId(HOSTILE)
    runs = [
        Run(f"{HOSTILE}{number}", {topic_id: hits(HOSTILE, "2")[number % 2 :]})
        for number in range(count)
    ]
    qrels = Qrels({topic_id: {DocId("2"): 3}})
    report = EvaluationReport(
        HOSTILE,
        replace(evaluate(runs, qrels, ["nDCG'"]), notes=(HOSTILE,)),
        {run.name: run for run in runs},
        qrels,
        {HOSTILE: {HOSTILE: (topic_id,)}},
        {topic_id: Topic(topic_id, (HOSTILE,), (HOSTILE, Formula(HOSTILE, HOSTILE)))},
        CollectionPosts(collection),
    )
    page = evaluation_report_page(report)
    assert not re.search(r"<script|<img|<iframe|<object|<link|@import|\ssrc=", page)
    assert not re.search(r"<[^<>\"]*(\"[^\"]*\"[^<>\"]*)*\sonload=", page)
    assert page.count("<title>&lt;/title&gt;") >= 1
    assert page.count("<style>") == page.count("<main>") == page.count("</main>") == 1


def test_a_page_is_self_contained() -> None:
    page = evaluation_report_page(report_of(GOOD, BAD, *copies(9)))
    assert "default-src 'none'" in page
    addresses = {str(each) for each in document(page).xpath("//@href | //@src")}
    assert all(address.startswith("#") for address in addresses)
    assert set(re.findall(r"https?://[^\"<>\s]+", page)) == {"http://www.w3.org/2000/svg"}
    assert set(re.findall(r"url\((.)", page)) <= {"#"}


@pytest.mark.parametrize("count", [1, 2, 5, 9])
def test_equal_reports_give_equal_bytes(count: int) -> None:
    assert evaluation_report_page(report_of(*copies(count))) == evaluation_report_page(
        report_of(*copies(count))
    )


def test_a_run_without_judged_hits_scores_zero() -> None:
    empty = Run("empty", {topic: hits("404") for topic in TOPICS})
    page = evaluation_report_page(report_of(GOOD, empty))
    assert ["empty", "0.0000", "0.0000"] in table_rows(section(page, "scores"))


def test_a_run_without_values_is_shown() -> None:
    runs = (RunScores("none", {"AR": {}}), RunScores("some", {"AR": {FIRST: 1.0}}))
    page = evaluation_report_page(EvaluationReport("Answers", Evaluation(3, ("AR",), TOPICS, runs)))
    assert ["none", "–"] in table_rows(section(page, "scores"))
    assert section_names(page) == ["scores", "topics", "spread", "values"]


@pytest.mark.parametrize(
    "evaluation",
    [
        Evaluation(1, (), (), ()),
        Evaluation(1, ("nDCG'",), TOPICS, ()),
        Evaluation(1, (), TOPICS, (RunScores("a", {}),)),
    ],
)
def test_an_empty_evaluation_is_a_page(evaluation: Evaluation) -> None:
    assert text_of(
        document(evaluation_report_page(EvaluationReport("Nothing", evaluation)))
    ).startswith("Nothing")


def test_one_topic_is_enough() -> None:
    qrels = Qrels({FIRST: QRELS.grades[FIRST]})
    evaluation = evaluate([GOOD, BAD, Run("third", {FIRST: hits("3", "2")})], qrels)
    page = evaluation_report_page(
        EvaluationReport("One topic", evaluation, {"good": GOOD, "bad": BAD}, qrels)
    )
    assert text_of(section(page, "differing")).startswith("The topics where runs differ most A.1")


@pytest.mark.slow
def test_the_page_of_real_runs_is_below_two_megabytes(shared: Path) -> None:
    data = shared / "data"
    paths = sorted((data / "runs" / "task1_2020").glob("*.gz"))
    runs = [replace(read_run(path), name=path.name) for path in paths]
    qrels = read_qrels(data / "qrels" / "qrel_task1_2020_official.tsv")
    topics = {
        topic.id: topic
        for topic in read_topics(data / "topics" / "task1" / "Topics_Task1_2020_V2.0.xml")
    }
    by_name = {run.name: run for run in runs}
    page = evaluation_report_page(
        EvaluationReport("2020", evaluate(runs, qrels), by_name, qrels, topics=topics)
    )
    assert len(page.encode()) < 2_000_000
    assert all(path.name in page for path in paths)
    assert len(list(section(page, "differing").iter("article"))) == 8
