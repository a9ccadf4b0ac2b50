"""``porism pool`` and ``porism analyse pool``."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from porism.assess.pools.pool_folder import read_pool, write_pool
from porism.assess.records import Pool
from porism.cli.main import porism
from porism.cli.pools.pool_text import size_line
from porism.collection.sample import sample_duplicates, sample_topics
from porism.model import DocId, Topic, TopicId

# Topics A.1 and A.2; a letter is a document, from the best rank on.
FOUND = {"one": ("abc", "xy"), "two": ("cbd", "xz"), "three": ("e", "")}
RUNS = """\
file\tteam\tkind\tmode
one.tsv\tX\tprimary\tautomatic
two.tsv\tY\talternate\tautomatic
three.tsv\tX\talternate\tmanual
"""
FORMULAS = {"f1": "v", "f2": "v", "f3": "w", "f4": "u"}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working folder of the commands, with their files."""
    monkeypatch.chdir(tmp_path)
    for name, rankings in FOUND.items():
        lines = [
            f"A.{topic}\t{document}\t{rank}\t{10 - rank}\t{name}\n"
            for topic, ranking in enumerate(rankings, start=1)
            for rank, document in enumerate(ranking, start=1)
        ]
        Path(f"{name}.tsv").write_text("".join(lines), encoding="utf-8")
    Path("runs.tsv").write_text(RUNS, encoding="utf-8")
    rows = [
        f"B.1\t{formula}\t{post}\t{rank}\t{10 - rank}\tf\n"
        for rank, (formula, post) in enumerate(
            [("f1", "1"), ("f2", "2"), ("f3", "3"), ("f4", "4")], start=1
        )
    ]
    Path("formulas.tsv").write_text("".join(rows), encoding="utf-8")
    Path("formula-runs.tsv").write_text(
        "file\tteam\tkind\tmode\nformulas.tsv\tX\tprimary\tautomatic\n", encoding="utf-8"
    )
    visual_ids = "".join(f"{formula}\t{visual_id}\n" for formula, visual_id in FORMULAS.items())
    Path("visual_ids.tsv").write_text(visual_ids, encoding="utf-8")
    return tmp_path


def invoked(*arguments: str) -> Result:
    return CliRunner().invoke(porism, arguments)


def done(*arguments: str) -> str:
    result = invoked(*arguments)
    assert result.exit_code == 0, result.stderr
    return result.stdout


def documents(pool: str = "pool") -> dict[str, set[str]]:
    read = read_pool(Path(pool))
    return {
        topic.id: {each.doc_id for each in read.candidates if each.topic_id == topic.id}
        for topic in read.topics
    }


TASK1 = ("pool", "--task", "1", "--runs", "runs.tsv")
DEPTHS = ("--depths", "primary=2,alternate=1,manual=5")
TASK2 = ("pool", "--task", "2", "--runs", "formula-runs.tsv", "--visual-ids", "visual_ids.tsv")

PRINTED = """\
pool: 6 candidates for 2 topics, 3.0 per topic (2 to 4)

What each run contributed, in candidates
run    team  kind       mode       depth  contributed  alone  of team alone
one    X     primary    automatic      2            4      3              3
three  X     alternate  manual         5            1      1              1
two    Y     alternate  automatic      1            2      1              1
"""


