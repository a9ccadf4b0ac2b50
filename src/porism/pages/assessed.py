"""An assessment as it is published: a batch with all that was said of it, and how that counts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from porism.assess.final_grades import (
    Final,
    Key,
    Rule,
    final_choices,
)
from porism.assess.raw_judgments import Act, assessor_numbers, renamed
from porism.assess.records import (
    Annotation,
    Batch,
    BatchKind,
    Instructions,
    Judgment,
    Pool,
)
from porism.assess.statistics import Statistics, StatisticsForm, statistics
from porism.assess.store import Store
from porism.collection.store import Collection
from porism.model import Qrels, TopicId


@dataclass(frozen=True, slots=True)
class ExportForm:
    """How judgments become files.

    ``rule`` decides where assessors differ. Topics with fewer relevant documents (H+M) than
    ``fewest_relevant`` are left out of the qrels, but not of the complete ones. ``has_names`` keeps
    the names of assessors; else they are numbers.
    """

    rule: Rule = Rule.FIRST
    fewest_relevant: int = 2
    has_names: bool = True


@dataclass(frozen=True)  # without slots, which cannot keep what was computed
class Assessed:
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
    form: ExportForm = ExportForm()
    collection: Collection | None = None

    @cached_property
    def told(self) -> tuple[Judgment, ...]:
        """The judgments with the names of assessors, or with numbers in their place."""
        return self._named(self.judgments)

    @cached_property
    def rounds(self) -> tuple[Judgment, ...]:
        """The same of those in training."""
        return self._named(self.training)

    @cached_property
    def told_annotations(self) -> tuple[Annotation, ...]:
        """The same of the annotations."""
        return self._named(self.annotations)

    @cached_property
    def _numbers(self) -> dict[str, str]:
        return assessor_numbers((*self.judgments, *self.training), self.annotations)

    def _named(self, acts: tuple[Act, ...]) -> tuple[Act, ...]:
        return acts if self.form.has_names else renamed(acts, self._numbers)

    @cached_property
    def finals(self) -> dict[Key, Final]:
        """What the judgments of each candidate come to."""
        return final_choices(self.told, self.form.rule, self.annotations)

    @cached_property
    def unjudged(self) -> int:
        """How many candidates of the pool nobody has judged."""
        every = ((each.topic_id, each.doc_id) for each in self.pool.candidates)
        return sum(key not in self.finals for key in every)

    @cached_property
    def statistics(self) -> Statistics:
        """The numbers of the assessment."""
        form = StatisticsForm(self.form.rule, fewest_relevant=self.form.fewest_relevant)
        return statistics(self.told, self.pool, form, self.finals)

    @cached_property
    def dropped(self) -> tuple[TopicId, ...]:
        """The topics that have too few relevant documents."""
        return self.statistics.dropped


def assessed_batch(
    store: Store, batch: Batch, form: ExportForm, collection: Collection | None = None
) -> Assessed:
    """A batch with all that a store knows of it; training rounds are those besides it."""
    rounds = [
        each.name
        for each in store.batches()
        if each.kind is BatchKind.TRAINING and each.name != batch.name
    ]
    return Assessed(
        batch=batch.name,
        pool=store.pool(batch.name),
        judgments=store.judgments(batch.name),
        annotations=store.annotations(batch.name),
        instructions=store.instructions(),
        training=tuple(judgment for name in rounds for judgment in store.judgments(name)),
        earlier={name: store.earlier(name) for name in rounds},
        form=form,
        collection=collection,
    )
