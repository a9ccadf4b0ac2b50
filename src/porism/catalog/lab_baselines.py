"""The names of the baselines of the lab."""

from __future__ import annotations

from porism.catalog.system import Family, System, systems_of
from porism.model import Task
from porism.rank.structure import tangent_s
from porism.rank.systems import baselines, linked_answers

BASELINES = systems_of(
    Family.BASELINES,
    {
        "tfidf": System(
            "Terrier's TF-IDF over answers with raw LaTeX, the lab's first baseline",
            {Task.ANSWERS: baselines.TFIDF, Task.FORMULAS: baselines.TFIDF_FORMULAS},
        ),
        "tfidf-words": System(
            "the same with each sign of the LaTeX as a word, ARQMath-3's PyTerrier baseline",
            {Task.ANSWERS: baselines.TFIDF_WORDS, Task.FORMULAS: baselines.TFIDF_WORDS_FORMULAS},
        ),
        "bm25": System(
            "BM25 over questions with answers, text and LaTeX strings",
            {Task.ANSWERS: baselines.BM25_STRINGS, Task.FORMULAS: baselines.BM25_FORMULAS},
        ),
        "linked": System(
            "answers of duplicates of the question by votes: an oracle, needs --duplicates",
            {Task.ANSWERS: linked_answers.LINKED_ANSWERS},
        ),
        "tangent-s": System(
            "Tangent-S, the lab's baseline: symbol pairs of both trees, then their alignment",
            {Task.ANSWERS: tangent_s.TANGENT_S, Task.FORMULAS: tangent_s.TANGENT_S_FORMULAS},
        ),
        "tfidf-tangent-s": System(
            "tfidf and tangent-s, scaled from 0 to 1 and averaged, the lab's third baseline",
            {Task.ANSWERS: tangent_s.TFIDF_TANGENT_S},
        ),
    },
)