class TestAnswers:
    def test_depths_by_kind_and_printed_contributions(self) -> None:
        result = invoked(*TASK1, *DEPTHS, "-o", "pool")
        assert (result.exit_code, result.stdout) == (0, PRINTED)
        assert result.stderr == "Note: three has nothing for A.2\n"
        assert documents() == {"A.1": {"a", "b", "c", "e"}, "A.2": {"x", "y"}}

    def test_specified_depths_override_a_preset(self) -> None:
        done(*TASK1, "--preset", "2020", "--depths", "primary=1", "-o", "pool")
        pool = read_pool(Path("pool"))
        assert {run.name: run.depth for run in pool.runs} == {"one": 1, "two": 20, "three": 50}
        assert pool.settings["depths"] == "primary=1,alternate=20,manual=50,baseline=50"
        assert pool.settings["preset"] == "2020"

    def test_the_same_pool_may_be_drawn_again_but_not_with_another_seed(self) -> None:
        arguments = (*TASK1, *DEPTHS, "-o", "pool")
        assert done(*arguments) == done(*arguments)
        result = invoked(*arguments, "--seed", "1")
        assert result.exit_code == 1
        assert "is another pool" in result.stderr

    def test_json(self) -> None:
        record = json.loads(done(*TASK1, *DEPTHS, "-o", "pool", "--json"))
        assert record["topics"] == {"A.1": 4, "A.2": 2}
        assert (record["candidates"], record["mean"]) == (6, 3.0)
        assert record["runs"][0] | {"alone": 3, "contributed": 4} == record["runs"][0]
        assert record["notes"] == ["three has nothing for A.2"]

    def test_topics_of_a_file(self) -> None:
        result = invoked(*TASK1, *DEPTHS, "--topics", str(sample_topics(1)), "-o", "pool")
        assert result.exit_code == 0
        pool = read_pool(Path("pool"))
        assert len(pool.topics) == 12
        assert pool.topics[0].body
        assert "no run contributed to A.3, A.4, A.5 and 7 more" in result.stderr

    def test_answers_of_duplicates_are_added(self, sample_index: Path) -> None:
        result = invoked(
            *TASK1,
            *DEPTHS,
            "--collection",
            str(sample_index.parent),
            "--duplicates",
            str(sample_duplicates()),
            "-o",
            "pool",
        )
        assert result.exit_code == 0
        assert documents()["A.1"] == {"a", "b", "c", "e", "138", "139", "140"}
        assert "answers that no run contributed, added from duplicates: " in result.stderr
        assert "6 candidates not in the collection, such as" in result.stderr
        checked = invoked("analyse", "pool", "pool", "--collection", str(sample_index.parent))
        assert checked.exit_code == 1
        assert "its posts are the same as when the pool was drawn" in checked.stdout
        assert "Not in the collection" in checked.stdout

    def test_short_answers_are_mixed_in(self) -> None:
        Path("short.tsv").write_text('A.1\t1\t1.0\tgpt\t-\t"42"\n', encoding="utf-8")
        rows = [line.split("\t") for line in RUNS.splitlines()]
        listed = [["task", *rows[0]], *(["1", *row] for row in rows[1:])]
        listed.append(["3", "short.tsv", "Z", "primary", "automatic"])
        Path("mixed.tsv").write_text("".join("\t".join(row) + "\n" for row in listed))
        Path("ids.tsv").write_text("short\tA.1\td_7\n", encoding="utf-8")
        arguments = ("pool", "--task", "3", "--runs", "mixed.tsv", *DEPTHS, "--answers", "ids.tsv")
        done(*arguments, "-o", "pool")
        assert documents()["A.1"] == {"a", "b", "c", "e", "d_7"}
        assert {each.text for each in read_pool(Path("pool")).candidates} == {"", "42"}

    def test_topics_with_short_answers_only_are_not_empty(self) -> None:
        Path("short.tsv").write_text('A.2\t1\t1.0\tgpt\t-\t"42"\n', encoding="utf-8")
        Path("mixed.tsv").write_text(
            "task\tfile\tteam\tkind\tmode\n1\tthree.tsv\tX\tprimary\tmanual\n"
            "3\tshort.tsv\tZ\tprimary\tautomatic\n"
        )
        topics = ("--topics", str(sample_topics(1)))
        result = invoked(
            *("pool", "--task", "3", "--runs", "mixed.tsv", *DEPTHS, *topics, "-o", "pool")
        )
        assert "no run contributed to A.3, A.4, A.5 and 7 more" in result.stderr
        assert "no run contributed to A.2" not in result.stderr

    def test_posts_are_left_out_before_depths_are_counted(self) -> None:
        Path("gone.tsv").write_text("topic\tpost\nA.1\ta\nA.1\te\n", encoding="utf-8")
        done(*TASK1, *DEPTHS, "--leave-out", "gone.tsv", "-o", "pool")
        assert documents() == {"A.1": {"b", "c"}, "A.2": {"x", "y"}}
        ranks = {
            each.doc_id: {place.run: place.rank for place in each.contributions}
            for each in read_pool(Path("pool")).candidates
        }
        assert (ranks[DocId("b")], ranks[DocId("c")]) == ({"one": 1}, {"one": 2, "two": 1})
        assert read_pool(Path("pool")).settings["leave_out"] == "gone.tsv"


