"""Short answers (Task 3) on the mini collection: which answer is chosen, and how near its text is.

    python -m bench.short_answers                       extracts, beside rankings cut at rank 1
    python -m bench.short_answers --model MODEL ...     texts of language models, on fewer topics

Nobody has judged these texts. An extract is judged by the Task 1 grade of the answer that it draws
from, where that answer has one; texts are compared with relevant answers (LO and CS), once with all
of them and once without those that the text was taken from.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from statistics import fmean, median, quantiles

from bench.link_topics import link_topic_set, unlinked_index
from bench.mini_scores import YEARS, chance, read_year
from bench.quality import mini_index
from bench.shared_data import shared_folder
from porism import catalog
from porism.answer.answerer import Answerer, AnswerTools
from porism.answer.extracts.extract import DEPTH, AnswerChooser, answer_chooser
from porism.answer.extracts.first_answer import FirstAnswer
from porism.answer.generated.generated_text import content_of, features
from porism.answer.short_answer import ShortAnswer
from porism.evaluation.measures import RELEVANT
from porism.evaluation.records import ByTopic
from porism.evaluation.scoring import CODES
from porism.evaluation.short_answers.contextual_encoder import packaged_encoder
from porism.evaluation.short_answers.lexical_overlap import LexicalOverlap, lexical_overlap
from porism.evaluation.short_answers.references import Reference
from porism.evaluation.short_answers.similarity import ContextualSimilarity, contextual_similarity
from porism.formats.answer_text import MAX_ANSWER_LENGTH, plain_text
from porism.formats.qrels import read_qrels
from porism.generation.generator import TextGenerator
from porism.generation.models import open_generator
from porism.generation.settings import GeneratorSettings
from porism.lab.pools.topic_posts import RankerWithoutPosts
from porism.model import Content, DocId, Task, Topic, TopicId
from porism.query.typed_topics import typed_answer_topic
from porism.rank.ranker import Ranker
from porism.searchindex.index_folder import SearchIndex

RANKINGS = ("porism", "l8", "bm25")
"""Systems of Task 1 whose first answers are compared."""

SYSTEMS = ("first-answer", "extract", "extract-sbert", "extract-bert", "passage")

YARDSTICK = "first-answer"

GENERATED_TOPICS = 12
"""Topics that language models answer, half of each year: a larger one takes a minute for each."""

SHARES = (0.0, 0.25, 0.5, 0.75, 1.0)
"""Shares of the weight of the cosine with the answer, for the choice of the first place."""

UNANSWERABLE = """
how do I bake sourdough bread at home
best hiking trails near Lake Tahoe
who won the football world cup in 1998
symptoms of vitamin D deficiency in adults
how to change the oil in a Honda Civic
what is the capital city of Mongolia
recommend a good laptop for video editing
how does photosynthesis work in desert plants
my cat refuses to eat dry food
python list comprehension with an else branch
when was the French Revolution
how to remove red wine stains from a carpet
what is the boiling point of ethanol
train my dog to stop barking at night
how much should I tip in a restaurant
difference between affect and effect in English grammar
install printer driver on Linux
average salary of a nurse in Canada
which planets have rings
how to write a cover letter
kubernetes pod keeps restarting with error 137
plot summary of Hamlet
can I grow tomatoes indoors in winter
what causes inflation in an economy
how to fix a leaking kitchen tap
Langlands functoriality for metaplectic covers of exceptional groups
perfectoid spaces tilting equivalence
motivic cohomology of Deligne Mumford stacks
Floer homology of Lagrangian cobordisms
wild ramification of l-adic sheaves Swan conductor
""".strip().splitlines()
"""Questions about other things, and five about mathematics that the collection does not have."""


@dataclass(frozen=True, slots=True)
class AnswerSet:
    """Topics with the Task 1 grades of answers, and the texts of relevant ones."""

    name: str
    topics: tuple[Topic, ...]
    grades: Mapping[TopicId, Mapping[DocId, int]]
    references: Mapping[TopicId, Mapping[DocId, str]]


@dataclass(frozen=True, slots=True)
class AnswerScores:
    """The scores of answers by topic; a topic has a grade only if its answer's source has one."""

    grades: ByTopic
    overlap: ByTopic
    similarity: ByTopic
    other_overlap: ByTopic
    answered: int

    def cells(self, reference: AnswerScores | None) -> list[str]:
        """Means for a table, with the p of the difference to a reference on the same topics."""
        graded = list(self.grades.values())
        cells = [
            str(len(graded)),
            f"{fmean(graded):.3f}" if graded else "",
            f"{fmean(grade >= RELEVANT for grade in graded):.3f}" if graded else "",
        ]
        for ours, theirs in (
            (self.overlap, reference and reference.overlap),
            (self.similarity, reference and reference.similarity),
            (self.other_overlap, reference and reference.other_overlap),
        ):
            cells.append(f"{fmean(ours.values()):.3f}" if ours else "")
            cells.append("" if not theirs else _p(ours, theirs))
        return cells


