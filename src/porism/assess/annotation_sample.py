"""Which answers are annotated: whether a machine made them, and whether they stray.

S3 section 6.4.3: a sample of the answers of Tasks 1 and 3 was given to assessors for this.
"""

from __future__ import annotations

from collections.abc import Mapping

from porism.assess.judgments.final_grades import CandidateKey, FinalChoice
from porism.assess.records import Candidate, Pool
from porism.assess.seeded_keys import seeded_key


def annotation_sample(
    pool: Pool, finals: Mapping[CandidateKey, FinalChoice], size: int, seed: int = 0
) -> tuple[Candidate, ...]:
    """Judged candidates, drawn by chance: half of them short answers, if there are as many.

    A larger sample of the same seed has the smaller one in it, so that one can go on. The order is
    that of the pool. Candidates without a choice are not drawn, since annotations stand beside it.
    """
    judged = [each for each in pool.candidates if (each.topic_id, each.doc_id) in finals]
    drawn = sorted(
        judged, key=lambda each: seeded_key(seed, "annotate", each.topic_id, each.doc_id)
    )
    short = [each for each in drawn if each.text]
    posts = [each for each in drawn if not each.text]
    from_short = min(len(short), max(size // 2, size - len(posts)))
    chosen = {*short[:from_short], *posts[: size - from_short]}
    return tuple(each for each in judged if each in chosen)
