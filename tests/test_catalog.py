"""The catalog: systems by name and task."""

import subprocess
import sys
from pathlib import Path

import pytest

from porism.catalog import (
    SYSTEMS,
    answerer,
    default_ranker,
    index_plan,
    ranker,
    ranking_notes,
    uses_vectors,
    vector_model,
)
from porism.collection.store import open_collection
from porism.errors import PorismError
from porism.model import Task
from porism.rank import vector_ranking
from porism.searchindex.builder import IndexOptions, build_index
from porism.searchindex.components.vector_index import VectorSpec
from porism.searchindex.index_folder import open_index
from tests.searchindex.hash_encoder import IDENTITY


def test_a_system_has_no_maker_for_a_task_it_does_not_do() -> None:
    assert SYSTEMS["l8"].maker(Task.SHORT_ANSWERS) is None
    assert SYSTEMS["linked"].maker(Task.FORMULAS) is None
    assert SYSTEMS["l8"].maker(Task.FORMULAS) is not SYSTEMS["l8"].maker(Task.ANSWERS)


def test_a_task_that_a_system_does_not_do_is_refused(sample_index: Path) -> None:
    with open_index(sample_index) as search_index:
        with pytest.raises(PorismError, match="l8 does not do Task 3; these do: gpt3-prompt, "):
            ranker("l8", Task.SHORT_ANSWERS, search_index)
        with pytest.raises(PorismError, match="linked does not do Task 2; these do: tfidf"):
            ranker("linked", Task.FORMULAS, search_index)


def test_the_default_ranker_is_the_best_system_or_the_named_one(sample_index: Path) -> None:
    with open_index(sample_index) as search_index:
        assert default_ranker(Task.ANSWERS, search_index)[0] == "porism"
        name, chosen = default_ranker(Task.ANSWERS, search_index, "l8")
        assert (name, chosen) == ("l8", ranker("l8", Task.ANSWERS, search_index))


def test_systems_that_use_vectors() -> None:
    using = {name for name in SYSTEMS if uses_vectors([name])}
    minilm = {"minilm", "minilm-questions", "minilm-answers", "minilm-maxsim"}
    neural = {*minilm, "hybrid", "compubert22"}
    assert {*neural, "compubert", "porism", "passage"} <= using
    assert not uses_vectors([])
    assert uses_vectors(["l8", "porism"])
    for name in neural:
        assert VectorSpec() in index_plan([name])
    assert VectorSpec() not in index_plan(["porism", "passage"])


@pytest.mark.usefixtures("hash_encoder")
def test_the_model_is_that_of_tasks_that_use_it(
    hash_index: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with open_index(hash_index) as search_index:
        for name, task in (
            ("porism", Task.ANSWERS),
            ("minilm", Task.ANSWERS),
            ("passage", Task.SHORT_ANSWERS),
        ):
            assert vector_model(name, task, search_index) == IDENTITY
            assert ranking_notes(name, task, search_index) == ()
        assert vector_model("porism", Task.FORMULAS, search_index) is None
        assert vector_model("l8", Task.ANSWERS, search_index) is None
        monkeypatch.setattr(vector_ranking, "is_installed", lambda model: False)
        assert vector_model("porism", Task.ANSWERS, search_index) is None
        (note,) = ranking_notes("porism", Task.ANSWERS, search_index)
        assert note.startswith("porism ranks without vectors: ")
        assert "by minilm, which is not installed here" in note
        assert ranking_notes("passage", Task.SHORT_ANSWERS, search_index)
        assert ranking_notes("porism", Task.FORMULAS, search_index) == ()
        assert ranking_notes("l8", Task.ANSWERS, search_index) == ()
        assert answerer("passage", search_index)


def test_an_index_without_vectors_is_refused_with_the_command_that_adds_them(
    sample_collection: Path, tmp_path: Path
) -> None:
    with open_collection(sample_collection) as collection:
        build_index(
            collection, tmp_path, index_plan(["tfidf"]), IndexOptions(), lambda progress: None
        )
    with open_index(tmp_path) as search_index:
        message = r"lacks what minilm needs \(vectors by minilm\); .* --systems minilm --vectors$"
        with pytest.raises(PorismError, match=message):
            ranker("minilm", Task.ANSWERS, search_index)
        with pytest.raises(PorismError, match=r"--systems l8$"):
            ranker("l8", Task.ANSWERS, search_index)


def test_the_catalog_loads_no_package_that_only_some_users_have() -> None:
    optional = {"httpx", "onnx", "onnxruntime", "safetensors", "tokenizers", "torch", "xllamacpp"}
    code = "import sys, porism.catalog; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not optional & set(done.stdout.split())