class TestFormulas:
    def test_posts_of_the_question_are_left_out(self) -> None:
        Path("gone.tsv").write_text("topic\tpost\nA.1\t1\nA.1\t2\n", encoding="utf-8")
        done(*TASK2, "--depths", "primary=1", "--leave-out", "gone.tsv", "-o", "pool")
        assert documents() == {"B.1": {"f3"}}

    def test_formulas_without_a_known_post_are_kept(self) -> None:
        Path("formulas.tsv").write_text("B.1\tf1\t2\nB.1\tf3\t1\n", encoding="utf-8")
        Path("gone.tsv").write_text("topic\tpost\nB.1\tf1\n", encoding="utf-8")
        result = invoked(*TASK2, "--depths", "primary=2", "--leave-out", "gone.tsv", "-o", "pool")
        assert documents() == {"B.1": {"f1", "f3"}}  # f1 is not a post
        assert "candidates in unknown posts: 2;" in result.stderr

    def test_a_collection_has_posts_of_formulas_and_questions_of_topics(
        self, sample_index: Path
    ) -> None:
        ids = ["1000000013700000", "1000000013800004", "1000000013800001"]
        rows = [f"B.1\t{each}\t1\t{rank}\t{9 - rank}\tf\n" for rank, each in enumerate(ids, 1)]
        Path("formulas.tsv").write_text("".join(rows), encoding="utf-8")
        Path("own.tsv").write_text("topic\tpost\nA.1\t137\n", encoding="utf-8")
        arguments = (
            *("pool", "--task", "2", "--runs", "formula-runs.tsv", "--depths", "primary=9"),
            *("--collection", str(sample_index.parent)),
        )
        done(*arguments, "--threads", "own.tsv", "--leave-out", "own.tsv", "-o", "pool")
        pool = read_pool(Path("pool"))
        assert pool.questions == {"B.1": "137"}
        assert {each.doc_id for each in pool.candidates} == set(ids[1:])  # whatever the run has
        Path("own.tsv").write_text("topic\tpost\nA.1\t999999\n", encoding="utf-8")
        result = invoked(*arguments, "--threads", "own.tsv", "-o", "other")
        assert "the collection lacks the questions of B.1\n" in result.stderr

    def test_depth_counts_visual_ids(self) -> None:
        printed = done(*TASK2, "--depths", "primary=2", "-o", "pool")
        assert documents() == {"B.1": {"f1", "f2", "f3"}}
        assert printed.startswith(
            "pool: 3 candidates for 1 topic, 3.0 per topic (3 to 3); 2 visually distinct"
        )

    def test_instances_are_limited(self) -> None:
        done(*TASK2, "--depths", "primary=9", "--instances", "1", "-o", "pool")
        assert documents()["B.1"] in ({"f1", "f3", "f4"}, {"f2", "f3", "f4"})
        done(*TASK2, "--preset", "2021", "--instances", "1", "-o", "by-rank")
        assert documents("by-rank") == {"B.1": {"f1", "f3", "f4"}}
        assert read_pool(Path("by-rank")).settings["policy"] == "reciprocal-ranks"

    def test_formulas_in_posts_relevant_for_task_1(self) -> None:
        Path("qrels").write_text("A.1 0 4 2\nA.1 0 3 1\n", encoding="utf-8")
        arguments = (*TASK2, "--depths", "primary=1", "--task1-qrels", "qrels")
        done(*arguments, "-o", "pool")
        assert documents() == {"B.1": {"f1", "f4"}}
        done(*arguments, "--relevant", "1", "-o", "more")
        assert documents("more") == {"B.1": {"f1", "f3", "f4"}}

    def test_visual_ids_and_threads_of_a_collection(self, sample_index: Path) -> None:
        ids = ["1000000013700000", "1000000013800004", "1000000013800001"]
        rows = [f"B.1\t{each}\t1\t{rank}\t{9 - rank}\tf\n" for rank, each in enumerate(ids, 1)]
        Path("formulas.tsv").write_text("".join(rows), encoding="utf-8")
        done(
            *("pool", "--task", "2", "--runs", "formula-runs.tsv", "--depths", "primary=9"),
            *("--collection", str(sample_index.parent), "--instances", "5", "--policy", "threads"),
            *("-o", "pool"),
        )
        pool_posts = {each.doc_id: each.post_id for each in read_pool(Path("pool")).candidates}
        assert pool_posts[DocId(ids[0])] == "137"  # not the post in the run
        assert read_pool(Path("pool")).collection
        Path("visual_ids.tsv").write_text("".join(f"{each}\tv\n" for each in ids), encoding="utf-8")
        done(
            *TASK2, "--depths", "primary=9", "--collection", str(sample_index.parent), "-o", "both"
        )
        both = {each.doc_id: each for each in read_pool(Path("both")).candidates}
        assert {each.visual_id for each in both.values()} == {"v"}
        assert both[DocId(ids[0])].post_id == "137"
        assert (
            invoked("analyse", "pool", "pool", "--collection", str(sample_index.parent)).exit_code
            == 0
        )


