"""Every number in docs/numbers.md: ``make bench``, or ``python -m bench NAME...`` for some."""

import sys
from importlib import import_module

BENCHMARKS = {
    "formulas": "formulas",
    "operators": "operator_agreement",
    "visual-ids": "visual_ids",
    "ingest": "ingest",
    "notes": "note_changes",
    "quality": "quality",
    "rendering": "rendering",
    "cross-year": "cross_year",
    "short-answers": "short_answers",
    "soft-cosine": "soft_cosine",
    "formula-fusions": "formula_fusions",
    "judged-pool": "judged_pool",
    "ntcir": "ntcir",
    "encoding": "encoding",
    "cross-encoding": "cross_encoding",
    "evaluate": "evaluation",
    "search": "search",
    "positions": "position_search",
    "pairs": "pair_search",
    "structure-search": "structure_search",
    "peers": "peers",
    "edit-distance": "edit_distance",
    "ann": "ann",
    "vector-search": "vector_search",
    "default-search": "default_search",
    "first-result": "first_result",
    "serving": "serving",
    "typed-queries": "typed_queries",
    "serve": "web_service",
    "in-process": "in_process",
    "faults": "faults",
}
"""The module of each. Only those that run are imported, since some need packages of peers."""


def main() -> None:
    if sys.argv[1:2] == ["whole"]:  # with options of its own; all others take less time together
        import_module("bench.whole").main(sys.argv[2:])
        return
    if {"-h", "--help"} & set(sys.argv[1:]):
        raise SystemExit(
            f"python -m bench [{' | '.join(BENCHMARKS)}]...   (default: all)\n"
            "python -m bench whole --help"
        )
    names = sys.argv[1:] or list(BENCHMARKS)
    for name in names:
        if name not in BENCHMARKS:
            raise SystemExit(f"There is no benchmark {name}; choose from {', '.join(BENCHMARKS)}.")
        import_module(f"bench.{BENCHMARKS[name]}").report()


if __name__ == "__main__":
    main()
