"""Tokenizers of language models, read from ``tokenizer.json`` with the package tokenizers."""

from __future__ import annotations

from pathlib import Path

from tokenizers import Tokenizer as ModelTokenizer

from porism.errors import PorismError
from porism.evaluation.short_answers.answer_text import math_marked
from porism.evaluation.short_answers.lexical_overlap import AnswerTokenizer

TOKENIZER_FILE = "tokenizer.json"


def read_tokenizer(path: Path) -> AnswerTokenizer:
    """The tokenizer in a file ``tokenizer.json`` or in a model folder; its name is the folder's.

    Its tokens are those of the whole text, without special tokens.
    """
    model = read_model_tokenizer(path)

    def tokens(text: str) -> list[str]:
        # by id, since the package's token strings may include surrounding spaces
        ids = model.encode(model_input(text, model), add_special_tokens=False).ids
        return [str(model.id_to_token(number)) for number in ids]

    return AnswerTokenizer(model_name(path), tokens)


def read_model_tokenizer(path: Path) -> ModelTokenizer:
    """The tokenizer as an object of the package, without truncation and padding.

    Files often have these enabled, such as 128 tokens, as left by training.
    """
    file = path / TOKENIZER_FILE if path.is_dir() else path
    if not file.is_file():
        raise PorismError(
            f"{path}: found no {TOKENIZER_FILE}: expected that file or a model folder with it"
        )
    try:
        model = ModelTokenizer.from_str(file.read_text(encoding="utf-8"))
    except Exception as error:  # the package raises nothing narrower
        raise PorismError(f"{file}: not a Hugging Face tokenizer: {error}") from None
    model.no_truncation()
    model.no_padding()
    return model


def model_name(path: Path) -> str:
    """The name of a model's folder."""
    folder = path.resolve()
    return folder.name if folder.is_dir() else folder.parent.name


def model_input(text: str, model: ModelTokenizer) -> str:
    """The text as the model expects it.

    Formulas are marked if the model has tokens for the marks, as MathBERTa does. A space precedes
    the first word, because models such as RoBERTa distinguish words after a space from words at the
    start. BERTScore and the lab's scorer do the same.
    """
    if model.token_to_id("[MATH]") is not None and model.token_to_id("[/MATH]") is not None:
        text = math_marked(text)
    text = text.strip()
    return f" {text}" if text else ""
