"""The tokenizer of a GGUF file: its tokens are those of llama.cpp."""

from collections.abc import Callable
from typing import Any

import pytest

from porism.errors import PorismError
from porism.lab.training.generator.llama_tokenizer import LlamaTokenizer, llama_tokenizer
from tests.lab.training.generator.tiny_llama import tokenizer_fields


def values(fields: dict[str, Any]) -> Callable[..., Any]:
    return lambda name, default=None: fields.get(name, default)


def tokenizer(split: str = "smollm", **changes: Any) -> LlamaTokenizer:
    fields = {**tokenizer_fields(split), **changes}
    return llama_tokenizer(values(fields), "tiny.gguf")


def tokens(made: LlamaTokenizer, text: str) -> list[str]:
    return [made.tokenizer.id_to_token(each) for each in made.prompt(text)]


def test_pairs_of_bytes_are_merged() -> None:
    assert tokens(tokenizer(), "is the") == ["is", "Ġthe"]


@pytest.mark.parametrize(("split", "digits"), [("smollm", ["1", "2"]), ("gpt-2", ["12"])])
def test_digits_are_split_as_the_file_says(split: str, digits: list[str]) -> None:
    fields = tokenizer_fields(split)
    made = tokenizer(split, **{
        "tokenizer.ggml.tokens": [*fields["tokenizer.ggml.tokens"], "12"],
        "tokenizer.ggml.merges": [*fields["tokenizer.ggml.merges"], "1 2"],
    })  # fmt: skip
    assert tokens(made, "12") == digits


@pytest.mark.parametrize("split", ["smollm", "gpt-2", "llama-bpe"])
def test_the_text_of_tokens_is_the_text(split: str) -> None:
    text = "Is $x_{12}\\le\\pi$?\n\n  It’s é — the 𝔽₂ case.\r\n"
    made = tokenizer(split, **{"tokenizer.ggml.bos_token_id": 0})
    assert made.text(made.prompt(text)) == text


def test_an_ending_has_the_token_that_ends_a_text() -> None:
    made = tokenizer()
    assert made.ending(" is")[-1] == made.end == 0
    assert made.text(made.ending(" is the")) == " is the"


def test_a_text_has_no_tokens_of_control() -> None:
    assert 0 not in tokenizer().prompt("an <|end|> of a text")


def test_a_prompt_begins_with_the_first_token_if_there_is_one() -> None:
    begins: dict[str, Any] = {
        "tokenizer.ggml.add_bos_token": True,
        "tokenizer.ggml.bos_token_id": 3,
    }
    assert tokenizer(**begins).prompt("is")[0] == 3
    assert tokenizer(**begins).ending("is")[0] != 3


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"tokenizer.ggml.model": "llama"}, "its tokenizer .llama, smollm. cannot be used"),
        ({"tokenizer.ggml.pre": "strange"}, "expected gpt2 with gpt-2, smollm, llama-bpe"),
        ({"tokenizer.ggml.eos_token_id": None}, "no token for the end of a text"),
    ],
)
def test_other_tokenizers_are_refused(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(PorismError, match=f"tiny.gguf: .*{message}"):
        tokenizer(**changes)
