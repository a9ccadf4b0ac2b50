"""Runs of every form, recognised by content."""

import gzip
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from porism.errors import FormatError, PorismError
from porism.formats.runs import RunForm, read_run, run_form, score_text, write_run
from porism.model import DocId, Hit, Run, TopicId, ranked

TASK1 = "A.1\t19105\t1\t1\tRun_0\nA.1\t5042\t2\t0.5\tRun_0\nA.2\t7\t1\t0.25\tRun_0\n"
TASK2 = (
    "B.1\t241\t2342\t1\t1\tRun_0\nB.1\t1005\t8502\t2\t0.5\tRun_0\nB.2\t251\t2342\t1\t0.25\tRun_0\n"
)
TREC = "A.1 Q0 19105 1 1 Run_0\nA.1 Q0 5042 2 0.5 Run_0\nA.2 Q0 7 1 0.25 Run_0\n"
SCORES = "A.1\t19105\t1\nA.1\t5042\t0.5\nA.2\t7\t0.25\n"


def written(folder: Path, text: str | bytes, name: str = "mine.tsv") -> Path:
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def run(name: str, hits: dict[str, list[tuple[str, float]]]) -> Run:
    rankings = {
        TopicId(topic): ranked(Hit(DocId(doc_id), score) for doc_id, score in of_topic)
        for topic, of_topic in hits.items()
    }
    return Run(name, rankings)


FOUND = {"A.1": [("19105", 1.0), ("5042", 0.5)], "A.2": [("7", 0.25)]}


@pytest.mark.parametrize(
    ("text", "form", "name"),
    [
        (TASK1, RunForm.TASK1, "Run_0"),
        (TREC, RunForm.TREC, "Run_0"),
        (TREC.replace(" ", "\t"), RunForm.TREC, "Run_0"),
        (TREC.replace(" ", "\t", 3), RunForm.TREC, "Run_0"),
        (TREC.replace("Q0", "0"), RunForm.TREC, "Run_0"),
        (TREC.replace("Q0", "1"), RunForm.TREC, "Run_0"),
        (TREC.replace("Q0", "0", 1), RunForm.TREC, "Run_0"),
        (TREC.replace("Q0", "xxx"), RunForm.TREC, "Run_0"),
        (SCORES, RunForm.SCORES, "mine"),
        (TASK1.replace("\n", "\r\n"), RunForm.TASK1, "Run_0"),
        ("\ufeff\n" + TASK1, RunForm.TASK1, "Run_0"),
        (TASK1.rstrip("\n"), RunForm.TASK1, "Run_0"),
        (gzip.compress(SCORES.encode(), mtime=0), RunForm.SCORES, "mine"),
    ],
)
def test_every_form_is_recognised(
    tmp_path: Path, text: str | bytes, form: RunForm, name: str
) -> None:
    path = written(tmp_path, text)
    assert run_form(path) is form
    assert read_run(path) == read_run(path, form) == run(name, FOUND)


def test_formula_run_has_posts(tmp_path: Path) -> None:
    path = written(tmp_path, TASK2)
    assert run_form(path) is RunForm.TASK2
    assert read_run(path).rankings == {
        "B.1": (Hit(DocId("241"), 1.0, DocId("2342")), Hit(DocId("1005"), 0.5, DocId("8502"))),
        "B.2": (Hit(DocId("251"), 0.25, DocId("2342")),),
    }


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("B.1 1 20 1 0.5 x\nB.1 2 21 2 0.4 x\n", RunForm.TASK2),  # formula 1 is a formula
        ("B.1 1 20 1 0.5 x\nB.1 1 21 2 0.4 x\n", RunForm.TREC),
        ("B.1 0 20 1 0.5 x\nB.1 1 21 2 0.4 x\n", RunForm.TREC),
        ("B.1 77 20 1 0.5 x\n", RunForm.TASK2),
        ("B.1 1 20 1 0.5 x\nB.2 1 20 1 0.5 x\n", RunForm.TREC),
        ("B.1 q_1 20 1 0.5 x\nB.1 q_2 20 2 0.4 x\n", RunForm.TASK2),
        ("B.1 q_1 20 1 0.5 x\nB.2 q_1 20 2 0.4 x\n", RunForm.TREC),
    ],
)
def test_second_of_six_columns_decides(tmp_path: Path, text: str, form: RunForm) -> None:
    assert run_form(written(tmp_path, text)) is form


