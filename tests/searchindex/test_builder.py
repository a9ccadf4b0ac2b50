"""Building an index from a collection, and updating it with the collection."""

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from porism.catalog import default_system_name, index_plan, ranker
from porism.collection.formulas.visual_groups import visual_formulas
from porism.collection.ingest.pipeline import IngestOptions as IngestOptions
from porism.collection.ingest.pipeline import ingest
from porism.collection.progress import StepProgress
from porism.collection.sample import sample_source, sample_topics
from porism.collection.store import open_collection
from porism.errors import PorismError
from porism.formats.topics import read_topics
from porism.inverted import Filter
from porism.model import Formula, PostKind, Ranking, Task, Topic, TopicId
from porism.searchindex.builder import IndexOptions, IndexReport, build_index, update_index
from porism.searchindex.index_folder import SearchIndex, open_index
from porism.searchindex.manifest import MANIFEST, read_manifest, write_manifest

NAMES = ("l8", "tangent-l", "tangent-l-holistic")


def ignore_progress(progress: StepProgress) -> None:
    """Ignore progress."""


def ingested(source: Path, folder: Path) -> Path:
    """The collection of a dump."""
    ingest(source, folder, IngestOptions(jobs=1))
    return folder


def indexed(collection: Path, folder: Path, jobs: int = 1) -> IndexReport:
    with open_collection(collection) as opened:
        return build_index(opened, folder, index_plan(NAMES), IndexOptions(jobs), ignore_progress)


def updated(collection: Path, folder: Path) -> IndexReport:
    with open_collection(collection) as opened:
        return update_index(opened, folder, IndexOptions(), ignore_progress)


def rankings(folder: Path) -> list[Ranking]:
    """What systems of both tasks find for the first topics of the sample."""
    with open_index(folder) as search_index:
        return [
            ranker(name, task, search_index).rank(topic, 1000)
            for task, name in (
                (Task.ANSWERS, "l8"),
                (Task.ANSWERS, "tangent-l-holistic"),
                (Task.FORMULAS, "l8"),
            )
            for topic in list(read_topics(sample_topics(task)))[:4]
        ]


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return ingested(sample_source(), tmp_path_factory.mktemp("indexing") / "sample")


@pytest.fixture(scope="module")
def search_index(sample: Path) -> SearchIndex:
    indexed(sample, sample.parent / "index")
    return open_index(sample.parent / "index")


def test_each_answer_and_each_visual_formula_is_a_document(
    sample: Path, search_index: SearchIndex
) -> None:
    with open_collection(sample) as collection:
        assert search_index.answers.documents == 194
        questions = list(collection.posts(PostKind.QUESTION))
        assert list(search_index.questions.doc_ids()) == [each.id for each in questions]
        assert search_index.formulas.documents == len(list(visual_formulas(collection)))


def test_parallel_equals_serial(sample: Path, search_index: SearchIndex, tmp_path: Path) -> None:
    indexed(sample, tmp_path / "parallel", jobs=2)
    assert rankings(tmp_path / "parallel") == rankings(search_index.folder)
    assert open_index(tmp_path / "parallel").fingerprint == search_index.fingerprint


def test_the_index_remembers_its_collection(sample: Path, search_index: SearchIndex) -> None:
    assert search_index.collection_path.resolve() == sample.resolve()
    assert search_index.collection.post("101").kind == "question"


def test_a_missing_collection_is_reported_when_it_is_needed(
    sample: Path, search_index: SearchIndex, tmp_path: Path
) -> None:
    shutil.copytree(search_index.folder, tmp_path / "elsewhere" / "index")
    moved = open_index(tmp_path / "elsewhere" / "index")
    assert moved.answers.documents == 194
    with pytest.raises(PorismError, match="say where it is with --collection"):
        _ = moved.collection
    assert open_index(moved.folder, sample).collection.post("101").kind == "question"


