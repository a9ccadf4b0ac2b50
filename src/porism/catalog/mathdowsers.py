"""The names of the systems of MathDowsers."""

from __future__ import annotations

from porism.catalog.system import Family, Source, System, systems_of
from porism.model import Task
from porism.rank.question_matching import learned_rankers
from porism.rank.systems import holistic, l8, mathdowsers_formulas, proximity_rerank, tangent_l

MATHDOWSERS = systems_of(
    Family.MATHDOWSERS,
    {
        "tangent-l-2020": System(
            "MathDowsers 2020: basic tokens of layout trees, BM25+, alpha 0.5, no re-ranking",
            {
                Task.ANSWERS: tangent_l.TANGENT_L_2020,
                Task.FORMULAS: tangent_l.TANGENT_L_2020_FORMULAS,
            },
            source=Source(
                "S1 Table A1; S4 2",
                runs=(
                    ("MathDowsers", "alpha05noReRank"),
                    ("MathDowsers", "alpha05-noR"),
                ),
            ),
        ),
        "linear-regression": System(
            "MathDowsers 2020 (alpha05): tangent-l-2020, re-ranked by tags, votes, reputation",
            {Task.ANSWERS: learned_rankers.LINEAR_REGRESSION},
            source=Source("MathDowsers 2020 (S1 Table A1)", runs=(("MathDowsers", "alpha05"),)),
            learned_on=("links",),
        ),
        "tangent-l": System(
            "MathDowsers 2021 (duplicateTerms): repetition tokens, commutativity, BM25+",
            {Task.ANSWERS: tangent_l.TANGENT_L, Task.FORMULAS: tangent_l.TANGENT_L_FORMULAS},
            source=Source("S4 2, 3.2", runs=(("MathDowsers", "duplicateTerms"),)),
        ),
        "tangent-l-primary": System(
            "MathDowsers 2021 (primary): the same, each term of a topic counted once",
            {Task.ANSWERS: tangent_l.TANGENT_L_PRIMARY},
            source=Source("S4 2, 3.2", runs=(("MathDowsers", "primary"),)),
        ),
        "tangent-l-proximity": System(
            "MathDowsers 2021 (proximityReRank): primary, re-ranked by normalised span",
            {Task.ANSWERS: proximity_rerank.TANGENT_L_PROXIMITY},
            source=Source("S4 3.3", runs=(("MathDowsers", "proximityReRank"),)),
        ),
        "tangent-l-holistic": System(
            "MathDowsers 2021 (holisticSearch): each formula one token, by 300 similar ones",
            {Task.ANSWERS: holistic.TANGENT_L_HOLISTIC},
            source=Source("S4 3.4", runs=(("MathDowsers", "holisticSearch"),)),
        ),
        "l8": System(
            "MathDowsers 2022: L8 tuples and words by BM25, alpha 0.18; formulas 0.40",
            {Task.ANSWERS: l8.L8_ANSWERS, Task.FORMULAS: l8.L8_FORMULA_SEARCH},
            source=Source(
                "S3 Tables 3 and 4; the source of mathtuples and mtextsearch",
                runs=(
                    ("MathDowsers", "L8_a018"),
                    ("MathDowsers", "latex_L8_a040"),
                ),
            ),
        ),
        "formula-base": System(
            "MathDowsers 2021 (formulaBase): similar formulas, in the best posts of Task 1",
            {Task.FORMULAS: mathdowsers_formulas.FORMULA_BASE},
            source=Source("S4 4.1", runs=(("MathDowsers", "formulaBase"),)),
        ),
        "doc-base": System(
            "MathDowsers 2021 (docBase): similar formulas of the best answers of Task 1",
            {Task.FORMULAS: mathdowsers_formulas.DOC_BASE},
            source=Source("S4 4.2", runs=(("MathDowsers", "docBase"),)),
        ),
    },
)
