"""The names of the systems of DPRL."""

from __future__ import annotations

from porism.answer.extracts import summaries
from porism.catalog.system import Family, Source, System, systems_of
from porism.model import Task
from porism.rank.question_matching import learned_rankers, similar_questions
from porism.rank.structure import ltr, math_amr, phoc, tangent_cft

DPRL = systems_of(
    Family.DPRL,
    {
        "tangent-cft": System(
            "DPRL 2020 (TangentCFT): embedded tuples of both trees; needs porism train cft",
            {Task.FORMULAS: tangent_cft.TANGENT_CFT},
            source=Source("DPRL 2020 (S1 Table A2)", runs=(("DPRL", "TangentCFT"),)),
        ),
        "tangent-cft-ted": System(
            "DPRL 2020 (TangentCFTED): its first 1,000 by weighted tree edit distance",
            {Task.FORMULAS: tangent_cft.TANGENT_CFT_TED},
            source=Source(
                "DPRL 2020 (S1 Table A2; S4 Table 8)",
                runs=(
                    ("DPRL", "TangentCFTED"),
                    ("DPRL", "Tangent-CFTED"),
                ),
            ),
        ),
        "ltr": System(
            "DPRL's learning to rank: tangent-s, re-ranked by weighted structural features",
            {Task.FORMULAS: ltr.LTR},
            source=Source(
                "DPRL 2021 and 2022 (S4 Table 8; S3 Table 4)",
                runs=(
                    ("DPRL", "ltrall"),
                    ("DPRL", "LTR"),
                ),
            ),
            learned_on=("2020", "2021"),
        ),
        "xy-phoc": System(
            "XY-PHOC 2022 (xy7o4): where symbols are printed, by strips and ovals, by cosine",
            {Task.FORMULAS: phoc.XY_PHOC},
            source=Source("XY-PHOC 2022 (S3 Table 4)", runs=(("XYPhoc", "xy7o4"),)),
        ),
        "xy-phoc-xy5": System(
            "XY-PHOC 2022 (xy5): the same with strips of five levels",
            {Task.FORMULAS: phoc.XY_PHOC_XY5},
            source=Source("XY-PHOC 2022 (S3 Table 4)", runs=(("XYPhoc", "xy5"),)),
        ),
        "dprl-qq-qa": System(
            "DPRL 2022 (QQ-QA-RawText): answers to similar questions, by both similarities",
            {Task.ANSWERS: similar_questions.QQ_QA},
            source=Source("DPRL 2021 and 2022 (S3 Table 3)", runs=(("DPRL", "QQ-QA-RawText"),)),
        ),
        "dprl-qq-qa-amr": System(
            "DPRL 2022 (QQ-QA-AMR): dprl-qq-qa, questions compared as graphs with operators",
            {Task.ANSWERS: similar_questions.QQ_QA_AMR},
            source=Source("DPRL 2022 (S3 Table 3)", runs=(("DPRL", "QQ-QA-AMR"),)),
        ),
        "dprl-qq-votes": System(
            "DPRL 2021 (MathSE): answers to similar questions, by similarity and votes",
            {Task.ANSWERS: similar_questions.QQ_VOTES},
            source=Source("DPRL 2021 and 2022 (S3 Table 3)", runs=(("DPRL", "QQ-MathSE-AMR"),)),
        ),
        "dprl-svm": System(
            "DPRL 2022 (SVM-Rank): answers to similar questions, by learned weights",
            {Task.ANSWERS: learned_rankers.DPRL_SVM},
            source=Source("DPRL 2022 (S3 Table 3)", runs=(("DPRL", "SVM-Rank"),)),
            learned_on=("2020", "2021"),
        ),
        "dprl-rrf": System(
            "DPRL 2022 (RRF-AMR-SVM): reciprocal ranks of the two and the same with graphs",
            {Task.ANSWERS: learned_rankers.DPRL_RRF},
            source=Source("DPRL 2022 (S3 Table 3)", runs=(("DPRL", "RRF-AMR-SVM"),)),
            learned_on=("2020", "2021"),
        ),
        "extract-sbert": System(
            "DPRL 2022: the first answer of dprl-svm, summarised by a sentence encoder",
            {},
            summaries.EXTRACT_SBERT,
            source=Source(
                "DPRL 2022 (S3 Table 5)", runs=(("DPRL", "SBERT-SVMRank"), ("DPRL", "SBERT-QQ-AMR"))
            ),
            learned_on=("2020", "2021"),
        ),
        "extract-bert": System(
            "DPRL 2022: the same with hidden states of a BERT model",
            {},
            summaries.EXTRACT_BERT,
            source=Source(
                "DPRL 2022 (S3 Table 5)", runs=(("DPRL", "BERT-SVMRank"), ("DPRL", "BERT-QQ-AMR"))
            ),
            learned_on=("2020", "2021"),
        ),
        "math-amr": System(
            "DPRL 2022 (MathAMR): approach0, re-ranked by sentences with operator trees",
            {Task.FORMULAS: math_amr.MATH_AMR},
            source=Source(
                "DPRL 2022 (S3 Table 4)",
                runs=(("DPRL", "MathAMR"), ("DPRL", "T-CFT2TED+MathAMR")),
            ),
        ),
    },
)
