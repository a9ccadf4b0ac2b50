"""Runs of Task 3."""

import csv
import gzip
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from porism.errors import FormatError
from porism.formats.answer_runs import is_answer_run, read_answer_run
from porism.model import AnswerRun, RunAnswer, TopicId

IDS = st.text(
    st.characters(codec="utf-8", exclude_characters="\t\r\n\ufeff"), min_size=1, max_size=6
).filter(lambda text: text == text.strip())
TEXTS = st.text(st.characters(codec="utf-8")) | st.text('"\t\r\n, a', max_size=8)
RUNS = st.builds(
    AnswerRun,
    IDS,
    st.dictionaries(
        IDS.filter(lambda text: not text.lower().startswith(("topic", "query"))).map(TopicId),
        st.builds(
            RunAnswer,
            TEXTS,
            st.floats(allow_nan=False, allow_infinity=False),
            st.integers(0, 1000),
            TEXTS,
        ),
        min_size=1,
        max_size=4,
    ),
)


def written(folder: Path, text: str | bytes) -> Path:
    path = folder / "mine.tsv"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


@pytest.mark.parametrize(
    "text",
    [
        'A.301\t1\t0.5\tmine\t7, 8\t"It is ""so"",\nas $x<y$."\n',
        'A.301\t1\t0.5\tmine\t7, 8\t"It is ""so"",\nas $x<y$."',
        'topic\trank\tscore\trun\tsources\tanswer\nA.301\t1\t0.5\tmine\t7, 8\t"It is ""so"",\n'
        'as $x<y$."\n',
        gzip.compress(b'A.301\t1\t0.5\tmine\t7, 8\t"It is ""so"",\nas $x<y$."\n', mtime=0),
    ],
)
def test_six_columns_are_read(tmp_path: Path, text: str | bytes) -> None:
    answer = RunAnswer('It is "so",\nas $x<y$.', 0.5, 1, "7, 8")
    expected = AnswerRun("mine", {TopicId("A.301"): answer})
    assert read_answer_run(written(tmp_path, text)) == expected


@pytest.mark.parametrize(
    "text",
    [
        'A.301\t One, two.\nA.302\t"Say ""x""."\n',
        'A.301\t One, two.\r\n\r\nA.302\t"Say ""x""."\r\n',
        'Column1,Column2\nA.301," One, two."\nA.302,"Say ""x""."\n',
    ],
)
def test_run_of_two_columns_is_named_after_its_file(tmp_path: Path, text: str) -> None:
    run = read_answer_run(written(tmp_path, text))
    assert run.name == "mine"
    assert run.answers == {"A.301": RunAnswer(" One, two."), "A.302": RunAnswer('Say "x".')}


@pytest.mark.parametrize(
    ("text", "line", "why"),
    [
        ("A.1\tx\nA.1\ty\n", 2, "found a second answer to topic A.1"),
        ("\tx\n", 1, "found an answer to no topic"),
        ("A.1\tx\nA.2\t1\t0.5\tmine\t7\ty\n", 2, "found a line of 6 columns, after lines of 2"),
        ("A.1\tQ0\t7\t1\t0.5\n", 1, "found a line of 5 columns: expected an ARQMath Task 3 run"),
        ("A.1\tfirst\t0.5\tmine\t7\tx\n", 1, "found a rank or a score that is not a number"),
        ("A.1\t1\tnan\tmine\t7\tx\n", 1, "found a rank or a score that is not a number"),
        ('A.1\tx\nA.2\t"y\n', 2, "a row that cannot be split into cells"),
        ('A.1\t"Yes" it is\n', 1, "expected cells with a quotation mark to be quoted"),
        ("topic\tanswer\n", 1, "the file has no answers"),
        ("", 1, "the file has no answers"),
        (b"A.1\tx\nA.2\tB\xe9zout\n", 2, "the byte 0xe9 at 5 of this line: expected UTF-8"),
    ],
)
def test_errors_are_reported_with_their_line(
    tmp_path: Path, text: str | bytes, line: int, why: str
) -> None:
    path = written(tmp_path, text)
    with pytest.raises(FormatError) as caught:
        read_answer_run(path)
    assert (caught.value.path, caught.value.line) == (str(path), line)
    assert why in caught.value.why