def test_labels_filter_answers_and_formulas(search_index: SearchIndex) -> None:
    topic = next(read_topics(sample_topics(1)))
    within = Filter((("tag:integration",),))
    hits = ranker("l8", Task.ANSWERS, search_index).rank(topic, 1000, within)
    assert hits
    assert {
        "integration" in search_index.collection.thread(hit.doc_id).question.tags for hit in hits
    } == {True}
    formulas = ranker("l8", Task.FORMULAS, search_index).rank(
        next(read_topics(sample_topics(2))), 1000, within
    )
    threads = (search_index.collection.thread(hit.post_id or "") for hit in formulas)
    assert {"integration" in thread.question.tags for thread in threads} == {True}


def test_missing_fields_of_a_system_are_reported(search_index: SearchIndex) -> None:
    with pytest.raises(PorismError, match=r"lacks what bm25 needs \(latex-strings\)"):
        ranker("bm25", Task.ANSWERS, search_index)


def test_a_task_that_a_system_does_not_do_is_refused(search_index: SearchIndex) -> None:
    with pytest.raises(PorismError, match="formula-base does not do Task 1; these do: tfidf"):
        ranker("formula-base", Task.ANSWERS, search_index)


def test_nothing_to_update(sample: Path, tmp_path: Path) -> None:
    indexed(sample, tmp_path / "index")
    report = updated(sample, tmp_path / "index")
    assert (report.written, report.deleted) == (0, 0)


def test_an_updated_index_equals_a_rebuilt_one(tmp_path: Path) -> None:
    source = tmp_path / "source"
    shutil.copytree(sample_source(), source, ignore=shutil.ignore_patterns("*.py", "__pycache__"))
    posts, comments = source / "Posts.xml", source / "Comments.xml"
    whole = posts.read_text("utf-8")
    first = [line for line in whole.splitlines(keepends=True) if 'Id="139"' not in line]
    posts.write_text("".join(first), "utf-8")
    collection = ingested(source, tmp_path / "collection")
    indexed(collection, tmp_path / "index")
    posts.write_text(whole.replace("coin tosses", "throws of a coin"), "utf-8")
    comments.write_text(comments.read_text("utf-8").replace("$", "$ $", 1), "utf-8")
    ingested(source, collection)
    report = updated(collection, tmp_path / "index")
    assert 0 < report.written < 200
    indexed(collection, tmp_path / "rebuilt")
    assert rankings(tmp_path / "index") == rankings(tmp_path / "rebuilt")
    assert updated(collection, tmp_path / "index").written == 0


HARMONIC = Formula("q", r"\sum_{n=1}^\infty \frac1n")


def filtered(folder: Path, within: Filter) -> tuple[set[str], set[str]]:
    """Which answers to a question, and which posts with formulas like its own, pass a filter."""
    topic = Topic(TopicId("1"), ("harmonic series ", HARMONIC), focus=HARMONIC)
    with open_index(folder) as search_index:
        answers = ranker("l8", Task.ANSWERS, search_index).rank(topic, 1000, within)
        formulas = ranker("l8", Task.FORMULAS, search_index).rank(topic, 1000, within)
    return {hit.doc_id for hit in answers}, {hit.post_id or "" for hit in formulas}


def changed(source: Path, *replacements: tuple[str, str]) -> None:
    """Change what the posts of a dump say."""
    text = (source / "Posts.xml").read_text("utf-8")
    for before, after in replacements:
        assert before in text
        text = text.replace(before, after)
    (source / "Posts.xml").write_text(text, "utf-8")


