"""The names of the baselines of the lab."""

from __future__ import annotations

from porism.answer.generated import prompted
from porism.catalog.system import Family, Source, System, systems_of
from porism.model import Task
from porism.rank.structure import tangent_s
from porism.rank.systems import baselines, linked_answers

BASELINES = systems_of(
    Family.BASELINES,
    {
        "tfidf": System(
            "Terrier's TF-IDF over answers with raw LaTeX, the lab's first baseline",
            {Task.ANSWERS: baselines.TFIDF, Task.FORMULAS: baselines.TFIDF_FORMULAS},
            source=Source(
                "S1 4.3; S3 4.3, TF-IDF (Terrier)",
                runs=(
                    ("Baselines", "TF-IDF"),
                    ("Baselines", "TF-IDF(Terrier)"),
                ),
            ),
        ),
        "tfidf-words": System(
            "the same with each sign of the LaTeX as a word, ARQMath-3's PyTerrier baseline",
            {Task.ANSWERS: baselines.TFIDF_WORDS, Task.FORMULAS: baselines.TFIDF_WORDS_FORMULAS},
            source=Source("S3 4.3, TF-IDF (PyTerrier)", runs=(("Baselines", "TF-IDF(PyTerrier)"),)),
        ),
        "bm25": System(
            "BM25 over questions with answers, text and LaTeX strings",
            {Task.ANSWERS: baselines.BM25_STRINGS, Task.FORMULAS: baselines.BM25_FORMULAS},
            source=Source(
                "no paper; the nearest run is that of MSM 2022 (S3 Table 3)",
                runs=(("MSM", "BM25_system"),),
            ),
        ),
        "linked": System(
            "answers of duplicates of the question by votes: an oracle, needs --duplicates",
            {Task.ANSWERS: linked_answers.LINKED_ANSWERS},
            source=Source("S1 4.3; S3 4.3", runs=(("Baselines", "Linked MSE posts"),)),
            is_oracle=True,
        ),
        "gpt3-prompt": System(
            "short answers: a language model asked as the lab asked GPT-3, without sources",
            {},
            prompted.GPT3_PROMPT,
            source=Source(
                "S3 6.2", runs=(("Baselines", "GPT-3"),), model="GPT-3 (text-davinci-002)"
            ),
            needs_generator=True,
        ),
        "tangent-s": System(
            "Tangent-S, the lab's baseline: symbol pairs of both trees, then their alignment",
            {Task.ANSWERS: tangent_s.TANGENT_S, Task.FORMULAS: tangent_s.TANGENT_S_FORMULAS},
            source=Source("S1 4.3, 5.3; S3 4.3, 5.3", runs=(("Baselines", "Tangent-S"),)),
        ),
        "tfidf-tangent-s": System(
            "tfidf and tangent-s, scaled from 0 to 1 and averaged, the lab's third baseline",
            {Task.ANSWERS: tangent_s.TFIDF_TANGENT_S},
            source=Source(
                "S1 4.3; S3 4.3 with TF-IDF (PyTerrier)",
                runs=(
                    ("Baselines", "TF-IDF + Tangent-S"),
                    ("Baselines", "TF-IDF(PyTerrier)+Tangent-S"),
                ),
            ),
        ),
    },
)
