"""The sample of answers to annotate as machine-generated or unrelated.

S3 section 6.4.3: a sample of the answers of Tasks 1 and 3 was annotated by assessors.
"""

from __future__ import annotations

from collections.abc import Mapping

from porism.assess.judgments.final_grades import CandidateKey, FinalChoice
from porism.assess.records import Candidate, Pool
from porism.assess.seeded_keys import seeded_key


def annotation_sample(
    pool: Pool, finals: Mapping[CandidateKey, FinalChoice], size: int, seed: int = 0
) -> tuple[Candidate, ...]:
    """Judged candidates, drawn at random: half of them short answers, if there are enough.

    A larger sample with the same seed contains the smaller one, so it can be extended. The order is
    that of the pool. Candidates without a final choice are not drawn.
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