def _p(ours: ByTopic, theirs: ByTopic) -> str:
    common = ours.keys() & theirs.keys()
    return f"{chance({t: ours[t] for t in common}, {t: theirs[t] for t in common}):.2f}"


def report() -> None:
    """Print the tables of extracts."""
    shared = shared_folder()
    with mini_index(shared) as index:
        sets = [answer_set(shared, year, index) for year in YEARS]
        for line in extract_tables(index, sets):
            print(line, flush=True)
        print()
        with unlinked_index(index.collection_path, index.folder.parent) as unlinked:
            for line in choice_table(shared, index, sets, unlinked):
                print(line, flush=True)
        print()
        for line in decline_table(index, sets):
            print(line, flush=True)
        print()
        print(score_distance(index, sets))


def answer_set(shared: Path, year: int, index: SearchIndex) -> AnswerSet:
    """The topics of a year that have a judged answer in the collection."""
    qrels = read_qrels(shared / f"data/qrels/qrel_task1_{year}_official.tsv").grades
    collection = index.collection
    grades = {
        topic: {
            doc_id: 0 if grade in CODES else grade
            for doc_id, grade in judged.items()
            if collection.find_number(doc_id) is not None
        }
        for topic, judged in qrels.items()
    }
    grades = {topic: judged for topic, judged in grades.items() if judged}
    references = {
        topic: {
            doc_id: text
            for doc_id, grade in sorted(judged.items())
            if grade >= RELEVANT
            and len(text := plain_text(collection.post(doc_id).body)) <= MAX_ANSWER_LENGTH
        }
        for topic, judged in grades.items()
    }
    topics = tuple(topic for topic in read_year(shared, 1, year) if topic.id in grades)
    return AnswerSet(str(year), topics, grades, references)


def extract_tables(index: SearchIndex, sets: Sequence[AnswerSet]) -> Iterator[str]:
    """The lines of tables of systems: the answer that they draw from, and its text."""
    answerers: dict[str, Answerer] = {
        f"`{name}`, rank 1": FirstAnswer(index, catalog.ranker(name, Task.ANSWERS, index))
        for name in RANKINGS
    }
    answerers |= {f"`{name}`": catalog.answerer(name, index) for name in SYSTEMS}
    for each in sets:
        yield f"{each.name}, {len(each.topics)} topics with judged answers in the collection"
        yield ""
        yield (
            "| system | judged | AR | P@1 | LO | p | CS | p | LO without its source | p | "
            "ms beside the search: median | 95 % |"
        )
        yield "|---|---|---|---|---|---|---|---|---|---|---|---|"
        answers = {
            name: {topic.id: answerer.answer(topic) for topic in each.topics}
            for name, answerer in answerers.items()
        }
        reference = scored(each, answers[f"`{YARDSTICK}`"])
        for name, given in answers.items():
            scores = scored(each, given)
            other = None if name == f"`{YARDSTICK}`" else reference
            times = quantiles([answer.timings.extract for answer in given.values()], n=20)
            cells = [*scores.cells(other), f"{times[9]:.0f}", f"{times[18]:.0f}"]
            yield f"| {name} | {' | '.join(cells)} |"
        yield ""


def scored(topics: AnswerSet, answers: Mapping[TopicId, ShortAnswer]) -> AnswerScores:
    """The scores of answers; a topic without an answer has none."""
    overlap_measure, similarity_measure = _measures()
    grades: dict[TopicId, float] = {}
    overlap: dict[TopicId, float] = {}
    similarity: dict[TopicId, float] = {}
    other: dict[TopicId, float] = {}
    given = {topic: answer for topic, answer in answers.items() if answer.text}
    for topic, answer in given.items():
        known = topics.references[topic]
        texts = [Reference(text) for text in known.values()]
        sources = {source.doc_id for source in answer.sources}
        others = [Reference(text) for doc_id, text in known.items() if doc_id not in sources]
        if answer.sources and answer.sources[0].doc_id in topics.grades[topic]:
            grades[topic] = topics.grades[topic][answer.sources[0].doc_id]
        for target, score in (
            (overlap, lexical_overlap(answer.text, texts, overlap_measure)),
            (similarity, contextual_similarity(answer.text, texts, similarity_measure)),
            (other, lexical_overlap(answer.text, others, overlap_measure)),
        ):
            if score is not None:
                target[topic] = score
    return AnswerScores(grades, overlap, similarity, other, len(given))


