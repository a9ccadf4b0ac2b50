"""Speed and coverage of the LaTeX parser, and agreement with LaTeXML.

Speeds are measured together with latex2mathml, which outputs only MathML, on the same formulas in
the same run: machines are noisy, ratios less so.
"""

import json
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterable
from contextlib import suppress
from pathlib import Path

from bench.shared_data import mini_formulas, real_formulas, shared_folder, topic_formulas
from porism.errors import LatexError
from porism.formula.features import l8
from porism.formula.latex import parse_latex
from porism.formula.mathml.presentation_writer import presentation_mathml
from porism.formula.operators import operator_tree

SAMPLE = 30  # every thirtieth formula is timed; all are parsed for the count of failures
ROUNDS = 3


def rate(work: Callable[[str], object], formulas: list[str]) -> float:
    """Formulas per second of processor time on one core."""
    start = time.process_time()
    for formula in formulas:
        work(formula)
    return len(formulas) / (time.process_time() - start)


def peer() -> Callable[[str], object]:
    """latex2mathml, whose failures count as work done; only timing needs it."""
    from latex2mathml.converter import convert

    def work(formula: str) -> None:
        with suppress(Exception):  # it fails in many ways; only its speed matters here
            convert(formula)

    return work


def speed(shared: Path) -> None:
    formulas = real_formulas(shared)[::SAMPLE]
    works: dict[str, Callable[[str], object]] = {
        "latex2mathml, LaTeX to MathML": peer(),
        "LaTeX to layout tree": parse_latex,
        "LaTeX to MathML": lambda formula: presentation_mathml(parse_latex(formula).tree),
        "LaTeX to operator tree": lambda formula: operator_tree(parse_latex(formula).tree),
        "LaTeX to L8 tuples": lambda formula: l8(parse_latex(formula).tree),
    }
    best = dict.fromkeys(works, 0.0)
    for _ in range(ROUNDS):  # interleaved, so that slow moments of the machine affect all equally
        for name, work in works.items():
            best[name] = max(best[name], rate(work, formulas))
    base = best["latex2mathml, LaTeX to MathML"]
    print(f"Speed on one core, {len(formulas):,} real formulas, best of {ROUNDS} rounds")
    for name, value in best.items():
        print(f"  {name:32} {value:9,.0f} formulas/s  {value / base:5.1f} x latex2mathml")


def troubled_share(formulas: Collection[str]) -> float:
    """The share of formulas with parse problems."""
    return sum(bool(parse_latex(formula).problems) for formula in formulas) / len(formulas)


def coverage(shared: Path) -> None:
    print("Coverage: share of formulas with parse problems")
    mini = set(mini_formulas(shared, "latex").values())
    for name, formulas in (("mini collection", mini), ("topics", topic_formulas(shared))):
        print(f"  {name:32} {100 * troubled_share(formulas):.2f} % of {len(formulas):,}")
    outcomes = Counter(outcome(formula) for formula in real_formulas(shared))
    counts = ", ".join(f"{count:,} {name}" for name, count in sorted(outcomes.items()))
    print(f"  {'all real formulas':32} {counts}")


def outcome(formula: str) -> str:
    """The outcome of parsing; exceptions other than a refusal are not caught."""
    try:
        return "with problems" if parse_latex(formula).problems else "clean"
    except LatexError:
        return "refused"


def converted(formulas: dict[str, str]) -> Iterable[str]:
    for number, formula in formulas.items():
        mathml = presentation_mathml(parse_latex(formula).tree)
        yield json.dumps({"id": number, "mathml": mathml}, ensure_ascii=False) + "\n"


def agreement(shared: Path) -> str:
    """The output of the external tool slt_agreement.py on the whole mini collection."""
    with tempfile.NamedTemporaryFile("w", suffix=".jsonl", encoding="utf-8") as file:
        file.writelines(converted(mini_formulas(shared, "latex")))
        file.flush()
        folder = shared / "data/arqmath-mini"
        command = [
            sys.executable,
            str(shared / "tools/slt_agreement.py"),
            "--reference",
            str(folder / "slt_representation_v3/1.tsv.gz"),
            "--latex",
            str(folder / "latex_representation_v3/1.tsv.gz"),
            file.name,
        ]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
    return done.stdout.strip()


def report() -> None:
    shared = shared_folder()
    speed(shared)
    coverage(shared)
    print("Agreement with LaTeXML's layout (slt_agreement.py, whole mini collection)")
    print("  " + agreement(shared))


if __name__ == "__main__":
    report()