def test_given_form_decides_between_six_column_forms(tmp_path: Path) -> None:
    path = written(tmp_path, "B.1\t1\t20\t1\t0.5\tx\nB.2\t1\t20\t1\t0.5\tx\n")
    assert read_run(path).rankings[TopicId("B.1")] == (Hit(DocId("20"), 0.5),)
    formulas = read_run(path, RunForm.TASK2)
    assert formulas.rankings[TopicId("B.1")] == (Hit(DocId("1"), 0.5, DocId("20")),)


def test_post_with_a_name_is_read_if_the_form_is_given(tmp_path: Path) -> None:
    path = written(tmp_path, "B.1\t11\tnotes/a.md\t1\t0.5\tx\nB.1\t12\tnotes/a b.md\t2\t0.4\tx\n")
    with pytest.raises(FormatError, match="specify the form"):
        read_run(path)
    hits = read_run(path, RunForm.TASK2).rankings[TopicId("B.1")]
    assert [hit.post_id for hit in hits] == ["notes/a.md", "notes/a b.md"]


@pytest.mark.parametrize(
    ("text", "form", "why"),
    [
        (TASK1, RunForm.TREC, "found an ARQMath Task 1 run (topic, post, rank, score, run)"),
        (TASK2, RunForm.TREC, "found an ARQMath Task 2 run (topic, formula, post,"),
        (TREC, RunForm.TASK2, "found a TREC run (topic, Q0, document, rank, score, run)"),
        (TREC.replace("Q0", "1"), RunForm.TASK2, "found a TREC run"),
        (SCORES, RunForm.TASK1, "found a run of three columns (topic, document, score)"),
    ],
)
def test_unexpected_form_is_reported(tmp_path: Path, text: str, form: RunForm, why: str) -> None:
    with pytest.raises(FormatError) as caught:
        read_run(written(tmp_path, text), form)
    assert why in caught.value.why
    assert f"expected {form.description}" in caught.value.why


@pytest.mark.parametrize(
    ("text", "line", "why"),
    [
        (TASK1 + "A.2\tQ0\t8\t2\t0.1\tRun_0\n", 4, "a line of 6 columns in an ARQMath Task 1 run"),
        (TREC + "A.2 8 2 0.1 Run_0\n", 4, "a line of 5 columns in a TREC run"),
        (TREC + "A.2 8 9 2 0.1 Run_0\n", 4, "found '8' in the second column, where lines above"),
        (TASK2 + "B.2\tQ0\t8\t2\t0.1\tx\n", 4, "a line of a TREC run, with Q0 in the second"),
        (SCORES + "A.2\t8\t2\t0.1\tx\n", 4, "a line of 5 columns in a run of three columns"),
        (TASK1 + "A.1\t5042\t3\t0.1\tRun_0\n", 4, "document 5042 is here for the second time in"),
        (TASK2 + "B.1\t241\t5\t3\t0.1\tx\n", 4, "formula 241 is here for the second time in topic"),
        ("A.1\t7\t1\tnan\tx\n", 1, "found the score 'nan': expected a finite number"),
        ("A.1\t7\t1\t-inf\tx\n", 1, "found the score '-inf': expected a finite number"),
        ("A.1\t7\t1\t1e39\tx\n", 1, "found the score '1e39': expected a 32-bit number"),
        ("A.1\t7\t1\t1_0\tx\n", 1, "found the score '1_0': expected a finite number"),
        ("A.1\t7\tfirst\t1\tx\n", 1, "found the rank 'first': expected a number"),
        ("Query_Id\tPost_Id\tRank\tScore\tRun\n", 1, "a run has no header line"),
        ("A.1\t\t1\t0.5\tx\n", 1, "found an empty column"),
        (
            "A.1\t7\t1\n\nA.1\t8\t1\t0.5\n",
            3,
            "found a line of 4 columns, as in qrels: expected a run, of 3, 5",
        ),
        ("A.1 Q0 7 1 0.5 my run\n", 1, "found a line of 7 columns"),
        ("A.1\tan answer of some words\n", 1, "found a line of 2 columns"),
        ("\n", 1, "the file has no lines: expected a run"),
        (b"A.1\t7\t1\nA.1\t\xe9\t1\n", 2, "the byte 0xe9 at 4 of this line: expected UTF-8"),
    ],
)
def test_errors_are_reported_with_their_line(
    tmp_path: Path, text: str | bytes, line: int, why: str
) -> None:
    path = written(tmp_path, text)
    with pytest.raises(FormatError) as caught:
        read_run(path)
    assert (caught.value.path, caught.value.line) == (str(path), line)
    assert why in caught.value.why


