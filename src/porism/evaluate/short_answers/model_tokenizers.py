"""Tokenizers of language models, from their ``tokenizer.json``, through the package tokenizers."""

from __future__ import annotations

from pathlib import Path

from tokenizers import Tokenizer as ModelTokenizer

from porism.errors import PorismError
from porism.evaluate.short_answers.answer_text import math_marked
from porism.evaluate.short_answers.lexical_overlap import AnswerTokenizer

TOKENIZER_FILE = "tokenizer.json"


def read_tokenizer(path: Path) -> AnswerTokenizer:
    """The tokenizer of a file ``tokenizer.json``, or of the folder of a model that has one.

    Its tokens are those of the text alone, without marks of beginning and end, however long the
    text is. It is called like the folder.
    """
    model = read_model_tokenizer(path)

    def tokens(text: str) -> list[str]:
        # by their numbers: the package writes some tokens with the blanks that stood around them
        ids = model.encode(model_input(text, model), add_special_tokens=False).ids
        return [str(model.id_to_token(number)) for number in ids]

    return AnswerTokenizer(model_name(path), tokens)


def read_model_tokenizer(path: Path) -> ModelTokenizer:
    """The same as the package has it, neither cutting nor filling up what it is given.

    Files often say otherwise, such as 128 tokens, after what some training set it to.
    """
    file = path / TOKENIZER_FILE if path.is_dir() else path
    if not file.is_file():
        raise PorismError(
            f"{path}: found no {TOKENIZER_FILE}: expected it, or the folder of a model with it"
        )
    try:
        model = ModelTokenizer.from_str(file.read_text(encoding="utf-8"))
    except Exception as error:  # the package has no narrower one
        raise PorismError(f"{file}: this is no tokenizer of Hugging Face: {error}") from None
    model.no_truncation()
    model.no_padding()
    return model


def model_name(path: Path) -> str:
    """The folder that the files of a model are in."""
    folder = path.resolve()
    return folder.name if folder.is_dir() else folder.parent.name


def model_input(text: str, model: ModelTokenizer) -> str:
    """The text as the model expects it.

    Formulas are marked if it knows the marks, which is so for MathBERTa. The first word has a blank
    before it, because models such as RoBERTa tell words at the start from words after a blank.
    BERTScore and the lab's scorer do the same.
    """
    if model.token_to_id("[MATH]") is not None and model.token_to_id("[/MATH]") is not None:
        text = math_marked(text)
    text = text.strip()
    return f" {text}" if text else ""
