"""The names of what no team had."""

from __future__ import annotations

from porism.answer.extracts import extract, first_answer, passage
from porism.answer.generated import generate
from porism.catalog.default import DEFAULT, PORISM
from porism.catalog.system import Family, Source, System, systems_of
from porism.model import Task
from porism.rank.structure import formula_graph
from porism.rank.systems import vector_systems

OWN = systems_of(
    Family.OWN,
    {
        "formula-graph": System(
            "graph vectors and symbols, fused, the first 300 by structure (recipe of 2026)",
            {Task.FORMULAS: formula_graph.FORMULA_GRAPH},
            source=Source("a recipe of 2026 for Task 2: graph encoder, symbols, re-ranking"),
            learned_on=("2020", "2021"),
        ),
        "minilm": System(
            "MiniLM sentence vectors: cosines with questions and with answers, in equal parts",
            {Task.ANSWERS: vector_systems.MINILM},
            source=Source("no paper; the sentence encoder all-MiniLM-L6-v2"),
        ),
        "minilm-questions": System(
            "the same with questions alone",
            {Task.ANSWERS: vector_systems.MINILM_QUESTIONS},
            source=Source("no paper; the sentence encoder all-MiniLM-L6-v2"),
        ),
        "minilm-answers": System(
            "the same with answers alone",
            {Task.ANSWERS: vector_systems.MINILM_ANSWERS},
            source=Source("no paper; the sentence encoder all-MiniLM-L6-v2"),
        ),
        "minilm-maxsim": System(
            "minilm, the first 1,000 re-ranked token by token (late interaction); slow",
            {Task.ANSWERS: vector_systems.MINILM_MAXSIM},
            source=Source("no paper; late interaction as in ColBERT"),
        ),
        "hybrid": System(
            "l8 and minilm, scaled from 0 to 1 and mixed 0.3 : 0.7",
            {Task.ANSWERS: vector_systems.HYBRID},
            source=Source("no paper; a mixture as in the best fused runs of the lab"),
        ),
        DEFAULT: PORISM,
        "extract": System(
            "short answers: the best passage of the best answer, or none: the default",
            {},
            extract.EXTRACT,
            source=Source("no paper; docs/answers.md"),
            learned_on=("2020", "2021", "links"),
        ),
        "generate": System(
            "short answers: a language model writes them from passages, with citations",
            {},
            generate.GENERATE,
            source=Source("no paper; docs/answers.md"),
            learned_on=("2020", "2021", "links"),
            needs_generator=True,
        ),
        "first-answer": System(
            "short answers: the first answer of porism, cut at the end of a sentence",
            {},
            first_answer.FIRST_ANSWER,
            source=Source("no paper; docs/answers.md"),
            learned_on=("2020", "2021", "links"),
        ),
        "passage": System(
            "short answers: the snippet of the first answer of porism, as in a list of results",
            {},
            passage.BEST_SNIPPET,
            source=Source("no paper; docs/systems.md"),
            learned_on=("2020", "2021", "links"),
        ),
    },
)
