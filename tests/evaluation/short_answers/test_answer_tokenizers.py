"""Tokenizers of language models, read from small files."""

from pathlib import Path

import pytest

pytest.importorskip("tokenizers", reason="needs the extra vectors")

from porism.errors import PorismError
from porism.evaluation.short_answers.answer_tokenizers import read_tokenizer
from porism.evaluation.short_answers.lexical_overlap import LexicalOverlap
from tests.embed.tiny_models import bytes_tokenizer, letters_tokenizer


def test_tokens_exclude_special_tokens(tmp_path: Path) -> None:
    letters_tokenizer().save(str(tmp_path / "tokenizer.json"))
    tokenizer = read_tokenizer(tmp_path)
    assert tokenizer.tokens("a b c d zz") == ["a", "b", "c", "d", "[UNK]"]
    assert tokenizer.tokens(" ") == []


def test_a_file_and_its_folder_give_the_same_tokenizer(tmp_path: Path) -> None:
    folder = tmp_path / "mathberta"
    folder.mkdir()
    letters_tokenizer().save(str(folder / "tokenizer.json"))
    for path in (folder, folder / "tokenizer.json"):
        tokenizer = read_tokenizer(path)
        assert tokenizer.name == "mathberta"
        assert tokenizer.tokens("a b") == ["a", "b"]
    assert LexicalOverlap(tokenizer, bags=True).name == "mathberta, bags"


def test_mathematics_is_marked_if_the_model_has_the_marks(tmp_path: Path) -> None:
    bytes_tokenizer().save(str(tmp_path / "tokenizer.json"))
    tokens = read_tokenizer(tmp_path).tokens("a $b$")
    assert tokens == ["Ġ", "a", "[MATH]", "Ġ", "b", "[/MATH]"]


def test_dollars_stay_if_the_model_lacks_the_marks(tmp_path: Path) -> None:
    letters_tokenizer().save(str(tmp_path / "tokenizer.json"))
    assert read_tokenizer(tmp_path).tokens("a $ b $") == ["a", "$", "b", "$"]


def test_a_space_precedes_the_first_word(tmp_path: Path) -> None:
    bytes_tokenizer().save(str(tmp_path / "tokenizer.json"))
    tokenizer = read_tokenizer(tmp_path)
    assert tokenizer.tokens("ab") == ["Ġ", "a", "b"] == tokenizer.tokens("  ab\n")
    assert tokenizer.tokens("\n") == []


@pytest.mark.parametrize("text", [b"", b"{}", b"[1]", b"\xff\xfe\x00", b'{"model": {"type": "X"}}'])
def test_invalid_tokenizers_are_refused(tmp_path: Path, text: bytes) -> None:
    (tmp_path / "tokenizer.json").write_bytes(text)
    with pytest.raises(PorismError, match=r"tokenizer\.json: not a Hugging Face tokenizer"):
        read_tokenizer(tmp_path)


def test_a_folder_without_a_tokenizer_is_refused(tmp_path: Path) -> None:
    with pytest.raises(PorismError, match=r"found no tokenizer\.json"):
        read_tokenizer(tmp_path)
    with pytest.raises(PorismError, match=r"found no tokenizer\.json"):
        read_tokenizer(tmp_path / "absent")