def test_long_answer_is_read(tmp_path: Path) -> None:
    long = "x" * 200_000
    run = read_answer_run(written(tmp_path, f"A.1\t{long}\n"))
    assert run.answers == {"A.1": RunAnswer(long)}


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ('A.1\t1\t1.0\trun\t12,13\t"The answer"', True),
        ('A.1\t1\t1.0\trun\t\t"An answer\nof two lines"', True),
        ("A.1\tThe answer, in two columns", True),
        ("A.1,The answer", True),
        ("topic,answer", True),
        ("A.1\t12\t1\t1.0\trun", False),
        ("A.1 Q0 12 1 1.0 run", False),
        ("B.1\tq_7\t12\t1\t1.0\trun", False),
        ("A.1\t12\t1.0", False),
        ("", False),
    ],
)
def test_runs_of_answers_are_told_from_rankings(tmp_path: Path, line: str, expected: bool) -> None:
    path = tmp_path / "run.tsv"
    path.write_text(f"{line}\n" if line else "", encoding="utf-8")
    assert is_answer_run(path) is expected


def test_named_encoding_is_read(tmp_path: Path) -> None:
    path = written(tmp_path, b"A.2\tB\xe9zout\n")
    assert read_answer_run(path, "cp1252").answers == {"A.2": RunAnswer("Bézout")}


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(RUNS)
def test_answer_run_reads_back_equal(tmp_path: Path, run: AnswerRun) -> None:
    path = tmp_path / "mine.tsv"
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, "excel-tab").writerows(
            (topic, each.rank, each.score, run.name, each.sources, each.text)
            for topic, each in run.answers.items()
        )
    assert read_answer_run(path) == run


REAL = "topics.arqmath-2022-{}-generated-answers.csv.gz"


@pytest.mark.parametrize(
    ("system", "encoding", "answers", "last"),
    [
        ("MAmmoTH-Coder-7b", "utf-8", 80, "A.400"),
        ("Mistral-7B-Instruct", "utf-8", 80, "A.400"),
        ("gpt4", "utf-8", 78, "A.399"),
        ("llemma-7b", "utf-8", 80, "A.400"),
        ("tora-code-13b", "utf-8", 78, "A.399"),
        ("tora-code-7b", "cp1252", 79, "A.400"),
    ],
)
def test_real_answers_are_read_completely(
    shared: Path, system: str, encoding: str, answers: int, last: str
) -> None:
    path = shared / "data" / "runs" / "task3_2022" / REAL.format(system)
    run = read_answer_run(path, encoding)
    assert run.name == REAL.format(system).removesuffix(".csv.gz")
    assert len(run.answers) == answers
    assert next(iter(run.answers)) == "A.301"
    assert [*run.answers][-1] == last


def test_real_answers_have_the_content_of_the_file(shared: Path) -> None:
    folder = shared / "data" / "runs" / "task3_2022"
    texts = [
        answer.text for answer in read_answer_run(folder / REAL.format("gpt4")).answers.values()
    ]
    assert texts[0].startswith(r"To prove: $\|A\|_2 \leq \sqrt{\|A\|_1 \|A\|_{\infty}}$")
    assert texts[-1].endswith("gned rectangles is countable. ")
    named = read_answer_run(folder / REAL.format("tora-code-7b"), "cp1252").answers
    assert any("Bézout's lemma" in answer.text for answer in named.values())


def test_real_table_of_scores_is_rejected(shared: Path) -> None:
    (path,) = (shared / "data" / "runs" / "task3_2022").glob("run_stats*")
    with pytest.raises(FormatError, match="found a line of 7 columns"):
        read_answer_run(path)
