"""Visually distinct formulas and the facts of their posts, beside a plain implementation."""

from collections import defaultdict
from pathlib import Path

import pytest

from porism.collection.formulas.visual_groups import VisualFormula, visual_formulas
from porism.collection.ingest.pipeline import IngestOptions, ingest
from porism.collection.sample import sample_source
from porism.collection.store import Collection, StoredInstance, open_collection
from porism.model import Post


@pytest.fixture(scope="module")
def collection(tmp_path_factory: pytest.TempPathFactory) -> Collection:
    folder = tmp_path_factory.mktemp("groups") / "sample"
    ingest(sample_source(), folder, IngestOptions(jobs=1))
    return open_collection(folder)


def plain_groups(collection: Collection) -> list[VisualFormula]:
    """The formulas, from the records of instances and posts."""
    groups: dict[int, list[StoredInstance]] = defaultdict(list)
    for instance in collection.instances():
        groups[int(instance.effective_visual_id)].append(instance)
    return [_plain_group(collection, groups[visual_id]) for visual_id in sorted(groups)]


def _plain_group(collection: Collection, instances: list[StoredInstance]) -> VisualFormula:
    instances.sort(key=lambda each: (each.comment_id is not None, int(each.id)))
    everywhere = [collection.post(each.post_id) for each in instances]
    in_posts = [
        post for post, each in zip(everywhere, instances, strict=True) if each.comment_id is None
    ]
    questions = {post.id: _question(collection, post) for post in everywhere}
    owners = [post.owner_id for post in in_posts if post.owner_id]
    names = [name for owner in owners if (name := collection.user_name(owner))]
    return VisualFormula(
        visual_id=instances[0].effective_visual_id,
        formula=instances[0].formula.number,
        is_in_post=bool(in_posts),
        tags=tuple(sorted({tag for post in everywhere for tag in questions[post.id].tags})),
        years=tuple(sorted({post.created[:4] for post in everywhere if post.created})),
        votes=max((post.score for post in in_posts if post.score is not None), default=None),
        is_accepted=any(questions[post.id].accepted_id == post.id for post in in_posts),
        users=tuple(sorted({*owners, *names})),
    )


def _question(collection: Collection, post: Post) -> Post:
    return post if post.parent_id is None else collection.post(post.parent_id)


@pytest.mark.parametrize("most", [1_000_000, 100, 7])
def test_groups_are_those_of_a_plain_implementation(collection: Collection, most: int) -> None:
    expected = plain_groups(collection)
    assert len(expected) > 100
    assert list(visual_formulas(collection, most)) == expected


def test_a_collection_without_formulas_has_none(tmp_path: Path) -> None:
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "plain.md").write_text("Only words.")
    ingest(tmp_path / "notes", tmp_path / "collection", IngestOptions(jobs=1))
    with open_collection(tmp_path / "collection") as collection:
        assert list(visual_formulas(collection)) == []