class TestMisuse:
    @pytest.mark.parametrize(
        ("arguments", "why"),
        [
            ((*TASK1, "--policy", "runs"), "--policy: not available for --task 1"),
            ((*TASK1, "--answers", "x"), "--answers: not available for --task 1"),
            ((*TASK2, "--duplicates", "x"), "--duplicates: not available for --task 2"),
            ((*TASK2, "--threads", "x"), "need a --collection"),
            (TASK2[:5], "--visual-ids or --collection"),
            ((*TASK2, "--policy", "threads"), "needs a --collection"),
            ((*TASK1, "--duplicates", "x"), "need a --collection"),
            ((*TASK2, "--depths", "primary=1", "--policy", "runs"), "--policy needs --instances"),
        ],
    )
    def test_unusable_options_are_usage_errors(self, arguments: tuple[str, ...], why: str) -> None:
        result = invoked(*arguments, "-o", "pool")
        assert result.exit_code == 2
        assert why in result.stderr
        assert not Path("pool").exists()

    @pytest.mark.parametrize(
        ("arguments", "why"),
        [
            (TASK1, "no depth is given for primary runs"),
            ((*TASK1, "--depths", "x=1"), "among the depths"),
            ((*TASK1, "--depths", "primary=0,alternate=0"), "contribute nothing"),
            (("pool", "--task", "1", "--runs", "absent.tsv"), "absent.tsv"),
            (("pool", "--task", "1", "--runs", "formula-runs.tsv"), "found an ARQMath Task 2 run"),
            ((*TASK2[:3], "--runs", "runs.tsv", *TASK2[5:]), "found an ARQMath Task 1 run"),
            ((*TASK2[:-1], "ids.tsv", "--preset", "2020"), "has no visual id for any"),
            ((*TASK2, "--preset", "2020", "--task1-qrels", "qrels"), "no relevant post for any"),
            (("pool", "--task", "2", "--runs", "only1.tsv", *TASK2[5:]), "has no run of Task 2"),
            (
                (*TASK1, "--depths", "primary=1,alternate=0", "--leave-out", "all.tsv"),
                "contribute nothing: are all depths 0, or does all.tsv leave out everything?",
            ),
            ((*TASK1, *DEPTHS, "--leave-out", "others.tsv"), "others.tsv has posts of C.1"),
            (
                (*TASK2[:-1], "v1.tsv", "--preset", "2020"),
                "expected its formula files, or two columns",
            ),
        ],
    )
    def test_errors_of_drawing(self, arguments: tuple[str, ...], why: str) -> None:
        Path("ids.tsv").write_text("g1\tv\n", encoding="utf-8")
        Path("v1.tsv").write_text("1\t[V!f]\tNone\n2\tNone\tf(x)\n", encoding="utf-8")
        Path("others.tsv").write_text("topic\tpost\nC.1\ta\n", encoding="utf-8")
        Path("qrels").write_text("A.1 0 4 0\n", encoding="utf-8")
        everything = "".join(f"{topic}\t{post}\n" for topic in ("A.1", "A.2") for post in "abcdxyz")
        Path("all.tsv").write_text(f"topic\tpost\n{everything}", encoding="utf-8")
        Path("only1.tsv").write_text(
            "task\tfile\tteam\tkind\tmode\n1\tone.tsv\tX\tprimary\tautomatic\n", encoding="utf-8"
        )
        result = invoked(*arguments, "-o", "pool")
        assert result.exit_code == 1, result.output
        assert why in result.stderr
        assert not Path("pool").exists()


