"""The assessment report."""

import re
from dataclasses import replace

import pytest
from lxml import etree, html

from porism.assess.assessment_statistics import assessment_statistics
from porism.assess.records import Candidate
from porism.assess.training import round_results
from porism.model import DocId, Qrels, Topic, TopicId
from porism.pages.reports.assessment_report import AssessmentReport, assessment_report_page
from porism.pages.reports.kappa_bars import KappaBar, kappa_bars
from tests.assess.judgment_samples import by_two, judged, pool_of

HOSTILE = "</title><script>alert(1)</script> \"' onload=x & \x00"
POOL = pool_of("1", "2", "3", "4")
ACTS = by_two("HHNL", "HMNH", seconds=30.0)
DROPPED = TopicId("A.2")
EARLIER = Qrels({TopicId("A.1"): {DocId("2"): 3}})


def report() -> AssessmentReport:
    rounds = round_results([replace(each, batch="round 1") for each in ACTS], {"round 1": EARLIER})
    return AssessmentReport("An assessment", assessment_statistics(ACTS, POOL), rounds, ("a note",))


def document(page: str) -> html.HtmlElement:
    return html.document_fromstring(page)


def cells(table: html.HtmlElement) -> list[list[str]]:
    return [
        [" ".join(cell.text_content().split()) for cell in row] for row in table.findall(".//tr")
    ]


def table_of(page: str, section: str) -> list[list[str]]:
    (element,) = document(page).xpath(f"//section[@id='{section}']")
    return cells(element.find(".//table"))


def test_empty_sections_are_omitted() -> None:
    sections = document(assessment_report_page(report())).xpath("//section/@id")
    assert sections == ["counts", "choices", "times", "agreement", "rounds", "topics"]


def test_the_numbers_are_in_tables() -> None:
    page = assessment_report_page(report())
    assert table_of(page, "counts")[1] == ["answers judged", "4.0", "4 (A.1)", "4 (A.1)"]
    assert table_of(page, "times")[-1] == ["all", "1", "8", "30.0", "30.0", "0", "0"]
    # HHNL against HMNH: 2 of 4 equal, by chance (2 * 2 + 1) / 16: kappa 3/11.
    # H+M: yynn against yyny: 3 of 4, by chance (2 * 3 + 2 * 1) / 16: kappa 0.5.
    assert table_of(page, "agreement")[-1] == ["Total", "1", "0.27", "0.50"]


def test_disagreements_of_a_round_are_listed_with_all_opinions() -> None:
    page = document(assessment_report_page(report()))
    tables = page.xpath("//section[@id='rounds']//details[last()]//table")
    assert cells(tables[-1]) == [
        ["topic", "candidate", "ann", "bob", "earlier grade"],
        ["A.1", "4", "Low", "High", ""],
        ["A.1", "2", "High", "Medium", "3"],
    ]


def test_assessors_and_their_total_have_bars() -> None:
    page = document(assessment_report_page(report()))
    tips = page.xpath("//section[@id='agreement']//figure//rect/title/text()")
    assert tips == [
        f"{name}, {kind}"
        for name in ("ann", "bob", "Total")
        for kind in ("four-way: 0.27", "H+M: 0.50")
    ]


def test_disputed_and_adjudicated_candidates_are_noted() -> None:
    acts = [*by_two("HLH", "NLH"), judged(9, "eve", "2", "H", is_adjudication=True)]
    page = assessment_report_page(AssessmentReport("x", assessment_statistics(acts, POOL)))
    notes = document(page).xpath("//ul[@class='notes']/li/text()")
    assert notes == [
        "1 candidate with an unresolved disagreement",
        "1 candidate decided by adjudication",
    ]


def facts(page: str) -> str:
    (element,) = document(page).xpath("//p[@class='meta'][1]")
    return str(element.text_content())


def test_dropped_topics_are_noted_and_not_counted() -> None:
    pool = replace(POOL, topics=(*POOL.topics, Topic(DROPPED)))
    pool = replace(pool, candidates=(*POOL.candidates, Candidate(DROPPED, DocId("9"))))
    acts = [*ACTS, judged(20, "cid", "9", "H", topic_id=DROPPED)]
    page = assessment_report_page(AssessmentReport("x", assessment_statistics(acts, pool)))
    assert "dropped, too few relevant (H+M): A.2; not counted below<" in page
    for fact in ("1 topic", "2 assessors", "8 judgments"):
        assert fact in facts(page)


def test_breaks_are_noted() -> None:
    page = assessment_report_page(
        AssessmentReport("x", assessment_statistics(by_two("HM", "", seconds=6000.0), POOL))
    )
    assert "2 judgments counted as breaks (200 minutes in total)" in page


def test_an_assessment_without_judgments_has_a_page() -> None:
    page = assessment_report_page(AssessmentReport("x", assessment_statistics([], POOL)))
    assert document(page).xpath("//section") == []


def test_names_and_comments_are_escaped() -> None:
    acts = [
        judged(1, HOSTILE, "1", "H", comment=HOSTILE),
        judged(2, "bob", "1", "N"),
        judged(3, HOSTILE, "2", "N"),
        judged(4, "bob", "2", "N"),
    ]
    rounds = round_results([replace(each, batch=HOSTILE) for each in acts])
    page = assessment_report_page(
        AssessmentReport(HOSTILE, assessment_statistics(acts, POOL), rounds, (HOSTILE,))
    )
    assert "<script" not in page
    assert document(page).xpath("//*[@onload]") == []


def test_equal_reports_give_equal_pages_with_unique_ids() -> None:
    page = assessment_report_page(report())
    assert page == assessment_report_page(report())
    ids = document(page).xpath("//@id")
    assert len(ids) == len(set(ids))
    assert not re.search(r"https?://(?!www\.w3\.org)", page)


@pytest.mark.parametrize(
    ("values", "lowest", "highest"),
    [((0.29, 0.39), "0.0", "0.4"), ((-0.12, 0.3), "-0.2", "0.3"), ((None, None), "0.0", "0.1")],
)
def test_the_axis_spans_all_kappas(
    values: tuple[float | None, float | None], lowest: str, highest: str
) -> None:
    drawing = etree.fromstring(kappa_bars("k", "Kappas", [KappaBar("ann", *values)]))
    texts = [each.text or "" for each in drawing.findall("text")]
    numbers = [text for text in texts if re.fullmatch(r"[-0-9.]+", text)]
    assert (numbers[0], numbers[-1]) == (lowest, highest)
    assert len(drawing.findall("rect")) == sum(value is not None for value in values)


def test_a_negative_kappa_is_drawn_below_zero() -> None:
    drawing = etree.fromstring(kappa_bars("k", "Kappas", [KappaBar("ann", -0.1, 0.1)]))
    below, above = drawing.findall("rect")
    zero = float(above.get("y", "")) + float(above.get("height", ""))
    assert float(below.get("y", "")) == pytest.approx(zero, abs=0.2)