def test_changed_votes_and_acceptance_are_indexed(tmp_path: Path) -> None:
    source = tmp_path / "source"
    shutil.copytree(sample_source(), source, ignore=shutil.ignore_patterns("*.py", "__pycache__"))
    collection = ingested(source, tmp_path / "collection")
    index = tmp_path / "index"
    indexed(collection, index)
    popular, accepted = Filter((("votes:95",),)), Filter((("accepted",), ("year:2011",)))
    assert filtered(index, popular) == (set(), set())
    before = filtered(index, accepted)
    assert "102" in before[0] & before[1]
    assert "103" not in before[0] | before[1]
    changed(
        source,
        ('08:05:00.000" Score="9"', '08:05:00.000" Score="95"'),
        ('AcceptedAnswerId="102"', 'AcceptedAnswerId="103"'),
    )
    ingested(source, collection)
    report = updated(collection, index)
    assert 0 < report.written < 100
    assert filtered(index, popular) == ({"104"}, {"104"})
    after = filtered(index, accepted)
    assert "103" in after[0] & after[1]
    assert "102" not in after[0] | after[1]
    indexed(collection, tmp_path / "rebuilt")
    for within in (popular, accepted):
        assert filtered(index, within) == filtered(tmp_path / "rebuilt", within)
    assert updated(collection, index).written == 0


def test_an_index_with_other_labels_is_rebuilt_by_an_update(
    sample: Path, search_index: SearchIndex, tmp_path: Path
) -> None:
    indexed(sample, tmp_path / "index")
    manifest = read_manifest(tmp_path / "index")
    assert manifest.labels == ("acceptance", "kind", "tag", "title", "user", "votes", "year")
    write_manifest(tmp_path / "index", replace(manifest, labels=("kind", "tag", "year")))
    with open_index(tmp_path / "index") as old:
        assert old.manifest.labels == ("kind", "tag", "year")
    report = updated(sample, tmp_path / "index")
    assert (report.written, report.deleted) == (report.documents, 0)
    with open_index(tmp_path / "index") as new:
        assert new.manifest.generation == 2
        assert new.manifest.specs == search_index.manifest.specs
        assert "votes" in new.manifest.labels
    assert updated(sample, tmp_path / "index").written == 0


def test_removed_documents_are_deleted(tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "sums.md").write_text("# Sums\n\nThe sum $\\sum_n n^2$ is large.\n")
    (notes / "limits.md").write_text("# Limits\n\nThe limit $\\lim_n a_n$ exists.\n")
    collection = ingested(notes, tmp_path / "collection")
    indexed(collection, tmp_path / "index")
    (notes / "limits.md").unlink()
    ingested(notes, collection)
    report = updated(collection, tmp_path / "index")
    assert report.deleted >= 1
    with open_index(tmp_path / "index") as search_index:
        assert list(search_index.answers.doc_ids()) == ["notes/sums.md"]
        assert search_index.formulas.documents == 1


def test_a_rebuild_replaces_the_old_generation(sample: Path, tmp_path: Path) -> None:
    indexed(sample, tmp_path / "index")
    indexed(sample, tmp_path / "index")
    assert [path.name for path in tmp_path.glob("index/generation-*")] == ["generation-2"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"version": 99}', "an index of version 99, and this Porism reads version"),
        ("[]", "is damaged .*; make it again with porism index"),
        ("{", "is damaged"),
    ],
)
def test_another_version_is_refused(text: str, message: str, tmp_path: Path) -> None:
    (tmp_path / MANIFEST).write_text(text)
    with pytest.raises(PorismError, match=message):
        open_index(tmp_path)


def test_folders_without_an_index_are_refused(sample: Path, tmp_path: Path) -> None:
    with pytest.raises(PorismError, match="no index; make one"):
        open_index(tmp_path)
    with pytest.raises(PorismError, match="a collection, not an index"):
        open_index(sample)


def test_the_default_is_the_best_system_of_the_index(
    sample: Path, search_index: SearchIndex, tmp_path: Path
) -> None:
    assert (
        default_system_name(Task.ANSWERS, search_index)
        == default_system_name(Task.FORMULAS, search_index)
        == "l8"
    )
    with open_collection(sample) as opened:
        build_index(
            opened, tmp_path / "index", index_plan(["tangent-l"]), IndexOptions(), ignore_progress
        )
    with open_index(tmp_path / "index") as other:
        assert (
            default_system_name(Task.ANSWERS, other)
            == default_system_name(Task.FORMULAS, other)
            == "tangent-l"
        )


