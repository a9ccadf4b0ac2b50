"""Tokenizers of language models, read from ``tokenizer.json`` with the package tokenizers."""

from __future__ import annotations

from pathlib import Path

from tokenizers import Encoding, Tokenizer

from porism.errors import PorismError

TOKENIZER_FILE = "tokenizer.json"

_CHARACTERS_PER_TOKEN = 32
"""More than the mean of any real text: what comes after that many characters per token of the limit
is not read, so that a text of megabytes costs no more than a long one."""


def read_model_tokenizer(path: Path) -> Tokenizer:
    """The tokenizer in a file or in a model folder, without truncation and padding.

    Files often have these enabled, such as 128 tokens, as left by training.
    """
    file = path / TOKENIZER_FILE if path.is_dir() else path
    if not file.is_file():
        raise PorismError(
            f"{path}: found no {TOKENIZER_FILE}: expected that file or a model folder with it"
        )
    try:
        tokenizer = Tokenizer.from_str(file.read_text(encoding="utf-8"))
    except Exception as error:  # the package raises nothing narrower
        raise PorismError(f"{file}: not a Hugging Face tokenizer: {error}") from None
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer


def token_encoding(tokenizer: Tokenizer, text: str, max_tokens: int) -> Encoding:
    """The tokens of a text with special tokens, at most ``max_tokens`` of both together."""
    encoding = _plain_encoding(tokenizer, text, max_tokens)
    encoding.truncate(max(1, max_tokens - tokenizer.num_special_tokens_to_add(False)))
    return tokenizer.post_process(encoding)


def pair_encoding(tokenizer: Tokenizer, first: str, second: str, max_tokens: int) -> Encoding:
    """The tokens of a pair of texts with special tokens, at most ``max_tokens`` in all.

    The longer text is cut first; if both are too long, the second keeps the odd token.
    """
    left, right = (_plain_encoding(tokenizer, text, max_tokens) for text in (first, second))
    room = max(2, max_tokens - tokenizer.num_special_tokens_to_add(True))
    if len(left) + len(right) > room:
        left.truncate(min(len(left), max(room // 2, room - len(right))))
        right.truncate(room - len(left))
    return tokenizer.post_process(left, right)


def plain_token_ids(tokenizer: Tokenizer, text: str, max_tokens: int) -> list[int]:
    """The first ``max_tokens`` tokens of a text, without special tokens."""
    ids: list[int] = _plain_encoding(tokenizer, text, max_tokens).ids
    return ids[:max_tokens]


def token_spans(tokenizer: Tokenizer, text: str, limit: int) -> list[tuple[int, int]]:
    """The start and end of up to ``limit`` tokens in a text, without special tokens."""
    encoding = _plain_encoding(tokenizer, text, limit)
    return [(start, end) for start, end in encoding.offsets[:limit] if end > start]


def _plain_encoding(tokenizer: Tokenizer, text: str, max_tokens: int) -> Encoding:
    beginning = text[: _CHARACTERS_PER_TOKEN * max_tokens]
    # half of a surrogate pair, which tokenizers refuse, becomes a question mark
    beginning = beginning.encode("utf-8", "replace").decode("utf-8")
    return tokenizer.encode(beginning, add_special_tokens=False)
