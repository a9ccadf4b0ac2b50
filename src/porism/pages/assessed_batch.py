"""A published assessment: a batch with its judgments, annotations and final grades."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from porism.assess.assessment_statistics import (
    AssessmentStatistics,
    StatisticsSettings,
    assessment_statistics,
)
from porism.assess.judgments.final_grades import (
    CandidateKey,
    DisputeRule,
    FinalChoice,
    final_choices,
)
from porism.assess.judgments.judgment_file import (
    AssessorAct,
    assessor_numbers,
    with_assessor_names,
)
from porism.assess.judgments.store import JudgmentStore
from porism.assess.records import (
    Annotation,
    AssessmentBatch,
    BatchKind,
    Instructions,
    Judgment,
    Pool,
)
from porism.collection.store import Collection
from porism.model import Qrels, TopicId


@dataclass(frozen=True, slots=True)
class AssessmentExportSettings:
    """How judgments are exported.

    ``rule`` resolves disagreements. Topics with fewer than ``fewest_relevant`` relevant documents
    (H+M) are dropped from the qrels, but not from the complete ones. ``has_names`` keeps the names
    of assessors; otherwise they are replaced by numbers.
    """

    rule: DisputeRule = DisputeRule.FIRST
    fewest_relevant: int = 2
    has_names: bool = True


@dataclass(frozen=True)  # without slots: cached_property needs a __dict__
class AssessedBatch:
    """The pool of a batch with its judgments and annotations, and the training judgments.

    ``earlier`` has the earlier grades of the candidates of training rounds, by batch.
    """

    batch: str
    pool: Pool
    judgments: tuple[Judgment, ...]
    annotations: tuple[Annotation, ...] = ()
    instructions: tuple[Instructions, ...] = (Instructions(),)
    training: tuple[Judgment, ...] = ()
    earlier: Mapping[str, Qrels] = field(default_factory=dict)
    settings: AssessmentExportSettings = AssessmentExportSettings()
    collection: Collection | None = None

    @cached_property
    def published_judgments(self) -> tuple[Judgment, ...]:
        """The judgments, with names of assessors or numbers instead."""
        return self._named(self.judgments)

    @cached_property
    def published_training(self) -> tuple[Judgment, ...]:
        """The training judgments, named in the same way."""
        return self._named(self.training)

    @cached_property
    def published_annotations(self) -> tuple[Annotation, ...]:
        """The annotations, named in the same way."""
        return self._named(self.annotations)

    @cached_property
    def _numbers(self) -> dict[str, str]:
        return assessor_numbers((*self.judgments, *self.training), self.annotations)

    def _named(self, acts: tuple[AssessorAct, ...]) -> tuple[AssessorAct, ...]:
        return acts if self.settings.has_names else with_assessor_names(acts, self._numbers)

    @cached_property
    def finals(self) -> dict[CandidateKey, FinalChoice]:
        """The final choice for each judged candidate."""
        return final_choices(self.published_judgments, self.settings.rule, self.annotations)

    @cached_property
    def unjudged(self) -> int:
        """The number of unjudged candidates in the pool."""
        keys = ((each.topic_id, each.doc_id) for each in self.pool.candidates)
        return sum(key not in self.finals for key in keys)

    @cached_property
    def statistics(self) -> AssessmentStatistics:
        """The statistics of the assessment."""
        settings = StatisticsSettings(
            self.settings.rule, fewest_relevant=self.settings.fewest_relevant
        )
        return assessment_statistics(self.published_judgments, self.pool, settings, self.finals)

    @cached_property
    def dropped(self) -> tuple[TopicId, ...]:
        """The topics with too few relevant documents."""
        return self.statistics.dropped


def assessed_batch(
    store: JudgmentStore,
    batch: AssessmentBatch,
    settings: AssessmentExportSettings,
    collection: Collection | None = None,
) -> AssessedBatch:
    """A batch and its data from a store, with the training rounds other than itself."""
    rounds = [
        each.name
        for each in store.batches()
        if each.kind is BatchKind.TRAINING and each.name != batch.name
    ]
    return AssessedBatch(
        batch=batch.name,
        pool=store.pool(batch.name),
        judgments=store.judgments(batch.name),
        annotations=store.annotations(batch.name),
        instructions=store.instructions(),
        training=tuple(judgment for name in rounds for judgment in store.judgments(name)),
        earlier={name: store.earlier_grades(name) for name in rounds},
        settings=settings,
        collection=collection,
    )
