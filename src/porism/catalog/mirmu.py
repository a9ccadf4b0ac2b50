"""The names of the systems of MIRMU and MSM."""

from __future__ import annotations

from porism.catalog.system import Family, Source, System, systems_of
from porism.model import Task
from porism.rank.ensembles.members import (
    EnsembleMember,
    median_rank_ensemble,
    reciprocal_rank_ensemble,
)
from porism.rank.neural import compubert, cross_systems
from porism.rank.soft_cosine import scm_systems
from porism.rank.structure import mias
from porism.rank.systems import baselines

MEMBERS_2020 = (
    EnsembleMember("mias", mias.MIAS),
    EnsembleMember("scm", scm_systems.SCM),
    EnsembleMember("formula2vec", scm_systems.FORMULA2VEC),
    EnsembleMember(
        "compubert", compubert.COMPUBERT, EnsembleMember("compubert22", compubert.COMPUBERT22)
    ),
)
"""The systems of MIRMU 2020 for answers; the usual vectors take the place of those of CompuBERT."""

MEMBERS_2022 = (
    EnsembleMember("bm25", baselines.BM25_STRINGS),
    EnsembleMember("tfidf", baselines.TFIDF),
    EnsembleMember("compubert22", compubert.COMPUBERT22),
    EnsembleMember("mirmu-minilm-roberta", cross_systems.MIRMU_MINILM_ROBERTA),
)
"""The systems of MSM and MIRMU 2022 for answers."""

MIRMU = systems_of(
    Family.MIRMU,
    {
        "mias": System(
            "MIaS 2020: formulas among all subformulas, as written and unified, and words",
            {Task.ANSWERS: mias.MIAS, Task.FORMULAS: mias.MIAS_FORMULAS},
            source=Source("MIaS 2020 (S1 Table A1)", runs=(("MIRMU", "MIaS"),)),
        ),
        "scm": System(
            "MIRMU 2020 (SCM): soft cosine of words and prefix formulas; needs a model",
            {Task.ANSWERS: scm_systems.SCM, Task.FORMULAS: scm_systems.SCM_FORMULAS},
            source=Source(
                "S1 4.3 and 5.3; MIRMU's paper of 2020",
                (("MIRMU", "SCM"), ("MIRMU", "SCM [P]")),
            ),
        ),
        "scm-2022": System(
            "SCM 2022: soft BM25 of words and tuples, similar by spelling and by vectors",
            {Task.ANSWERS: scm_systems.SCM_2022},
            source=Source(
                "S3 4.3; the team's paper of 2022",
                (("SCM", "interpolated_text+positional_word2vec_tangentl"),),
            ),
        ),
        "formula2vec": System(
            "MIRMU 2020 (Formula2Vec): doc2vec of texts with formulas in prefix notation",
            {Task.ANSWERS: scm_systems.FORMULA2VEC},
            source=Source("S1 4.3; MIRMU's paper of 2020", (("MIRMU", "Formula2Vec"),)),
        ),
        "compubert": System(
            "MIRMU 2020 (CompuBERT): a bi-encoder's answers, formulas in prefix notation",
            {Task.ANSWERS: compubert.COMPUBERT},
            source=Source("S1 4.2; MIRMU's paper of 2020", (("MIRMU", "CompuBERT"),)),
        ),
        "compubert22": System(
            "MSM 2022 (CompuBERT22): a bi-encoder's answers, formulas in LaTeX",
            {Task.ANSWERS: compubert.COMPUBERT22},
            source=Source("S3 4.3", (("MSM", "CompuBERT22"),)),
        ),
        "mirmu-minilm-roberta": System(
            "MIRMU 2022: a bi-encoder's answers, by a cross-encoder within bands of ranks",
            {Task.ANSWERS: cross_systems.MIRMU_MINILM_ROBERTA},
            source=Source(
                "S3 4.4, Table 3",
                runs=(("MIRMU", "MiniLM+RoBERTa"),),
                model="MiniLM-L12, and RoBERTa-base trained on the topics of 2020",
            ),
        ),
        "mirmu-ensemble": System(
            "MIRMU 2020 (Ensemble): its systems that the index can serve, by median ranks",
            {Task.ANSWERS: median_rank_ensemble("mirmu-ensemble", MEMBERS_2020)},
            source=Source("MIRMU 2020 (S1 Table A1)", runs=(("MIRMU", "Ensemble"),)),
        ),
        "msm-ensemble": System(
            "MSM 2022 (Ensemble_RRF): systems that the index can serve, by reciprocal ranks",
            {Task.ANSWERS: reciprocal_rank_ensemble("msm-ensemble", MEMBERS_2022)},
            source=Source("MSM 2022 (S3 Table 3)", runs=(("MSM", "Ensemble_RRF"),)),
        ),
    },
)