def test_ranking_is_made_from_scores_not_from_ranks_or_lines(tmp_path: Path) -> None:
    path = written(
        tmp_path, "A.1\t5\t1\t0.1\tx\nA.2\t5\t1\t1\tx\nA.1\t9\t0\t0.1\tx\nA.1\t3\t9\t7\tx\n"
    )
    assert [hit.doc_id for hit in read_run(path).rankings[TopicId("A.1")]] == ["3", "9", "5"]


def test_document_id_with_a_blank_is_read(tmp_path: Path) -> None:
    path = written(tmp_path, "N-1 xxx A:1 1 0.5 x\nN-1 xxx Bravais lattice:1 2 0.4 x\n")
    hits = read_run(path).rankings[TopicId("N-1")]
    assert [hit.doc_id for hit in hits] == ["A:1", "Bravais lattice:1"]


@pytest.mark.parametrize(
    ("file", "name"),
    [("a.b.tsv.gz", "a.b"), ("a.run", "a"), ("a.b", "a.b"), ("a.txt", "a"), (".tsv", ".tsv")],
)
def test_run_without_name_is_named_after_its_file(tmp_path: Path, file: str, name: str) -> None:
    assert read_run(written(tmp_path, SCORES, file)).name == name


@pytest.mark.parametrize(
    ("form", "text"),
    [
        (RunForm.TASK1, "A.1\t7\t1\t0.1\tmine\nA.1\t6\t2\t-2.0\tmine\n"),
        (RunForm.TASK2, "A.1\t7\t70\t1\t0.1\tmine\nA.1\t6\t60\t2\t-2.0\tmine\n"),
        (RunForm.TREC, "A.1 Q0 7 1 0.1 mine\nA.1 Q0 6 2 -2.0 mine\n"),
        (RunForm.SCORES, "A.1\t7\t0.1\nA.1\t6\t-2.0\n"),
    ],
)
def test_runs_are_written_in_the_published_formats(
    tmp_path: Path, form: RunForm, text: str
) -> None:
    hits = (Hit(DocId("6"), -2.0, DocId("60")), Hit(DocId("7"), 0.1, DocId("70")))
    write_run(tmp_path / "mine.tsv", Run("mine", {TopicId("A.1"): hits}), form)
    assert (tmp_path / "mine.tsv").read_text() == text


