"""An assessment as it is published: a batch with all that was said of it, and how that counts."""

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
    """How judgments become files.

    ``rule`` decides where assessors differ. Topics with fewer relevant documents (H+M) than
    ``fewest_relevant`` are left out of the qrels, but not of the complete ones. ``has_names`` keeps
    the names of assessors; else they are numbers.
    """

    rule: DisputeRule = DisputeRule.FIRST
    fewest_relevant: int = 2
    has_names: bool = True


@dataclass(frozen=True)  # without slots, which cannot keep what was computed
class AssessedBatch:
    """The pool of a batch and all that was said about it, and in the training before it.

    ``earlier`` are the grades that the candidates of training rounds had, by batch.
    """

    batch: str
    pool: Pool
    judgments: tuple[Judgment, ...]
    annotations: tuple[Annotation, ...] = ()
    instructions: tuple[Instructions, ...] = (Instructions(),)
    training: tuple[Judgment, ...] = ()
    earlier: Mapping[str, Qrels] = field(default_factory=dict)
    form: AssessmentExportSettings = AssessmentExportSettings()
    collection: Collection | None = None

    @cached_property
    def published_judgments(self) -> tuple[Judgment, ...]:
        """The judgments with the names of assessors, or with numbers in their place."""
        return self._named(self.judgments)

    @cached_property
    def rounds(self) -> tuple[Judgment, ...]:
        """The same of those in training."""
        return self._named(self.training)

    @cached_property
    def published_annotations(self) -> tuple[Annotation, ...]:
        """The same of the annotations."""
        return self._named(self.annotations)

    @cached_property
    def _numbers(self) -> dict[str, str]:
        return assessor_numbers((*self.judgments, *self.training), self.annotations)

    def _named(self, acts: tuple[AssessorAct, ...]) -> tuple[AssessorAct, ...]:
        return acts if self.form.has_names else with_assessor_names(acts, self._numbers)

    @cached_property
    def finals(self) -> dict[CandidateKey, FinalChoice]:
        """What the judgments of each candidate come to."""
        return final_choices(self.published_judgments, self.form.rule, self.annotations)

    @cached_property
    def unjudged(self) -> int:
        """How many candidates of the pool nobody has judged."""
        every = ((each.topic_id, each.doc_id) for each in self.pool.candidates)
        return sum(key not in self.finals for key in every)

    @cached_property
    def statistics(self) -> AssessmentStatistics:
        """The numbers of the assessment."""
        form = StatisticsSettings(self.form.rule, fewest_relevant=self.form.fewest_relevant)
        return assessment_statistics(self.published_judgments, self.pool, form, self.finals)

    @cached_property
    def dropped(self) -> tuple[TopicId, ...]:
        """The topics that have too few relevant documents."""
        return self.statistics.dropped


def assessed_batch(
    store: JudgmentStore,
    batch: AssessmentBatch,
    form: AssessmentExportSettings,
    collection: Collection | None = None,
) -> AssessedBatch:
    """A batch with all that a store knows of it; training rounds are those besides it."""
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
        form=form,
        collection=collection,
    )