@cache
def _measures() -> tuple[LexicalOverlap, ContextualSimilarity]:
    return LexicalOverlap(), ContextualSimilarity(packaged_encoder())


def choice_table(
    shared: Path, index: SearchIndex, sets: Sequence[AnswerSet], unlinked: SearchIndex
) -> Iterator[str]:
    """The lines of a table of shares of the answer's cosine: mean grade of the first place.

    In the last row the share of each set is the best on the mean of the other two.
    """
    links = link_topic_set(shared)
    by_share: dict[str, dict[float, ByTopic]] = {}
    for each in sets:
        by_share[each.name] = _first_grades(answer_chooser(index), each.topics, each.grades)
    chooser = answer_chooser(unlinked)
    without_own: Ranker = RankerWithoutPosts(chooser.ranker, links.leave_out)
    # The judgments of links say only what is relevant, so all else counts 0.
    known = {topic.id: links.qrels.grades[topic.id] for topic in links.topics}
    by_share["links"] = _first_grades(
        replace(chooser, ranker=without_own), links.topics, known, unjudged=0.0
    )
    names = list(by_share)
    yield f"| share of the cosine | {' | '.join(names)} |"
    yield f"|---|{'---|' * len(names)}"
    for share in SHARES:
        cells = (_grade_cell(by_share[name][share], by_share[name][1.0]) for name in names)
        yield f"| {share:g} | {' | '.join(cells)} |"
    held_out = []
    for name in names:
        others = [other for other in names if other != name]
        best = max(SHARES, key=lambda each: sum(fmean(by_share[o][each].values()) for o in others))
        held_out.append(f"{fmean(by_share[name][best].values()):.3f} ({best:g})")
    yield f"| chosen on the other two | {' | '.join(held_out)} |"


def _grade_cell(grades: ByTopic, reference: ByTopic) -> str:
    common = grades.keys() & reference.keys()
    better = sum(grades[topic] > reference[topic] for topic in common)
    worse = sum(grades[topic] < reference[topic] for topic in common)
    return f"{fmean(grades.values()):.3f} ({len(grades)}; +{better} -{worse})"


def _first_grades(
    chooser: AnswerChooser,
    topics: Iterable[Topic],
    grades: Mapping[TopicId, Mapping[DocId, int]],
    unjudged: float | None = None,
) -> dict[float, ByTopic]:
    """The grade of the first place of each topic, by the share of the cosine."""
    by_share: dict[float, dict[TopicId, float]] = {share: {} for share in SHARES}
    for topic in topics:
        hits = chooser.ranker.rank(topic, chooser.depth)
        for share, found in by_share.items():
            chosen = replace(chooser, answer_cosine=share).of_ranking(topic, hits).every
            if chosen:
                grade = grades[topic.id].get(chosen[0].post.post.id, unjudged)
                if grade is not None:
                    found[topic.id] = grade
    return dict(by_share)


def decline_table(index: SearchIndex, sets: Sequence[AnswerSet]) -> Iterator[str]:
    """The lines of a table of the questions that ``extract`` declines."""
    answerer = catalog.answerer("extract", index)
    kinds: dict[str, list[Topic]] = {
        "questions about other things": [
            typed_answer_topic(question).topic for question in UNANSWERABLE
        ]
    }
    for each in sets:
        relevant = [topic for topic in each.topics if max(each.grades[topic.id].values()) >= 2]
        kinds[f"topics of {each.name} with a relevant answer"] = relevant
        titles = [replace(topic, body=(), tags=()) for topic in relevant]
        kinds[f"their titles alone, {each.name}"] = titles
    yield "| questions | number | declined |"
    yield "|---|---|---|"
    for name, topics in kinds.items():
        declined = sum(not answerer.answer(topic).text for topic in topics)
        yield f"| {name} | {len(topics)} | {declined} |"


def score_distance(index: SearchIndex, sets: Sequence[AnswerSet]) -> str:
    """How far the scores of the answers are apart among which the first place is chosen."""
    ranker = answer_chooser(index).ranker
    rankings = [ranker.rank(topic, DEPTH) for each in sets for topic in each.topics]
    distance = median(hits[0].score - hits[-1].score for hits in rankings if hits)
    return f"median distance of the scores of the first and the {DEPTH}th answer: {distance:.2f}"


# Language models


