"""The tokenizer that a GGUF file describes, so that training has the tokens of llama.cpp.

Only tokenizers of byte pairs (``gpt2``) whose way of splitting words is known here are read. No
token of control, such as the end of a text, ever comes from a text.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers

from porism.errors import PorismError

_BYTES = (False, False)  # neither a blank before the text, nor words split by GPT-2's expression
_LLAMA3 = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}|"
    r" ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)


def _gpt2() -> Any:  # Any: tokenizers has no types
    return pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=True)


def _smollm() -> Any:
    return pre_tokenizers.Sequence([pre_tokenizers.Digits(individual_digits=True), _gpt2()])


def _llama3() -> Any:
    split = pre_tokenizers.Split(Regex(_LLAMA3), "isolated")
    return pre_tokenizers.Sequence([split, pre_tokenizers.ByteLevel(*_BYTES)])


_SPLITS: dict[str, Callable[[], Any]] = {
    "gpt-2": _gpt2,
    "smollm": _smollm,
    "llama-bpe": _llama3,
}
"""How words are split before pairs of bytes are merged, by ``tokenizer.ggml.pre``."""


@dataclass(frozen=True, slots=True)
class LlamaTokenizer:
    """Texts as tokens. ``first`` begins every prompt, if there is one, and ``end`` ends a text."""

    tokenizer: Any
    first: tuple[int, ...]
    end: int

    def prompt(self, text: str) -> list[int]:
        """The tokens of a text from its beginning."""
        return [*self.first, *self.tokenizer.encode(text, add_special_tokens=False).ids]

    def ending(self, text: str) -> list[int]:
        """The tokens of the rest of a text, with its end."""
        return [*self.tokenizer.encode(text, add_special_tokens=False).ids, self.end]

    def text(self, tokens: list[int]) -> str:
        """The text of tokens; those of control have none."""
        decoded: str = self.tokenizer.decode([each for each in tokens if each != self.end])
        return decoded


def llama_tokenizer(value: Callable[..., Any], source: object) -> LlamaTokenizer:
    """The tokenizer of a file; ``value`` gives a field of its metadata, or a default.

    PorismError names the ``source`` of a tokenizer that cannot be read.
    """
    kind, split = value("tokenizer.ggml.model"), value("tokenizer.ggml.pre", "")
    if kind != "gpt2" or split not in _SPLITS:
        raise PorismError(
            f"{source}: its tokenizer ({kind}, {split or 'no way of splitting'}) cannot be used in "
            f"training: expected gpt2 with {', '.join(_SPLITS)}"
        )
    end = value("tokenizer.ggml.eos_token_id")
    if end is None:
        raise PorismError(f"{source}: its tokenizer has no token for the end of a text")
    tokens = {token: number for number, token in enumerate(value("tokenizer.ggml.tokens"))}
    merges = [tuple(each.split(" ", 1)) for each in value("tokenizer.ggml.merges", [])]
    tokenizer = Tokenizer(models.BPE(tokens, merges, ignore_merges=split == "llama-bpe"))
    tokenizer.pre_tokenizer = _SPLITS[split]()
    tokenizer.decoder = decoders.ByteLevel()
    begins = value("tokenizer.ggml.add_bos_token", split == "llama-bpe")
    first = (int(value("tokenizer.ggml.bos_token_id")),) if begins else ()
    return LlamaTokenizer(tokenizer, first, int(end))
