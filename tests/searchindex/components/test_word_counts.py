"""Counts of words: added by updates, bounded, and read as they were written."""

from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from porism.analysis import Unit
from porism.inverted import IndexFormatError
from porism.searchindex.components import word_counts
from porism.searchindex.components.word_counts import (
    Vocabulary,
    WordCountIndex,
    WordCounts,
    counted_words,
)

words = st.text(st.characters(categories=["Ll"]), min_size=3, max_size=12)


def written(folder: Path, *updates: Counter[str]) -> WordCountIndex:
    component = WordCountIndex(Unit.QUESTIONS)
    for counts in updates:
        writer = component.writer(folder, 0)
        writer.add((), counts)
        component = writer.flush()
        writer.close()
    return component


@given(st.lists(st.dictionaries(words, st.integers(1, 10**6)), min_size=1, max_size=3))
def test_counts_of_all_updates_add_up(
    tmp_path_factory: pytest.TempPathFactory, updates: list[dict[str, int]]
) -> None:
    folder = tmp_path_factory.mktemp("words") / "counts"
    component = written(folder, *map(Counter, updates))
    total: Counter[str] = Counter()
    for each in updates:
        total.update(each)
    assert component.open(folder).counts == total
    assert WordCountIndex.from_record(component.record(), folder) == component


def test_an_update_without_words_writes_nothing(tmp_path: Path) -> None:
    component = written(tmp_path, Counter(limit=2))
    assert component.writer(tmp_path, 0).flush() == component
    assert len(list(tmp_path.iterdir())) == 1


def test_the_rarest_words_are_forgotten(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(word_counts, "MOST_WORDS", 2)
    component = written(tmp_path, Counter(limit=3, series=2, sum=1), Counter(sum=1))
    assert component.open(tmp_path).counts == {"limit": 3, "series": 2}


def test_a_writer_forgets_while_it_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(word_counts, "MOST_COUNTED", 4)
    writer = WordCountIndex(Unit.ANSWERS).writer(tmp_path / "words", 0)
    writer.add((), Counter(limit=5, series=4, sum=3, rare=1, rarer=1))
    assert writer.flush().open(tmp_path / "words").counts == {"limit": 5, "series": 4}


def test_a_damaged_file_is_refused_by_an_update(tmp_path: Path) -> None:
    component = written(tmp_path, Counter(limit=3, series=2))
    (path,) = tmp_path.iterdir()
    damaged = bytearray(path.read_bytes())
    damaged[damaged.index(b"limit")] ^= 1
    path.write_bytes(bytes(damaged))
    writer = component.writer(tmp_path, 0)
    writer.add((), Counter(sum=1))
    with pytest.raises(IndexFormatError, match="damaged"):
        writer.flush()


def test_a_shorter_file_is_refused_when_opened(tmp_path: Path) -> None:
    component = written(tmp_path, Counter(limit=3, series=2))
    (path,) = tmp_path.iterdir()
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(IndexFormatError):
        component.open(tmp_path)


def test_counts_stay_readable_while_an_update_replaces_the_file(tmp_path: Path) -> None:
    component = written(tmp_path, Counter(limit=3))
    opened = component.open(tmp_path)
    for path in tmp_path.iterdir():
        path.unlink()
    assert opened.counts == {"limit": 3}


def test_a_vocabulary_joins_stores_and_knows_words_by_their_forms_without_accents(
    tmp_path: Path,
) -> None:
    answers = written(tmp_path / "a", Counter({"möbius": 2, "zeta": 1})).open(tmp_path / "a")
    questions = written(tmp_path / "q", Counter({"möbius": 1, "hölder": 1})).open(tmp_path / "q")
    vocabulary = Vocabulary([answers, questions])
    assert vocabulary.counts == {"hölder": 1, "möbius": 3, "zeta": 1}
    assert vocabulary.words == ("hölder", "möbius", "zeta")
    assert vocabulary.accented == {"holder": ("hölder",), "mobius": ("möbius",)}


@given(st.text(max_size=200))
def test_any_text_has_countable_words_only(text: str) -> None:
    for word in counted_words(text):
        assert 3 <= len(word) <= 32
        assert "\n" not in word


def test_no_files_have_no_words(tmp_path: Path) -> None:
    assert WordCounts(tmp_path, ()).counts == {}
    assert WordCountIndex(Unit.ANSWERS).open(tmp_path).counts == {}
