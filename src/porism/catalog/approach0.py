"""The names of Approach0, and what was built on it."""

from __future__ import annotations

from porism.answer.extracts import manual_queries
from porism.catalog.system import Family, Source, System, systems_of
from porism.model import Task
from porism.rank.neural import approach0_neural
from porism.rank.structure import approach0

APPROACH0 = systems_of(
    Family.APPROACH0,
    {
        "approach0": System(
            "Approach0: the best common subtree of operator trees, with wildcards",
            {Task.ANSWERS: approach0.APPROACH0, Task.FORMULAS: approach0.APPROACH0_FORMULAS},
            source=Source(
                "Approach0 2022 (S3 Tables 3 and 4)",
                runs=(
                    ("Baselines", "Approach0"),
                    ("approach0", "a0porter"),
                    ("Approach0", "P300"),
                    ("approach0", "a0"),
                ),
                note="queries made by hand",
            ),
        ),
        "approach0-colbert": System(
            "Approach0 2022: structure search and late interaction, scaled and mixed",
            {Task.ANSWERS: approach0_neural.APPROACH0_COLBERT},
            source=Source(
                "Approach0 2022 (S3 Table 3)",
                runs=(("approach0", "fusion_alpha05"),),
                model="ColBERT on BERT-base, further trained on posts with formulas",
                note="queries made by hand",
            ),
        ),
        "approach0-colbert-rerank": System(
            "Approach0 2022: the first of structure search by late interaction",
            {Task.ANSWERS: approach0_neural.APPROACH0_COLBERT_RERANK},
            source=Source(
                "Approach0 2022 (S3 Table 3)",
                runs=(("approach0", "rerank_nostemer"),),
                model="ColBERT on BERT-base, further trained on posts with formulas",
                note="queries made by hand",
            ),
        ),
        "approach0-manual": System(
            "Approach0 2022: short answers from what queries written by hand find",
            {},
            manual_queries.APPROACH0_MANUAL,
            source=Source(
                "Approach0 2022 (S3 Table 5)",
                runs=tuple(("approach0", f"run{number}") for number in range(1, 6)),
                model="ColBERT on BERT-base, further trained on posts with formulas",
                note="queries made by hand",
            ),
            needs_queries=True,
        ),
        "mabowdor": System(
            "MABOWDOR 2023: structure search, dense and learned-sparse retrieval, mixed",
            {Task.ANSWERS: approach0_neural.MABOWDOR},
            source=Source(
                "MABOWDOR 2023, after the labs",
                model="BERT-base, trained as bi-encoder and as SPLADE on Math Stack Exchange",
                note="queries made by hand",
            ),
        ),
    },
)
