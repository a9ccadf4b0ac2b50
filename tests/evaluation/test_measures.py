"""Names of measures and their meaning."""

import pytest

from porism.errors import UnknownName
from porism.evaluation.measures import DEFAULT_MEASURES, UNPRIMED_MEASURES, parse_measure


@pytest.mark.parametrize(
    ("name", "printed", "definition"),
    [
        ("nDCG'", "nDCG'", "nDCG(judged_only=True)@1000"),
        ("ndcg′@10", "nDCG'@10", "nDCG(judged_only=True)@10"),
        ("MAP'", "MAP'", "AP(rel=2,judged_only=True)@1000"),
        ("map", "MAP", "AP(rel=2)@1000"),
        ("P'@10", "P'@10", "P(rel=2,judged_only=True)@10"),
        ("P@10", "P@10", "P(rel=2)@10"),
        ("bpref", "bpref", "Bpref(rel=2)"),
        ("Bpref", "bpref", "Bpref(rel=2)"),
        ("MRR", "MRR", "RR(rel=2)"),
        (" Rprec' ", "Rprec'", "Rprec(rel=2,judged_only=True)"),
        ("Judged@10", "Judged@10", "Judged@10"),
        ("AP(rel=3)", "AP(rel=3)", "AP(rel=3)"),
        ("P(rel=1)@5", "P(rel=1)@5", "P@5"),
    ],
)
def test_plain_names_have_the_labs_meaning(name: str, printed: str, definition: str) -> None:
    measure = parse_measure(name)
    assert str(measure) == printed
    assert str(measure.definition) == definition


@pytest.mark.parametrize(
    "name", [*DEFAULT_MEASURES, *UNPRIMED_MEASURES, "P(rel=1)@5", "RBP(p=0.8)"]
)
def test_a_printed_name_parses_back(name: str) -> None:
    assert parse_measure(str(parse_measure(name))) == parse_measure(name)


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("ndgc", "did you mean nDCG"),
        ("P", "it needs a cutoff"),
        ("P@0", "@0 leaves no documents"),
        ("bpref'", "no primed form"),
        ("P@10'", "did you mean"),
        ("AP(foo=3)", "unsupported params"),
        ("", "no measure"),
        ("__import__('os').system('ls')", "no measure"),
    ],
)
def test_unknown_measures_are_refused(name: str, why: str) -> None:
    with pytest.raises(UnknownName, match="there is no measure") as caught:
        parse_measure(name)
    assert why in str(caught.value)


def test_measures_that_ignore_unjudged_documents() -> None:
    names = [*DEFAULT_MEASURES, *UNPRIMED_MEASURES, "P(judged_only=True)@5"]
    heedless = [name for name in names if parse_measure(name).needs_judged_only]
    assert heedless == ["nDCG'", "MAP'", "P'@10", "bpref", "P(judged_only=True)@5"]