ANALYSED = """\
pool: 6 candidates for 2 topics, 3.0 per topic (2 to 4)

What each run contributed, in candidates
run    team  kind       mode       depth  contributed  alone  of team alone  relevant  rel. alone  \
rel. of team alone
one    X     primary    automatic      2            4      3              3         1           1  \
                 1
three  X     alternate  manual         5            1      1              1         0           0  \
                 0
two    Y     alternate  automatic      1            2      1              1         1           1  \
                 1

Judged: 3 of 4 candidates of 1 topic (75.00%)

Not judged
topic  document  from (rank)
A.1    e         three (1)

Scores, and scores without the judgments that only the team contributed
run    team  judgments    P'@1  P'@1 without
one    X             2  1.0000        1.0000
two    Y             1  1.0000        0.0000
three  X             2  0.0000        0.0000
"""


class TestAnalysis:
    @pytest.fixture(autouse=True)
    def drawn(self, folder: Path) -> None:
        done(*TASK1, *DEPTHS, "-o", "pool")
        (folder / "qrels").write_text("A.1 0 a 3\nA.1 0 b 0\nA.1 0 c 2\n", encoding="utf-8")

    def test_judgments_and_scores_without_a_team(self) -> None:
        measured = ("--runs", "runs.tsv", "--measures", "P'@1")
        assert done("analyse", "pool", "pool", "--qrels", "qrels", *measured) == ANALYSED

    def test_json(self) -> None:
        arguments = ("analyse", "pool", "pool", "--qrels", "qrels", "--runs", "runs.tsv", "--json")
        record = json.loads(done(*arguments))
        assert record["judged"]["share"] == 0.75
        assert record["judged"]["unjudged"] == [
            {"topic": "A.1", "document": "e", "contributions": {"three": 1}}
        ]
        assert record["alone"]["two"] == [
            {"topic": "A.1", "document": "c", "contributions": {"two": 1}}
        ]
        assert record["without_team"][1]["judgments_lost"] == 1

    def test_without_judgments_the_output_equals_that_of_drawing(self) -> None:
        assert done("analyse", "pool", "pool") == PRINTED

    def test_a_pool_without_candidates_is_refused(self) -> None:
        write_pool(Path("empty"), Pool(1, (Topic(TopicId("A.1")),), ()))
        result = invoked("analyse", "pool", "empty")
        assert result.exit_code == 1
        assert "empty is a pool without candidates" in result.stderr

    @pytest.mark.parametrize(
        ("arguments", "status", "why"),
        [
            (("pool", "--runs", "runs.tsv"), 2, "need --runs and --qrels"),
            (("pool", "--qrels", "qrels", "--measures", "P@1"), 2, "need --runs and --qrels"),
            (("nothing",), 1, "is not a pool"),
            (("pool", "--qrels", "others"), 1, "judges none of the topics"),
            (("pool", "--qrels", "qrels", "--runs", "formula-runs.tsv"), 1, "has no ranking"),
        ],
    )
    def test_misuse(self, arguments: tuple[str, ...], status: int, why: str) -> None:
        Path("others").write_text("A.9 0 a 3\n", encoding="utf-8")
        result = invoked("analyse", "pool", *arguments)
        assert result.exit_code == status
        assert why in result.stderr


def test_a_pool_without_topics_has_a_size() -> None:
    assert size_line(Pool(2, (), ())) == "0 candidates for 0 topics"


def test_the_visual_id_list_of_2020_is_refused(shared: Path) -> None:
    visual_ids = shared / "data" / "qrels" / "task2_2020_visual_id_v1_file.tsv.gz"
    result = invoked(*TASK2[:-1], str(visual_ids), "--preset", "2020", "-o", "pool")
    assert result.exit_code == 1
    assert "visual ids with layout trees and LaTeX" in result.stderr


def test_coverage_of_2020_is_reproduced(shared: Path) -> None:
    runs = shared / "data" / "runs" / "task1_2020"
    Path("real.tsv").write_text(
        "name\tfile\tteam\tkind\tmode\n"
        f"TF-IDF\t{runs}/tf_idf_task1_final.tsv.gz\tBaselines\tbaseline\tautomatic\n"
        f"PSU1\t{runs}/psu-task1-auto-both-A.tsv.gz\tPSU\talternate\tautomatic\n",
        encoding="utf-8",
    )
    done("pool", "--task", "1", "--runs", "real.tsv", "--preset", "2020", "-o", "real")
    qrels = shared / "data" / "qrels" / "qrel_task1_2020_official.tsv"
    printed = done("analyse", "pool", "real", "--qrels", str(qrels))
    assert "Judged: 5,206 of 5,217 candidates of 77 topics (99.79%)" in printed