def generation_report(models: Sequence[str], systems: Sequence[str], number: int) -> None:
    """Print a table of language models, on the first topics of both years."""
    shared = shared_folder()
    with mini_index(shared) as index:
        sets = [answer_set(shared, year, index) for year in YEARS]
        sets = [_with_references(each, number // len(sets)) for each in sets]
        for line in generation_table(index, sets, models, systems):
            print(line, flush=True)


def _with_references(each: AnswerSet, number: int) -> AnswerSet:
    topics = [topic for topic in each.topics if each.references[topic.id]]
    return replace(each, topics=tuple(topics[:number]))


def generation_table(
    index: SearchIndex, sets: Sequence[AnswerSet], models: Sequence[str], systems: Sequence[str]
) -> Iterator[str]:
    """The lines of the table; ``first-answer`` and ``extract`` are the first rows."""
    topics = sum(len(each.topics) for each in sets)
    yield f"{topics} topics of {' and '.join(each.name for each in sets)}"
    yield ""
    yield (
        "| system | model | answered | sentences with a citation | by the model itself | "
        "formulas in the sources | LO | p | CS | p | s |"
    )
    yield "|---|---|---|---|---|---|---|---|---|---|---|"
    reference: AnswerScores | None = None
    for name in (YARDSTICK, "extract"):
        answers = _answers(catalog.answerer(name, index), sets)
        scores = _joined(sets, answers)
        yield _generated_row(name, "", answers, scores, reference)
        reference = reference or scores
    for model in models:
        generator = open_generator(GeneratorSettings(model))
        try:
            for name in systems:
                answers = _answers(_answerer(name, index, generator), sets)
                yield _generated_row(
                    name, generator.name, answers, _joined(sets, answers), reference
                )
        finally:
            generator.close()


def _answerer(name: str, index: SearchIndex, generator: TextGenerator) -> Answerer:
    return catalog.answerer(name, index, AnswerTools(generator))


def _answers(answerer: Answerer, sets: Sequence[AnswerSet]) -> dict[TopicId, ShortAnswer]:
    return {topic.id: answerer.answer(topic) for each in sets for topic in each.topics}


def _joined(sets: Sequence[AnswerSet], answers: Mapping[TopicId, ShortAnswer]) -> AnswerScores:
    parts = [scored(each, {topic.id: answers[topic.id] for topic in each.topics}) for each in sets]

    def merged(values: Callable[[AnswerScores], ByTopic]) -> ByTopic:
        return {topic: value for part in parts for topic, value in values(part).items()}

    return AnswerScores(
        merged(lambda part: part.grades),
        merged(lambda part: part.overlap),
        merged(lambda part: part.similarity),
        merged(lambda part: part.other_overlap),
        sum(part.answered for part in parts),
    )


def _generated_row(
    name: str,
    model: str,
    answers: Mapping[TopicId, ShortAnswer],
    scores: AnswerScores,
    reference: AnswerScores | None,
) -> str:
    given = [answer for answer in answers.values() if answer.text]
    sentences = [sentence for answer in given for sentence in answer.sentences]
    found, total = 0, 0
    for answer in given:
        formulas = features(content_of(answer.text)).formulas
        in_sources = features(_joined_passages(answer)).formulas
        found += len(formulas & in_sources)
        total += len(formulas)
    # Of what a model wrote without sources, nothing can be cited.
    has_sources = bool(sentences)
    cells = [
        f"`{name}`",
        model,
        f"{len(given)} of {len(answers)}",
        _share(sum(bool(each.sources) for each in sentences), len(sentences)),
        _share(sum(each.is_by_model for each in sentences), len(sentences)),
        _share(found, total) if has_sources else "",
        *scores.cells(reference)[3:7],
        f"{fmean(a.timings.extract + a.timings.generate for a in answers.values()) / 1000:.2f}",
    ]
    return f"| {' | '.join(cells)} |"


def _joined_passages(answer: ShortAnswer) -> Content:
    return tuple(piece for each in answer.sources for piece in content_of(each.passage))


def _share(part: int, whole: int) -> str:
    return f"{part / whole:.2f}" if whole else ""


def main() -> None:
    """Print the tables that the arguments name."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", action="append", default=[], help="GGUF file, or smollm2")
    parser.add_argument("--system", action="append", default=[], help="default: generate")
    parser.add_argument("--topics", type=int, default=GENERATED_TOPICS)
    arguments = parser.parse_args()
    if arguments.model:
        generation_report(arguments.model, arguments.system or ["generate"], arguments.topics)
    else:
        report()


if __name__ == "__main__":
    main()
