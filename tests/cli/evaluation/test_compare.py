"""``porism compare``."""

import json
import math
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from porism.cli.main import porism

# In four topics g is good and x is not; P@1 sees the first only.
QRELS = "".join(f"A.{topic} 0 g 3\nA.{topic} 0 h 2\nA.{topic} 0 x 0\n" for topic in range(1, 5))
FOUND = {
    "weak": ("gx", "xg", "xg", "xg"),  # P@1 is 1 in the first topic alone
    "good": ("gh", "gx", "gx", "gx"),  # P@1 is 1 everywhere
    "same": ("gx", "xg", "xg", "xg"),
    "other": ("xu", "gv", "xw", "xg"),  # P@1 is 1 in the second topic alone
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of the files, which is the working directory."""
    monkeypatch.chdir(tmp_path)
    Path("qrels").write_text(QRELS, encoding="utf-8")
    for name, rankings in FOUND.items():
        lines = [
            f"A.{topic}\t{document}\t{rank}\t{10 - rank}\t{name}\n"
            for topic, ranking in enumerate(rankings, start=1)
            for rank, document in enumerate(ranking, start=1)
        ]
        Path(f"{name}.tsv").write_text("".join(lines), encoding="utf-8")
    return tmp_path


def compare(*arguments: str) -> Result:
    return CliRunner().invoke(porism, ["compare", "--qrels", "qrels", *arguments])


def printed(*arguments: str) -> str:
    result = compare(*arguments)
    assert result.exit_code == 0, result.stderr
    return result.stdout


# The differences are 0, 1, 1, 1: of eight ways to give them signs, two go as far, so p is 1/4.
# Their mean is 3/4 and their deviation 1/2, so t is 3 with 3 degrees of freedom.
TWO_RUNS = """\
good is better than weak by 0.750 P@1, which may be chance (p = 0.2500 randomization; 3 wins, \
1 tie, 0 losses)

measure  run     mean  baseline  its mean  difference  95 % interval      wins  ties  losses  \
p       p (t)
P@1      good  1.0000  weak        0.2500      0.7500  -0.0456 to 1.5456     3     1       0  \
0.2500  0.0577
p by paired randomization and t test

Topics that differ most by P@1
topic    weak    good  difference
A.2    0.0000  1.0000      1.0000
A.3    0.0000  1.0000      1.0000
A.4    0.0000  1.0000      1.0000
"""


@pytest.mark.usefixtures("folder")
class TestText:
    def test_two_runs(self) -> None:
        assert printed("--measures", "P@1", "weak.tsv", "good.tsv") == TWO_RUNS

    def test_all_topics(self) -> None:
        output = printed("--measures", "P@1,MAP'", "--by-topic", "weak.tsv", "good.tsv")
        parts = output.split("\n\n")
        assert [part.splitlines()[0] for part in parts[2:]] == [
            "All topics by P@1",
            "All topics by MAP'",
        ]
        assert parts[2].splitlines()[-1] == "A.1    1.0000  1.0000      0.0000"

    def test_equal_runs(self) -> None:
        first = printed("--measures", "P@1", "weak.tsv", "same.tsv").splitlines()[0]
        assert first == (
            "same and weak are equal in every topic by P@1 (p = 1 randomization; 0 wins, 4 ties, "
            "0 losses)"
        )

    def test_level_runs(self) -> None:
        first = printed("--measures", "P@1", "weak.tsv", "other.tsv").splitlines()[0]
        assert first == (
            "other and weak are level by P@1 (p = 1 randomization; 1 win, 2 ties, 1 loss)"
        )

    def test_the_baseline_and_the_correction(self) -> None:
        lines = printed(
            *("--measures", "P@1", "--baseline", "good"), "weak.tsv", "good.tsv", "other.tsv"
        ).splitlines()
        assert lines[:2] == [
            f"{run} is worse than good by 0.750 P@1, which may be chance (p = 0.5000 "
            "randomization, Holm-corrected; 0 wins, 1 tie, 3 losses)"
            for run in ("weak", "other")
        ]
        assert "p by paired randomization and t test, Holm-corrected" in lines

    def test_every_pair(self) -> None:
        runs = ("weak.tsv", "good.tsv", "same.tsv", "other.tsv")
        lines = printed("--measures", "P@1", "--all-pairs", *runs).splitlines()
        assert sum("randomization" in line for line in lines) == 6 + 1
        # Six pairs are too many to show topics of each, without --by-topic.
        assert not any(line.startswith("Topics that differ most") for line in lines)

    def test_many_comparisons_have_verdicts_by_the_first_measure(self) -> None:
        runs = ("weak.tsv", "good.tsv", "same.tsv", "other.tsv")
        verdicts = printed("--measures", "P@1,MAP',nDCG'", "--all-pairs", *runs).split("\n\n")[0]
        assert len(verdicts.splitlines()) == 6
        assert "MAP" not in verdicts

    def test_correlation_of_measures(self) -> None:
        output = printed(
            *("--correlation", "measures", "--measures", "P@1,P@2"),
            *("weak.tsv", "good.tsv", "other.tsv"),
        )
        # Means of P@1 are 1/4, 1, 1/4 and of P@2 4/8, 5/8, 2/8: from their means, 24ths and 72nds,
        # -6, 12, -6 and 3, 12, -15: r = 216 / √(216 · 378). Of three pairs one is a tie in P@1,
        # two are in the same order: τ = 2 / √(2 · 3).
        r, tau = f"{math.sqrt(216 / 378):.3f}", f"{2 / math.sqrt(6):.3f}"
        assert output.endswith(
            "Pearson's r between measures\n"
            "       P@1    P@2\n"
            f"P@1  1.000  {r}\nP@2  {r}  1.000\n"
            "\nKendall's tau between measures\n"
            "       P@1    P@2\n"
            f"P@1  1.000  {tau}\nP@2  {tau}  1.000\n"
        )

    def test_correlation_of_systems(self) -> None:
        output = printed(
            *("--correlation", "systems", "--measures", "P@1"), "weak.tsv", "good.tsv", "other.tsv"
        )
        # good is the same everywhere; 1, 0, 0, 0 and 0, 1, 0, 0 have r = tau = -1/3.
        assert "Kendall's tau between runs by P@1\n" in output
        assert output.endswith("other  -0.333      -   1.000\n")

    def test_overlap(self) -> None:
        output = printed("--overlap", "1", "--measures", "P@1", "weak.tsv", "good.tsv")
        # At depth 1 weak has g, x, x, x and good has g everywhere.
        assert output.endswith(
            "Overlap of the first 1, mean over the topics\n"
            "run   and run  shared  Jaccard  rank-biased\n"
            "weak  good     0.2500   0.2500       0.2500\n"
            "\n"
            "Pool of the first 1: 7 documents for 4 topics, 1.8 each; 100.0 % judged, 57.1 % of "
            "these relevant\n"
            "run   documents  unique  unique and relevant\n"
            "weak          4       3                    0\n"
            "good          4       3                    3\n"
        )

    def test_runs_of_the_same_name_have_their_folders(self, folder: Path) -> None:
        (folder / "late").mkdir()
        (folder / "late" / "weak.tsv").write_text((folder / "good.tsv").read_text())
        output = printed("--measures", "P@1", "weak.tsv", "late/weak.tsv")
        assert output.startswith(f"late/weak is better than {folder.name}/weak by 0.750 P@1")


@pytest.mark.usefixtures("folder")
class TestTsvAndJson:
    def test_tsv(self) -> None:
        header, row = printed("--measures", "P@1", "--tsv", "weak.tsv", "good.tsv").splitlines()
        values = dict(zip(header.split("\t"), row.split("\t"), strict=True))
        assert values.pop("t_p") == values.pop("t_p_holm")
        assert float(values.pop("low")) == pytest.approx(0.75 - 3.182446 / 4, abs=1e-6)
        assert float(values.pop("high")) == pytest.approx(0.75 + 3.182446 / 4, abs=1e-6)
        assert values == {
            "measure": "P@1",
            "baseline": "weak",
            "run": "good",
            "baseline_mean": "0.25",
            "mean": "1.0",
            "difference": "0.75",
            "topics": "4",
            "wins": "3",
            "ties": "1",
            "losses": "0",
            "randomization_p": "0.25",
            "randomization_p_holm": "0.25",
        }

    def test_tsv_of_topics(self) -> None:
        output = printed("--measures", "P@1", "--tsv", "--by-topic", "weak.tsv", "good.tsv")
        lines = output.splitlines()
        assert lines[0] == "measure\tbaseline\trun\ttopic\tbaseline_value\tvalue\tdifference"
        assert lines[1] == "P@1\tweak\tgood\tA.2\t0.0\t1.0\t1.0"
        assert lines[4] == "P@1\tweak\tgood\tA.1\t1.0\t1.0\t0.0"

    def test_tsv_of_correlations_and_of_overlaps(self) -> None:
        runs = ("--tsv", "--measures", "P@1,P@2", "weak.tsv", "other.tsv")
        assert printed("--correlation", "systems", *runs).splitlines()[1].split("\t") == [
            *("P@1", "weak", "other", "-0.3333333333333333", "-0.3333333333333333", "4")
        ]
        assert printed("--overlap", "1", *runs).splitlines() == [
            "first\tsecond\tshared\tjaccard\trank_biased",
            "weak\tother\t0.5\t0.5\t0.5",
        ]

    def test_tsv_is_one_table(self) -> None:
        result = compare("--tsv", "--by-topic", "--overlap", "5", "weak.tsv", "good.tsv")
        assert result.exit_code == 2
        assert "--tsv prints one table" in result.stderr
        assert compare("--tsv", "--json", "weak.tsv", "good.tsv").exit_code == 2

    def test_json(self) -> None:
        options = ("--json", "--measures", "P@1", "--rounds", "50", "--seed", "7")
        record = json.loads(printed(*options, "weak.tsv", "good.tsv"))
        assert record["runs"] == ["weak", "good"]
        assert (record["task"], record["measures"], record["topics"]) == (1, ["P@1"], 4)
        assert (record["rounds"], record["seed"]) == (50, 7)
        (comparison,) = record["comparisons"]
        assert comparison["by_topic"] == {"A.2": 1, "A.3": 1, "A.4": 1, "A.1": 0}
        assert (comparison["wins"], comparison["randomization_p"]) == (3, 0.25)
        assert record["correlations"] is record["overlaps"] is record["pool"] is None

    def test_json_has_all_requested_parts(self) -> None:
        options = ("--json", "--correlation", "measures", "--overlap", "1")
        record = json.loads(printed(*options, "weak.tsv", "good.tsv"))
        assert {"measure", "first", "second", "pearson", "kendall", "values"} == set(
            record["correlations"][0]
        )
        assert record["overlaps"][0]["shared"] == 0.25
        assert record["pool"]["sizes"] == {"A.1": 1, "A.2": 2, "A.3": 2, "A.4": 2}
        assert record["pool"]["contributions"][1] == {
            "run": "good",
            "documents": 4,
            "unique": 3,
            "unique_relevant": 3,
        }


@pytest.mark.usefixtures("folder")
class TestMisuse:
    def test_one_run_is_too_few(self) -> None:
        result = compare("weak.tsv")
        assert result.exit_code == 2
        assert "expected two runs or more" in result.stderr

    def test_an_unknown_baseline(self) -> None:
        result = compare("--baseline", "wek", "weak.tsv", "good.tsv")
        assert result.exit_code == 1
        assert "there is no run 'wek' to compare with; did you mean weak?" in result.stderr

    def test_correlation_needs_two_measures(self) -> None:
        result = compare("--correlation", "measures", "--measures", "P@1", "weak.tsv", "good.tsv")
        assert result.exit_code == 2
        assert "needs two measures or more" in result.stderr

    @pytest.mark.parametrize("arguments", [("nowhere.tsv", "weak.tsv"), ("qrels", "weak.tsv")])
    def test_files_that_are_not_runs(self, arguments: tuple[str, ...]) -> None:
        result = compare(*arguments)
        assert result.exit_code == 1
        assert arguments[0] in result.stderr

    def test_missing_scipy_is_an_error_with_the_extra(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setitem(sys.modules, "scipy.special", None)
        monkeypatch.delitem(sys.modules, "porism.evaluation.comparison", raising=False)
        result = compare("weak.tsv", "good.tsv")
        assert result.exit_code == 1
        assert "pip install 'porism[lab]'" in result.stderr


def test_real_runs_of_2020(shared: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The means are those that S1 prints: TF-IDF 0.204 and 0.049, PSU1 0.263 and 0.082."""
    monkeypatch.chdir(shared / "data")
    record = json.loads(
        printed(
            *("--qrels", "qrels/qrel_task1_2020_official.tsv", "--measures", "nDCG',MAP'"),
            *("--json", "--overlap", "10", "--rounds", "10000"),
            "runs/task1_2020/tf_idf_task1_final.tsv.gz",
            "runs/task1_2020/psu-task1-auto-both-A.tsv.gz",
        )
    )
    means = [
        (round(each["baseline_mean"], 3), round(each["mean"], 3)) for each in record["comparisons"]
    ]
    assert means == [(0.204, 0.263), (0.049, 0.082)]
    for each in record["comparisons"]:
        assert each["wins"] + each["ties"] + each["losses"] == each["topics"] == 77
        # The two tests agree with this many topics.
        assert each["randomization_p"] == pytest.approx(each["t_p"], abs=0.005)
    assert record["pool"]["documents"] <= 77 * 20
