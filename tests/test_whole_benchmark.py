"""The benchmark of the whole way, at a tiny size: it runs, and its site is what it says."""

import shutil
from pathlib import Path

import pytest

from bench import whole
from bench.scaling import add_measurements, growth, read_measurements
from bench.site_statistics import statistics
from bench.site_templates import templates
from bench.synthetic_site import site_archive, write_site

PROJECT = Path(__file__).parent.parent


@pytest.mark.slow
def test_every_stage_is_measured_and_the_page_is_renewed(
    shared: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PORISM_SHARED", str(shared))
    docs = tmp_path / "docs"
    (docs / "pictures").mkdir(parents=True)
    shutil.copy(PROJECT / "docs" / "scaling.md", docs)
    sizes = ["--posts", "200", "--extrapolate", "--sizes", "100"]
    whole.main([*sizes, "--topics", "2", "--at", str(tmp_path / "site"), "--docs", str(docs)])
    found = read_measurements(docs / "scaling.tsv")
    assert list(found) == [100, 200]
    assert found[200]["count.questions"] + found[200]["count.answers"] == 200
    stages = ("ingest", "index", "start", "first result", "serve")
    assert all(found[200][f"{stage}.seconds"] > 0 for stage in stages)
    assert (docs / "scaling.md").read_text().count("| index, s |") == 1
    assert (docs / "pictures" / "scaling.svg").exists()


def test_a_site_is_the_same_every_time(shared: Path, tmp_path: Path) -> None:
    known = templates(shared)
    tables = [write_site(known, tmp_path / name, 200) for name in ("one", "two")]
    for one, two in zip(*tables, strict=True):
        assert one.read_bytes() == two.read_bytes()


def test_a_site_resembles_the_real_collection(shared: Path, tmp_path: Path) -> None:
    site = statistics(site_archive(shared, tmp_path, 2_000))
    real = statistics(shared / "data/arqmath-mini")
    for name in ("words per answer, mean", "characters per formula, mean", "comments per post"):
        assert site[name] == pytest.approx(real[name], rel=0.2)


def test_growth_is_fitted_to_the_larger_sizes() -> None:
    costs = {1: 3.0, 100: 4.0, 1000: 8.0}
    fitted = growth({posts: {"a.seconds": cost} for posts, cost in costs.items()}, "a.seconds")
    assert fitted is not None
    assert fitted.exponent == pytest.approx(0.301, abs=0.001)
    assert fitted.at(10_000) == pytest.approx(16.0)


def test_growth_is_never_negative_and_needs_two_sizes() -> None:
    sizes = {100: {"a.b": 4.0}, 1000: {"a.b": 1.0, "a.c": 1.0}}
    fitted = growth(sizes, "a.b")
    assert fitted is not None
    assert fitted.at(10_000) == pytest.approx(2.0)
    assert growth(sizes, "a.c") is None


def test_measurements_read_back_and_replace_those_of_their_size(tmp_path: Path) -> None:
    path = tmp_path / "scaling.tsv"
    add_measurements(path, {100: {"a.b": 1.0}, 10: {"a.b": 0.5}})
    add_measurements(path, {100: {"a.b": 2.0}})
    assert read_measurements(path) == {10: {"a.b": 0.5}, 100: {"a.b": 2.0}}
