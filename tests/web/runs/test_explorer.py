"""The run explorer, over the sample: scores, topics in runs side by side, and runs of visitors."""

import re
import threading
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient
from lxml import html

from porism import catalog
from porism.collection.sample import sample_qrels, sample_topics
from porism.evaluation.validation import RunFinding
from porism.formats.qrels import read_qrels
from porism.formats.runs import RunForm, write_run
from porism.formats.topics import read_topics
from porism.model import Qrels, Run, Task
from porism.searchindex.index_folder import open_index
from porism.web.current_index import CurrentIndex
from porism.web.runs import run_folder, trial_runs, upload
from porism.web.runs.explorer import router
from porism.web.runs.run_folder import RunFolder
from tests.collection.dumps import answer, question
from tests.web.serving import small_index

HOSTILE = "<img src=x onerror=alert(1)>"
SYSTEMS = ("bm25", "tangent-l")


@pytest.fixture(scope="module")
def folder(sample_index: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Runs of two systems for the sample's topics, one by hand, and what is none."""
    runs = tmp_path_factory.mktemp("runs")
    topics = list(read_topics(sample_topics(1)))
    with open_index(sample_index) as library:
        for name in SYSTEMS:
            ranker = catalog.ranker(name, Task.ANSWERS, library)
            run = Run(name, {topic.id: ranker.rank(topic, 50) for topic in topics})
            write_run(runs / f"{name}.tsv", run, RunForm.TASK1)
    hostile = "".join(f"{topic.id}\t{HOSTILE}\t1\t2.5\t{HOSTILE}\n" for topic in topics)
    (runs / f"{HOSTILE}.tsv").write_text(hostile)
    (runs / "broken.tsv").write_text("A.1\t<b>x</b>\tfirst\t2\tbroken\n")
    (runs / "Topics.xml").write_bytes(sample_topics(1).read_bytes())
    return runs


def app_of(index: Path, explored: RunFolder | None) -> FastAPI:
    app = FastAPI()
    app.state.current_index = CurrentIndex(index)
    app.state.run_folder = explored
    app.include_router(router)
    return app


@pytest.fixture(scope="module")
def explorer(sample_index: Path, folder: Path) -> Iterator[TestClient]:
    """The explorer alone, over the folder."""
    explored = RunFolder(folder, sample_qrels(1), patience=60)
    with TestClient(app_of(sample_index, explored)) as opened:
        yield opened


def page(client: TestClient, address: str, status: int = 200) -> html.HtmlElement:
    answer = client.get(address)
    assert answer.status_code == status, answer.text
    assert HOSTILE not in answer.text
    return html.fromstring(answer.text)


def chosen(element: html.HtmlElement, place: str) -> list[html.HtmlElement]:
    """The elements at a place such as ``.run-hits math``: classes and names, from outside in."""
    steps = [
        f"//*[contains(concat(' ', normalize-space(@class), ' '), ' {step[1:]} ')]"
        if step.startswith(".")
        else f"//{step}"
        for step in place.split()
    ]
    return list(element.xpath("." + "".join(steps)))


def texts(element: html.HtmlElement, place: str) -> list[str]:
    return [" ".join(" ".join(each.itertext()).split()) for each in chosen(element, place)]


def test_without_runs_the_page_explains_how_to_add_some(sample_index: Path) -> None:
    with TestClient(app_of(sample_index, None)) as client:
        assert "--runs DIR --qrels FILE" in page(client, "/runs").text_content()
        assert client.post("/runs/try", content=b"x").status_code == 200


def test_all_runs_have_scores_and_the_best_come_first(explorer: TestClient) -> None:
    document = page(explorer, "/runs")
    rows = texts(document, ".run-scores tbody tr")
    assert len(rows) == 3
    values = [float(row.split()[-7]) for row in rows]
    assert values == sorted(values, reverse=True)
    assert rows[-1].startswith(HOSTILE)
    assert "highest possible 1.0000" in texts(document, ".run-scores tfoot tr")[0]


def test_a_broken_file_is_listed_with_its_reason(explorer: TestClient) -> None:
    (line,) = texts(page(explorer, "/runs"), ".run-refused li")
    assert line.startswith("broken.tsv : line 1: found the rank 'first'")


def test_topics_have_a_value_for_each_run_and_link_to_their_pages(explorer: TestClient) -> None:
    document = page(explorer, "/runs")
    rows = chosen(document, ".run-heat tbody tr")
    assert len(rows) == len(read_qrels(sample_qrels(1)).grades)
    assert len(chosen(rows[0], ".run-cell")) == 3
    address = chosen(rows[0], "a")[0].get("href")
    assert "Topics" not in texts(page(explorer, address), "h1")[0]
    assert texts(page(explorer, address), "h1")[0].startswith("A.1: ")


def test_topics_are_ordered_by_the_parameter(explorer: TestClient) -> None:
    document = page(explorer, "/runs?measure=P%27@10&order=hardest")
    sums = [
        sum(float(cell.text_content()) for cell in chosen(row, ".run-cell"))
        for row in chosen(document, ".run-heat tbody tr")
    ]
    assert sums == sorted(sums)
    page(explorer, "/runs?order=nonsense", 400)
    page(explorer, "/runs?measure=nonsense", 400)


def test_a_topic_shows_its_text_and_the_hits_of_runs_side_by_side(explorer: TestClient) -> None:
    document = page(explorer, "/runs/topics/A.1?run=bm25&run=tangent-l&k=10")
    assert chosen(document, ".run-topic math")
    assert texts(document, ".run-columns h2") == ["A bm25", "B tangent-l"]
    first, second = chosen(document, ".run-hits")
    assert len(chosen(first, ".run-hit")) == len(chosen(second, ".run-hit")) == 10
    assert texts(first, ".run-rank") == [str(rank) for rank in range(1, 11)]
    assert chosen(first, ".run-hit math")
    assert re.match(r"/threads/\d+#post-\d+$", chosen(first, ".run-hit a")[0].get("href"))


def test_grades_are_those_of_the_judgments(explorer: TestClient) -> None:
    document = page(explorer, "/runs/topics/A.1?run=bm25&k=100")
    grades = read_qrels(sample_qrels(1)).grades
    of_topic = {str(doc): grade for doc, grade in next(iter(grades.values())).items()}
    words = {None: "unjudged", 0: "0 not relevant", 1: "1 low", 2: "2 medium", 3: "3 high"}
    for hit in chosen(document, ".run-hit"):
        doc_id = chosen(hit, "a")[0].get("href").partition("#post-")[2]
        assert texts(hit, ".run-grade") == [words[of_topic.get(doc_id)]]


def test_hits_are_marked_with_their_rank_in_the_other_run(explorer: TestClient) -> None:
    document = page(explorer, "/runs/topics/A.1?run=bm25&run=tangent-l&k=100")
    ranks = [
        {
            chosen(hit, "a")[0].get("href"): (texts(hit, ".run-rank"), texts(hit, ".run-also"))
            for hit in chosen(column, ".run-hit")
        }
        for column in chosen(document, ".run-hits")
    ]
    common = ranks[0].keys() & ranks[1].keys()
    assert common
    for address, (_, also) in ranks[0].items():
        expected = f"B: rank {ranks[1][address][0][0]}" if address in common else "not in B"
        assert also == [expected]


@pytest.mark.parametrize("grade", [3, 0])
def test_grades_are_filtered_and_unjudged_hits_hidden(explorer: TestClient, grade: int) -> None:
    address = f"/runs/topics/A.1?run=bm25&grade={grade}&unjudged=0&k=100"
    document = page(explorer, address)
    assert {text[0] for text in texts(document, ".run-hit .run-grade")} == {str(grade)}
    alone = page(explorer, "/runs/topics/A.1?run=bm25&unjudged=only&k=100")
    assert set(texts(alone, ".run-hit .run-grade")) == {"unjudged"}
    all_of_them = page(explorer, "/runs/topics/A.1?run=bm25&k=100")
    assert {"3 high", "unjudged"} <= set(texts(all_of_them, ".run-hit .run-grade"))


def test_the_link_to_the_next_topic_keeps_the_filters(explorer: TestClient) -> None:
    document = page(explorer, "/runs/topics/A.1?run=bm25&grade=3&unjudged=0&k=10")
    assert not document.xpath("//a[@rel='prev']")
    following = document.xpath("//a[@rel='next']")[0].get("href")
    assert following == "/runs/topics/A.2?run=bm25&grade=3&unjudged=0&k=10"
    assert page(explorer, following).xpath("//a[@rel='prev']")


def test_two_runs_are_compared(explorer: TestClient) -> None:
    document = page(explorer, "/runs/topics/A.1?run=bm25&run=tangent-l&k=10")
    heads = texts(document, "h3")
    only = [int(re.findall(r"\((\d+)\)", head)[0]) for head in heads]
    both = re.findall(r"(\d+) are in both", document.text_content())
    assert only[0] == only[1] == 10 - int(both[0])
    assert "A − B" in chosen(document, ".run-scores tfoot")[0].text_content()
    assert not page(explorer, "/runs/topics/A.1?run=bm25").xpath("//*[@id='differences']")


def test_the_form_leads_to_the_topic(explorer: TestClient) -> None:
    address = "/runs/topics?topic=A.2&run=bm25&run=&grade=3&k=50"
    answer = explorer.get(address, follow_redirects=False)
    assert answer.headers["location"] == "/runs/topics/A.2?run=bm25&grade=3&k=50"


def test_hostile_names_are_shown_as_text(explorer: TestClient) -> None:
    document = page(explorer, "/runs/topics/A.1?run=%3Cimg+src%3Dx+onerror%3Dalert(1)%3E")
    assert texts(document, ".run-id") == [HOSTILE]
    assert not chosen(document, "main img")


@pytest.mark.parametrize(
    ("address", "status"),
    [
        ("/runs/topics/A.999", 404),
        ("/runs/topics/<b>", 404),
        ("/runs/topics/A.1?run=absent", 404),
        ("/runs/try/absent", 404),
        ("/runs/topics/A.1?k=0", 400),
        ("/runs/topics/A.1?k=101", 400),
        ("/runs/topics/A.1?k=many", 400),
        ("/runs/topics/A.1?grade=-1", 400),
        ("/runs/topics/A.1?unjudged=2", 400),
    ],
)
def test_unknown_ids_and_invalid_parameters_are_error_pages(
    explorer: TestClient, address: str, status: int
) -> None:
    assert texts(page(explorer, address, status), "h1") == ["This page cannot be shown"]


def test_more_than_three_runs_are_reported(explorer: TestClient) -> None:
    names = "&".join(f"run={name}" for name in (*SYSTEMS, "%3Cimg+src%3Dx+onerror%3Dalert(1)%3E"))
    document = page(explorer, f"/runs/topics/A.1?{names}&run=bm25&run=fourth")
    assert len(chosen(document, ".run-hits")) == 3
    assert "1 more" in texts(document, ".run-note")[0]


def test_a_pasted_run_is_scored_beside_the_others(explorer: TestClient, folder: Path) -> None:
    run = (folder / "bm25.tsv").read_text()
    answer = explorer.post("/runs/try", files={"text": (None, run), "file": ("", b"")})
    assert answer.status_code == 200
    document = html.fromstring(answer.text)
    rows = texts(document, ".run-scores tbody tr")
    mine = next(row for row in rows if row.startswith("your run (uploaded)"))
    theirs = next(row for row in rows if row.startswith("bm25"))
    assert mine.split()[3:] == theirs.split()[1:]
    key = answer.url.path.rpartition("/")[2]
    assert key not in explorer.get("/runs").text
    beside = page(explorer, f"/runs/topics/A.1?run={key}&run=bm25")
    assert texts(beside, ".run-columns h2") == ["A your run", "B bm25"]
    assert key in explorer.get(f"/runs?run={key}").text


def test_an_uploaded_file_is_scored(explorer: TestClient, folder: Path) -> None:
    data = (folder / f"{HOSTILE}.tsv").read_bytes()
    answer = explorer.post("/runs/try", files={"file": (f"{HOSTILE}.tsv", data)})
    assert answer.status_code == 200
    assert HOSTILE not in answer.text
    assert "none of its hits is judged" in answer.text


def test_a_program_may_send_the_run_itself(explorer: TestClient, folder: Path) -> None:
    answer = explorer.post(
        "/runs/try",
        content=(folder / "bm25.tsv").read_bytes(),
        headers={"content-type": "text/plain"},
    )
    assert answer.url.path.startswith("/runs/try/")


def test_problems_of_a_run_are_listed_with_their_lines(explorer: TestClient) -> None:
    run = f"A.1\t11\t1\t3\tx\nA.1\t{HOSTILE}\t2\tmuch\tx\n"
    answer = explorer.post("/runs/try", files={"text": (None, run)})
    assert answer.status_code == 422
    assert HOSTILE not in answer.text
    rows = texts(html.fromstring(answer.text), ".run-findings tbody tr")
    assert any(row.startswith("2 error") and "much" in row for row in rows)


def test_uploads_that_are_not_runs_or_too_large_are_refused(
    explorer: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert explorer.post("/runs/try").status_code == 400
    assert explorer.post("/runs/try", files={"text": (None, " ")}).status_code == 400
    assert explorer.post("/runs/try", files={"text": (None, "\0\0 \0")}).status_code == 422
    other_site = {"sec-fetch-site": "cross-site", "content-type": "text/plain"}
    assert explorer.post("/runs/try", content=b"x", headers=other_site).status_code == 403
    monkeypatch.setattr(upload, "MAX_RUN", 10)
    assert explorer.post("/runs/try", files={"text": (None, "x" * 11)}).status_code == 413
    assert explorer.post("/runs/try", content=b"x" * 200_000).status_code == 413


def test_a_second_upload_at_the_same_time_gets_503(
    explorer: TestClient, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    statuses = []
    run = {"text": (None, (folder / "bm25.tsv").read_text())}

    def meanwhile(*_: object) -> Iterator[RunFinding]:
        statuses.append(explorer.post("/runs/try", files=run).status_code)
        return iter(())

    monkeypatch.setattr(trial_runs, "findings", meanwhile)
    assert explorer.post("/runs/try", files=run).status_code == 200
    assert statuses == [503]


def test_reading_runs_shows_its_progress(
    sample_index: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    may_go_on = threading.Event()

    def waiting(path: Path) -> Qrels:
        may_go_on.wait()
        return read_qrels(path)

    monkeypatch.setattr(run_folder, "read_qrels", waiting)
    explored = RunFolder(folder, sample_qrels(1), patience=0)
    with TestClient(app_of(sample_index, explored)) as client:
        document = page(client, "/runs", 503)
    may_go_on.set()
    assert "0 of 4 so far" in document.text_content()
    assert document.xpath("//meta[@http-equiv='refresh']")


def test_damaged_judgments_are_reported(sample_index: Path, folder: Path, tmp_path: Path) -> None:
    (tmp_path / "qrels.tsv").write_text("nonsense\n")
    explored = RunFolder(folder, tmp_path / "qrels.tsv", patience=60)
    with TestClient(app_of(sample_index, explored)) as client:
        assert "expected qrels" in page(client, "/runs", 503).text_content()


def test_formulas_are_shown_with_links_to_searches(sample_index: Path, tmp_path: Path) -> None:
    judged = read_qrels(sample_qrels(2)).grades
    lines = [
        f"{topic}\t{doc}\t1\t{rank}\t{-rank}\tf\n"
        for topic, of_topic in judged.items()
        for rank, doc in enumerate(of_topic, start=1)
    ]
    (tmp_path / "formulas.tsv").write_text("".join(lines))
    explored = RunFolder(tmp_path, sample_qrels(2), sample_topics(2), patience=60)
    with TestClient(app_of(sample_index, explored)) as client:
        document = page(client, "/runs/topics/B.1")
    hit = chosen(document, ".run-hit")[0]
    assert chosen(hit, "math")
    links = [link.get("href") for link in chosen(hit, "a")]
    assert [link[:10] for link in links[:3]] == ["/formulas/", links[3][:10], "/threads/1"]
    assert links[1] == links[3]
    assert parse_qs(urlsplit(links[3]).query)["what"] == ["formulas"]
    assert unlinked(document) == []
    assert chosen(document, ".run-topic .similar math")


def unlinked(document: html.HtmlElement) -> list[str]:
    """The formulas of a page that are no links."""
    return [each.get("alttext") for each in document.xpath("//math[not(ancestor::a)]")]


def test_every_formula_links_to_similar_ones(explorer: TestClient) -> None:
    for address in ("/runs", "/runs/topics/A.1?run=bm25&run=tangent-l&k=50"):
        document = page(explorer, address)
        assert chosen(document, "math")
        assert unlinked(document) == []
    for part in (".run-topic", ".run-excerpt", ".run-whole"):
        assert chosen(document, f"{part} .similar math")
    found = chosen(document, ".run-excerpt .similar")[0]
    (query,) = parse_qs(urlsplit(found.get("href")).query)["q"]
    assert query == chosen(found, "math")[0].get("alttext").strip()


def test_searches_for_formulas_include_the_macros_of_the_post(tmp_path: Path) -> None:
    defined = r"\def\twice#1{2#1}"
    long = "<p>It is long. </p>" * 30
    posts = [question(1), answer(2, 1, rf"<p>${defined}$ Now $\twice{{z}}$.</p>{long}")]
    index = small_index(tmp_path, posts)
    (tmp_path / "run.tsv").write_text("A.1\t2\t1\t2.5\tmine\n")
    explored = RunFolder(tmp_path, sample_qrels(1), patience=60)
    with TestClient(app_of(index, explored)) as client:
        document = page(client, "/runs/topics/A.1?run=run")
    for part in (".run-excerpt", ".run-whole"):
        (link,) = chosen(document, f"{part} .similar")
        query = parse_qs(urlsplit(link.get("href")).query)
        assert query == {"q": [f"{defined}\n\\twice{{z}}"], "what": ["formulas"]}