def test_the_number_of_segments_grows_with_the_logarithm_of_updates(tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    for number in range(4):
        (notes / f"{number}.md").write_text(f"# Sum {number}\n\nThe sum $\\sum_n n^{number}$.\n")
    collection = ingested(notes, tmp_path / "collection")
    indexed(collection, tmp_path / "index")
    counts = []
    for number in range(4, 9):
        (notes / f"{number}.md").write_text(f"# Sum {number}\n\nThe sum $\\sum_n n^{number}$.\n")
        ingested(notes, collection)
        updated(collection, tmp_path / "index")
        counts.append(len(list(tmp_path.glob("index/generation-1/answers/segment-*"))))
    assert counts == [2, 2, 3, 1, 2]
    with open_index(tmp_path / "index") as search_index:
        assert search_index.answers.documents == 9


def test_an_index_of_another_version_is_replaced(sample: Path, tmp_path: Path) -> None:
    indexed(sample, tmp_path / "index")
    (tmp_path / "index" / MANIFEST).write_text('{"version": 99}')
    indexed(sample, tmp_path / "index")
    with open_index(tmp_path / "index") as search_index:
        assert search_index.answers.documents == 194


def test_damaged_digests_are_reported(sample: Path, tmp_path: Path) -> None:
    indexed(sample, tmp_path / "index")
    (file,) = tmp_path.glob("index/generation-*/answers-*.digests")
    file.write_bytes(file.read_bytes()[:100])
    with pytest.raises(PorismError, match=r"is damaged .*; make it again"):
        updated(sample, tmp_path / "index")


def notes_index(tmp_path: Path) -> Path:
    """The index of three notes for our own system, beside their collection and their folder."""
    (tmp_path / "notes").mkdir()
    for number in range(3):
        text = f"# Sum {number}\n\nThe sum $\\sum_n n^{number}$ is large.\n"
        (tmp_path / "notes" / f"{number}.md").write_text(text)
    with open_collection(ingested(tmp_path / "notes", tmp_path / "collection")) as opened:
        build_index(
            opened, tmp_path / "index", index_plan(["porism"]), IndexOptions(), ignore_progress
        )
    return tmp_path / "index"


SUM = Formula("q", r"\sum_n n^2")


def test_an_open_index_is_unchanged_by_a_rebuild(tmp_path: Path) -> None:
    question = Topic(TopicId("1"), ("large sum ", SUM))
    with open_index(notes_index(tmp_path)) as search_index:
        system = ranker("porism", Task.ANSWERS, search_index)
        with open_collection(tmp_path / "collection") as opened:
            build_index(
                opened, tmp_path / "index", index_plan(["porism"]), IndexOptions(), ignore_progress
            )
        before = system.rank(question, 10)
    with open_index(tmp_path / "index") as search_index:
        assert ranker("porism", Task.ANSWERS, search_index).rank(question, 10) == before
    assert len(before) == 3


def test_posts_that_are_not_in_the_collection_are_left_out(tmp_path: Path) -> None:
    index = notes_index(tmp_path)
    (tmp_path / "notes" / "2.md").unlink()
    ingested(tmp_path / "notes", tmp_path / "collection")
    topic = Topic(TopicId("1"), ("large sum ", SUM), focus=SUM)
    with open_index(index) as search_index:
        posts = [
            hit.post_id for hit in ranker("porism", Task.FORMULAS, search_index).rank(topic, 10)
        ]
    assert sorted(map(str, posts)) == ["notes/0.md", "notes/1.md"]


def test_a_filter_of_no_documents_has_no_results(tmp_path: Path) -> None:
    topic = Topic(TopicId("1"), ("large sum ", SUM), focus=SUM)
    with open_index(notes_index(tmp_path)) as search_index:
        for task in (Task.ANSWERS, Task.FORMULAS):
            none = Filter(documents=frozenset())
            assert ranker("porism", task, search_index).rank(topic, 10, none) == ()
