"""Every number in docs/numbers.md: ``make bench``, or ``python -m bench NAME...`` for some."""

import sys
from collections.abc import Callable

from bench import (
    ann,
    cross_encoding,
    cross_year,
    default_search,
    edit_distance,
    encoding,
    evaluation,
    faults,
    first_result,
    formula_fusions,
    formulas,
    ingest,
    judged_pool,
    note_changes,
    ntcir,
    operator_agreement,
    pair_search,
    peers,
    position_search,
    quality,
    rendering,
    search,
    serving,
    short_answers,
    soft_cosine,
    structure_search,
    typed_queries,
    vector_search,
    visual_ids,
    web_service,
)

BENCHMARKS: dict[str, Callable[[], object]] = {
    "formulas": formulas.main,
    "operators": operator_agreement.report,
    "visual-ids": visual_ids.report,
    "ingest": ingest.report,
    "notes": note_changes.report,
    "quality": quality.report,
    "rendering": rendering.report,
    "cross-year": cross_year.report,
    "short-answers": short_answers.report,
    "soft-cosine": soft_cosine.report,
    "formula-fusions": formula_fusions.report,
    "judged-pool": judged_pool.report,
    "ntcir": ntcir.report,
    "encoding": encoding.report,
    "cross-encoding": cross_encoding.report,
    "evaluate": evaluation.report,
    "search": search.report,
    "positions": position_search.report,
    "pairs": pair_search.report,
    "structure-search": structure_search.report,
    "peers": peers.report,
    "edit-distance": edit_distance.report,
    "ann": ann.report,
    "vector-search": vector_search.report,
    "default-search": default_search.report,
    "first-result": first_result.report,
    "serving": serving.report,
    "typed-queries": typed_queries.report,
    "serve": web_service.report,
    "faults": faults.report,
}


def main() -> None:
    if {"-h", "--help"} & set(sys.argv[1:]):
        raise SystemExit(f"python -m bench [{' | '.join(BENCHMARKS)}]...   (default: all)")
    names = sys.argv[1:] or list(BENCHMARKS)
    for name in names:
        if name not in BENCHMARKS:
            raise SystemExit(f"There is no benchmark {name}; choose from {', '.join(BENCHMARKS)}.")
        BENCHMARKS[name]()


if __name__ == "__main__":
    main()
