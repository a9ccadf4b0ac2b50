"""The names of the systems of teams with few."""

from __future__ import annotations

from porism.answer.generated import prompted
from porism.catalog.system import Family, Source, System, systems_of
from porism.model import Task
from porism.rank.ensembles import psu, zbmath
from porism.rank.neural import cross_systems
from porism.rank.structure import nits, tangent_cft

OTHER_TEAMS = systems_of(
    Family.OTHER_TEAMS,
    {
        "psu": System(
            "PSU 2020: BM25, TF-IDF more like this and sentence vectors, by reciprocal ranks",
            {Task.ANSWERS: psu.PSU},
            source=Source(
                "PSU 2020 (S1 Table A1); which run had which parts is not in S1",
                runs=(("PSU", "PSU1"), ("PSU", "PSU2"), ("PSU", "PSU3")),
                model="RoBERTa-base, further trained on the posts of ARQMath",
            ),
        ),
        "zbmath": System(
            "zbMATH 2020: l8 with the concepts of its formulas; needs a table of concepts",
            {Task.ANSWERS: zbmath.ZBMATH},
            source=Source(
                "zbMATH 2020 (S1 Table A1)",
                runs=(("zbMATH", "zbMATH"),),
                note="queries made by hand, for 32 topics",
            ),
        ),
        "tu-dbs": System(
            "TU_DBS 2021, 2022: the first of l8 by a cross-encoder over question and answer",
            {Task.ANSWERS: cross_systems.TU_DBS},
            source=Source(
                "TU_DBS 2021, 2022 (S3 Table 3)",
                runs=(("TU_DBS", "math_10"), ("TU_DBS", "base_10")),
                model="ALBERT-base, further trained on posts with formulas",
                note="scored all answers",
            ),
        ),
        "tu-dbs-generate": System(
            "TU_DBS 2022: short answers by a language model that porism train generator made",
            {},
            prompted.TU_DBS_GENERATE,
            source=Source(
                "TU_DBS 2022 (S3 Table 5)",
                runs=tuple(
                    ("TU_DBS", run)
                    for run in (
                        "amps3_se1_hints",
                        "se3_len_pen_10",
                        "amps3_se1_len_pen_20_sample_hint",
                        "shortest",
                    )
                ),
                model="GPT-2, fine-tuned on AMPS and on posts of Math Stack Exchange",
            ),
            needs_generator=True,
        ),
        "nits-bits": System(
            "NLP_NITS 2020: the share of symbols at the same positions",
            {Task.FORMULAS: nits.NITS_BITS},
            source=Source("NLP_NITS 2020 (S1 Table A2)", runs=(("NLP_NITS", "formulaembedding"),)),
        ),
        "nits-embedding": System(
            "JU_NITS 2022: embedded sequences of LaTeX and tree strings; needs porism train nits",
            {Task.FORMULAS: tangent_cft.NITS_EMBEDDING},
            source=Source(
                "JU_NITS 2022 (S3 Table 4)",
                runs=(
                    ("JU_NITS", "formulaL"),
                    ("JU_NITS", "formulaO"),
                    ("JU_NITS", "formulaS"),
                ),
            ),
        ),
    },
)