@pytest.mark.parametrize(
    ("name", "hit", "form", "why"),
    [
        ("x", Hit(DocId("7"), float("nan")), RunForm.TASK1, "expected a finite number"),
        ("x", Hit(DocId("7"), float("inf")), RunForm.TASK1, "expected a finite number"),
        ("x", Hit(DocId("7"), 1e39), RunForm.TASK1, "expected a finite number"),
        ("x", Hit(DocId("7"), 1.0), RunForm.TASK2, "has no post"),
        ("x", Hit(DocId("Q0"), 1.0, DocId("7")), RunForm.TASK2, "look like a TREC run"),
        ("x", Hit(DocId("a b"), 1.0), RunForm.TREC, "at its blank"),
        ("a b", Hit(DocId("7"), 1.0), RunForm.TREC, "at its blank"),
        ("", Hit(DocId("7"), 1.0), RunForm.TASK1, "cannot be written to a column"),
        ("x", Hit(DocId("a\tb"), 1.0), RunForm.TASK1, "cannot be written to a column"),
        ("x", Hit(DocId("8"), 1.0), RunForm.TASK1, "repeats a document"),
    ],
)
def test_unreadable_output_is_rejected(
    tmp_path: Path, name: str, hit: Hit, form: RunForm, why: str
) -> None:
    path = written(tmp_path, "as it was")
    first = Hit(DocId("8"), 2.0, DocId("80"))
    with pytest.raises(PorismError, match=why):
        write_run(path, Run(name, {TopicId("A.1"): (first, hit)}), form)
    assert path.read_text() == "as it was"
    assert [*tmp_path.iterdir()] == [path]


def test_run_without_hits_is_rejected(tmp_path: Path) -> None:
    with pytest.raises(PorismError, match="has no hits"):
        write_run(tmp_path / "mine.tsv", Run("mine", {TopicId("A.1"): ()}), RunForm.TREC)


def ids(forbidden: str) -> st.SearchStrategy[str]:
    characters = st.characters(codec="utf-8", exclude_characters="\ufeff" + forbidden)
    return st.text(characters, min_size=1, max_size=6).filter(
        lambda text: text == text.strip() and text != "Q0"
    )


def runs(
    ids: st.SearchStrategy[str], posts: st.SearchStrategy[str | None]
) -> st.SearchStrategy[Run]:
    hits = st.lists(
        st.builds(
            Hit,
            ids.map(DocId),
            st.floats(width=32, allow_nan=False, allow_infinity=False),
            posts.map(lambda post: None if post is None else DocId(post)),
        ),
        min_size=1,
        max_size=4,
        unique_by=lambda hit: hit.doc_id,
    )
    return st.builds(
        Run, ids, st.dictionaries(ids.map(TopicId), hits.map(ranked), min_size=1, max_size=3)
    )


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(runs(ids("\t\r\n"), st.none()))
def test_task1_run_reads_back_equal(tmp_path: Path, run: Run) -> None:
    write_run(tmp_path / "mine.tsv", run, RunForm.TASK1)
    assert read_run(tmp_path / "mine.tsv") == run


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(runs(ids("\t\r\n"), ids("\t\r\n")))
def test_task2_run_reads_back_equal(tmp_path: Path, run: Run) -> None:
    write_run(tmp_path / "mine.tsv", run, RunForm.TASK2)
    assert read_run(tmp_path / "mine.tsv", RunForm.TASK2) == run


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(runs(ids("\t\r\n ").filter(lambda text: len(text.split()) == 1), st.none()))
def test_trec_run_reads_back_equal(tmp_path: Path, run: Run) -> None:
    write_run(tmp_path / "mine.gz", run, RunForm.TREC)
    assert read_run(tmp_path / "mine.gz") == run


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(runs(ids("\t\r\n"), st.none()))
def test_run_of_scores_reads_back_equal_except_for_its_name(tmp_path: Path, run: Run) -> None:
    write_run(tmp_path / "mine.tsv", run, RunForm.SCORES)
    assert read_run(tmp_path / "mine.tsv") == Run("mine", run.rankings)


