"""The tokens of answers by the tokenizer of a language model."""

from __future__ import annotations

from pathlib import Path

from tokenizers import Tokenizer as ModelTokenizer

from porism.embed.model_tokenizers import read_model_tokenizer
from porism.evaluation.short_answers.lexical_overlap import AnswerTokenizer
from porism.formats.answer_text import math_marked


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