@given(st.floats(width=32, allow_nan=False, allow_infinity=False))
def test_score_text_reads_back_as_the_same_number(score: float) -> None:
    (hit,) = ranked([Hit(DocId("a"), float(score_text(score)))])
    assert hit.score == score


@pytest.mark.parametrize(
    ("name", "form", "run_name", "topics", "lines"),
    [
        ("ntcir12/gcl_opt.gz", "trec", "Run_5_1", 20, 20_000),
        ("ntcir12/gcl_slt.gz", "trec", "Run_5_1", 20, 20_000),
        ("ntcir12/infograph_slt.gz", "trec", "Run_1", 20, 20_000),
        ("task1_2020/DPRL_task1_auto_both_A3.tsv.gz", "trec", "DPRL_Question_Matching", 77, 2_993),
        ("task1_2020/mirmu-scm-repo_ensemble-task1.tsv.gz", "task1", "Run_Ensemble_0", 98, 98_000),
        ("task1_2020/prim_Approach0.tsv.gz", "trec", "APPROACH0", 76, 3_044),
        ("task1_2020/tf.psu-task1-mlt.no_stopword.tsv.gz", "trec", "mlt_base", 98, 98_000),
        ("task1_2020/tf_idf_task1_final.tsv.gz", "task1", "TF_IDF", 98, 98_000),
        ("task2_2020/mirmu-scm-repo_ensemble-task2.tsv.gz", "task2", "Run_Ensemble_0", 85, 85_000),
        (
            "task2_2021/TangentS_let_tangent_2021.tsv.gz",
            "scores",
            "TangentS_let_tangent_2021",
            100,
            100_000,
        ),
    ],
)
def test_real_runs_are_read_completely(
    shared: Path, name: str, form: str, run_name: str, topics: int, lines: int
) -> None:
    path = shared / "data" / "runs" / name
    assert run_form(path) == form
    real = read_run(path)
    assert real.name == run_name
    assert len(real.rankings) == topics
    assert sum(map(len, real.rankings.values())) == lines


def test_every_other_real_run_of_task1_is_trec(shared: Path) -> None:
    folder = shared / "data" / "runs" / "task1_2020"
    others = [*folder.glob("*psu*"), *folder.glob("*Dowsers*")]
    assert len(others) >= 6
    for path in others:
        assert run_form(path) is RunForm.TREC
        assert len(read_run(path).rankings) in (77, 98)


def test_real_hits_have_the_content_of_the_file(shared: Path) -> None:
    folder = shared / "data" / "runs"
    answers = read_run(folder / "task1_2020" / "tf_idf_task1_final.tsv.gz")
    hits = [hit for ranking in answers.rankings.values() for hit in ranking]
    assert hits[0].doc_id == "1659379"
    assert hits[0].score == pytest.approx(10.850383474238424)
    assert hits[9].doc_id == "1835025"
    assert hits[9].score == pytest.approx(10.002996483339622)
    assert hits[-1].doc_id == "228461"
    assert hits[-1].score == pytest.approx(10.736282242868336)
    formulas = read_run(folder / "task2_2020" / "mirmu-scm-repo_ensemble-task2.tsv.gz")
    assert formulas.rankings[TopicId("B.1")][0].post_id == "1075828"


def test_real_document_id_with_a_blank_is_one_document(shared: Path) -> None:
    ranking = read_run(shared / "data" / "runs" / "ntcir12" / "gcl_slt.gz").rankings
    named = [hit.doc_id for hit in ranking[TopicId("NTCIR12-MathWiki-14")] if " " in hit.doc_id]
    assert named == ["Proofs_of_trigonometric_identities:143 Bravais_lattice:1"]


def test_real_answers_are_rejected_as_a_run_of_documents(shared: Path) -> None:
    for path in (shared / "data" / "runs" / "task3_2022").iterdir():
        with pytest.raises(FormatError, match="expected a run, of 3, 5 or 6 columns"):
            read_run(path)
