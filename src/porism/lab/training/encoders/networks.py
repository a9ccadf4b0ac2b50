"""The networks of a bi-encoder and of a cross-encoder in training, with PyTorch and transformers.

Texts become tokens as ``porism.embed`` makes them, so what is trained is what is searched with. A
network starts from a model folder, gives the loss of a batch of pairs, ranks validation topics, and
is saved as a folder that ``porism.embed`` opens.

Importing this loads PyTorch and transformers, of the extra ``train``.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import torch
import torch.nn.functional as functional
from numpy.typing import NDArray
from tokenizers import Tokenizer
from transformers import AutoConfig, AutoModel, AutoModelForSequenceClassification
from transformers.utils import logging

from porism.embed.model_folder import WEIGHTS_FILE, read_architecture, read_sentence_settings
from porism.embed.model_tokenizers import (
    TOKENIZER_FILE,
    pair_encoding,
    read_model_tokenizer,
    token_encoding,
)
from porism.embed.model_weights import weights_file
from porism.errors import PorismError
from porism.lab.training.encoders.records import TrainingSet
from porism.lab.training.encoders.validation import average_precision
from porism.lab.training.epochs import Places, TrainedNetwork, evaluating

ENCODED_TOGETHER = 128
"""Texts, or pairs, that are encoded at a time for validation."""

COPIED_FILES = (
    TOKENIZER_FILE,
    "tokenizer_config.json",
    "special_tokens_map.json",
    "vocab.txt",
    "vocab.json",
    "merges.txt",
)
"""Files of the start model that describe its tokens, which training does not change."""


class EncoderNetwork(TrainedNetwork, Protocol):
    """An encoder in training."""

    def save(self, folder: Path) -> None:
        """Write the model to a folder."""


@dataclass(frozen=True, slots=True)
class NetworkSettings:
    """What both networks need: where texts are cut, and where PyTorch computes."""

    max_tokens: int
    device: str


@dataclass(frozen=True, slots=True)
class BiEncoderLoss:
    """The loss of a bi-encoder.

    Without ``uses_votes``, each text of a pair should be nearer to the other than to those of all
    other threads in the batch, in both directions; cosines are multiplied by ``scale`` first. With
    it, the cosine of a pair should be its target, as for CompuBERT, and that with the text of the
    next pair 0: without such wrong pairs, which the lab's team does not mention, all texts move
    towards each other.
    """

    uses_votes: bool = False
    scale: float = 20.0


@dataclass(slots=True)
class BiEncoderNetwork:
    """A model that encodes each text alone; its vectors are compared by cosine."""

    base: Path
    data: TrainingSet
    settings: NetworkSettings
    loss_settings: BiEncoderLoss
    model: Any = field(init=False)  # transformers has no useful types
    _tokens: _TokenBatches = field(init=False)
    _first: Places = field(init=False)
    _second: Places = field(init=False)
    _threads: NDArray[np.int64] = field(init=False)
    _linked: NDArray[np.int64] = field(init=False)
    _targets: NDArray[np.float32] = field(init=False)
    _pooling: str = field(init=False)

    def __post_init__(self) -> None:
        tokenizer = _checked_tokenizer(self.base, self.settings)
        self._pooling = read_sentence_settings(self.base).pooling
        self.model = _opened(AutoModel, self.base, self.settings.device, add_pooling_layer=False)
        self._tokens = _TokenBatches.of_texts(tokenizer, self.data.texts, self.settings.max_tokens)
        pairs = self.data.pairs
        self._first = np.array([pair.first for pair in pairs])
        self._second = np.array([pair.second for pair in pairs])
        self._targets = np.array([pair.target for pair in pairs], np.float32)
        numbers = {
            name: number
            for number, name in enumerate(
                dict.fromkeys(chain.from_iterable(pair.threads for pair in pairs))
            )
        }
        self._threads = np.array([[numbers[each] for each in pair.threads] for pair in pairs])
        self._linked = np.array(
            sorted(
                numbers[one] * len(numbers) + numbers[other]
                for one, other in self.data.linked
                if one in numbers and other in numbers
            ),
            np.int64,
        )

    def loss_parts(self, places: Places) -> Iterator[torch.Tensor]:
        yield self.loss(places)  # whole, because the texts of a batch are compared with each other

    def loss(self, places: Places) -> torch.Tensor:
        """The loss of a batch of pairs."""
        first = self._vectors(self._first[places])
        second = self._vectors(self._second[places])
        if self.loss_settings.uses_votes:
            return self._vote_loss(places, first, second)
        cosines = self.loss_settings.scale * first @ second.T
        hidden = torch.from_numpy(self.same_threads(places)).to(cosines.device)
        hidden.fill_diagonal_(False)
        cosines = cosines.masked_fill(hidden, -torch.inf)
        labels = torch.arange(len(places), device=cosines.device)
        forth = functional.cross_entropy(cosines, labels)
        back = functional.cross_entropy(cosines.T, labels)
        return (forth + back) / 2

    def _vote_loss(self, places: Places, first: torch.Tensor, second: torch.Tensor) -> torch.Tensor:
        targets = torch.from_numpy(self._targets[places]).to(first.device)
        loss = ((first * second).sum(1) - targets).square().mean()
        following = np.roll(np.arange(len(places)), -1)
        is_other = ~self.same_threads(places)[np.arange(len(places)), following]
        others = torch.from_numpy(is_other).to(first.device)
        wrong = (first * second[torch.from_numpy(following)]).sum(1).square()
        return loss + (wrong * others).sum() / max(1, int(is_other.sum()))

    def same_threads(self, places: Places) -> NDArray[np.bool_]:
        """Whether each text of a batch belongs with each other one: the same or linked threads."""
        first, second = self._threads[places].T
        count = int(self._threads.max()) + 1 if len(self._threads) else 1
        same: NDArray[np.bool_] = first[:, None] == first[None, :]
        for one in (first, second):
            same |= one[:, None] == second[None, :]
            same |= np.isin(one[:, None] * count + second[None, :], self._linked)
        return same

    def validation(self) -> float:
        topics = self.data.validation
        needed = sorted(
            {topic.question for topic in topics}
            | {
                place
                for topic in topics
                for pair in topic.candidates
                for place in pair
                if place is not None
            }
        )
        rows = {place: row for row, place in enumerate(needed)}
        with evaluating(self.model):
            vectors = np.concatenate(
                [
                    self._vectors(np.array(chunk)).float().cpu().numpy()
                    for chunk in _chunks(needed, ENCODED_TOGETHER)
                ]
            )
        scores = []
        for topic in topics:
            query = vectors[rows[topic.question]]
            answers = vectors[[rows[answer] for _, answer in topic.candidates]] @ query
            questions = [rows[question] for question, _ in topic.candidates if question is not None]
            if len(questions) == len(answers):  # as the systems of vectors score a document
                answers = (answers + vectors[questions] @ query) / 2
            scores.append(average_precision(answers, topic.relevant))
        return float(np.mean(scores))

    def _vectors(self, texts: Places) -> torch.Tensor:
        """The unit vectors of texts by their places."""
        batch = self._tokens.padded(texts, self.settings.device)
        states = self.model(**batch).last_hidden_state
        mask = batch["attention_mask"].unsqueeze(-1).to(states.dtype)
        if self._pooling == "cls":
            pooled = states[:, 0]
        elif self._pooling == "max":
            pooled = states.masked_fill(mask == 0, -torch.inf).max(1).values
        else:
            pooled = (states * mask).sum(1) / mask.sum(1)
        return functional.normalize(pooled, dim=1)

    def save(self, folder: Path) -> None:
        _save(self.model, self.base, folder)
        longest = read_sentence_settings(self.base).max_tokens
        limit = max(self.settings.max_tokens, min(longest, _positions(self.model)))
        files = {
            "modules.json": [
                _module(0, "", "Transformer"),
                _module(1, "1_Pooling", "Pooling"),
                _module(2, "2_Normalize", "Normalize"),
            ],
            "1_Pooling/config.json": {
                "word_embedding_dimension": self.model.config.hidden_size,
                f"pooling_mode_{self._pooling}_token{'' if self._pooling == 'cls' else 's'}": True,
            },
            "sentence_bert_config.json": {"max_seq_length": limit, "do_lower_case": False},
        }
        for name, content in files.items():
            (folder / name).parent.mkdir(exist_ok=True)
            (folder / name).write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")


@dataclass(slots=True)
class CrossEncoderNetwork:
    """A model that reads two texts together, and has one output."""

    base: Path
    data: TrainingSet
    settings: NetworkSettings
    model: Any = field(init=False)  # transformers has no useful types
    _tokens: _TokenBatches = field(init=False)
    _targets: NDArray[np.float32] = field(init=False)
    _topics: list[Places] = field(init=False)

    def __post_init__(self) -> None:
        tokenizer = _checked_tokenizer(self.base, self.settings)
        self.model = _opened(
            AutoModelForSequenceClassification, self.base, self.settings.device, num_labels=1
        )
        texts = self.data.texts
        pairs = [(pair.first, pair.second) for pair in self.data.pairs]
        self._targets = np.array([pair.target for pair in self.data.pairs], np.float32)
        self._topics = []
        for topic in self.data.validation:
            places = range(len(pairs), len(pairs) + len(topic.candidates))
            self._topics.append(np.array(places))
            pairs += ((topic.question, answer) for _, answer in topic.candidates)
        self._tokens = _TokenBatches.of_pairs(
            tokenizer,
            [(texts[first], texts[second]) for first, second in pairs],
            self.settings.max_tokens,
        )

    def loss_parts(self, places: Places) -> Iterator[torch.Tensor]:
        yield self.loss(places)

    def loss(self, places: Places) -> torch.Tensor:
        """The loss of a batch of pairs."""
        targets = torch.from_numpy(self._targets[places]).to(self.settings.device)
        return functional.binary_cross_entropy_with_logits(self._outputs(places), targets)

    def validation(self) -> float:
        needed = np.concatenate(self._topics)
        # Pairs of the same length together: padding would take most of the time.
        by_length = needed[np.argsort(self._tokens.lengths[needed], kind="stable")]
        outputs: dict[int, float] = {}
        with evaluating(self.model):
            for chunk in _chunks(by_length.tolist(), ENCODED_TOGETHER):
                outputs |= zip(chunk, self._outputs(np.array(chunk)).tolist(), strict=True)
        return float(
            np.mean(
                [
                    average_precision(np.array([outputs[each] for each in places]), topic.relevant)
                    for topic, places in zip(self.data.validation, self._topics, strict=True)
                ]
            )
        )

    def _outputs(self, places: Places) -> torch.Tensor:
        batch = self._tokens.padded(places, self.settings.device)
        outputs: torch.Tensor = self.model(**batch).logits.squeeze(-1)
        return outputs

    def save(self, folder: Path) -> None:
        _save(self.model, self.base, folder)
        settings = {"max_seq_length": self.settings.max_tokens}
        path = folder / "sentence_bert_config.json"
        path.write_text(json.dumps(settings, indent=1) + "\n", encoding="utf-8")


@dataclass(frozen=True, slots=True)
class _TokenBatches:
    """Texts, or pairs, as tokens; a batch is padded to its longest."""

    ids: list[NDArray[np.int32]]
    types: list[NDArray[np.int8]] | None
    padding: int
    lengths: NDArray[np.int64]

    @classmethod
    def of_texts(cls, tokenizer: Tokenizer, texts: Sequence[str], max_tokens: int) -> _TokenBatches:
        return cls._of(tokenizer, (token_encoding(tokenizer, each, max_tokens) for each in texts))

    @classmethod
    def of_pairs(
        cls, tokenizer: Tokenizer, pairs: Sequence[tuple[str, str]], max_tokens: int
    ) -> _TokenBatches:
        encodings = (pair_encoding(tokenizer, *pair, max_tokens) for pair in pairs)
        return cls._of(tokenizer, encodings)

    @classmethod
    def _of(cls, tokenizer: Tokenizer, encodings: Iterator[Any]) -> _TokenBatches:
        ids: list[NDArray[np.int32]] = []
        types: list[NDArray[np.int8]] = []
        for each in encodings:
            ids.append(np.array(each.ids, np.int32))
            types.append(np.array(each.type_ids, np.int8))
        padding = next(
            (
                number
                for token in ("[PAD]", "<pad>")
                if (number := tokenizer.token_to_id(token)) is not None
            ),
            0,
        )
        lengths = np.array([len(each) for each in ids], np.int64)
        return cls(ids, types if any(each.any() for each in types) else None, padding, lengths)

    def padded(self, places: Places, device: str) -> dict[str, torch.Tensor]:
        """The inputs of a model for some texts or pairs."""
        width = int(self.lengths[places].max())
        ids = np.full((len(places), width), self.padding, np.int64)
        types = np.zeros((len(places), width), np.int64)
        for row, place in enumerate(places):
            ids[row, : self.lengths[place]] = self.ids[place]
            if self.types is not None:
                types[row, : self.lengths[place]] = self.types[place]
        mask = np.arange(width) < self.lengths[places][:, None]
        made = {"input_ids": ids, "attention_mask": mask.astype(np.int64)}
        if self.types is not None:
            made["token_type_ids"] = types
        return {name: torch.from_numpy(array).to(device) for name, array in made.items()}


def _checked_tokenizer(base: Path, settings: NetworkSettings) -> Tokenizer:
    """The tokenizer of a start model that can be trained, or an error that says why not."""
    read_architecture(base)
    weights_file(base)
    positions = AutoConfig.from_pretrained(base, local_files_only=True).max_position_embeddings
    if settings.max_tokens > positions:
        raise PorismError(
            f"{base}: the model reads at most {positions} tokens, fewer than --max-tokens "
            f"{settings.max_tokens}"
        )
    return read_model_tokenizer(base)


def _opened(kind: Any, base: Path, device: str, **settings: object) -> Any:
    try:
        with _quiet_transformers():
            model = kind.from_pretrained(
                base, local_files_only=True, use_safetensors=True, dtype=torch.float32, **settings
            )
    except (OSError, ValueError, TypeError, RuntimeError, KeyError) as error:
        raise PorismError(
            f"{base}: cannot be opened as a start model ({str(error).splitlines()[0]}); expected "
            "minilm, or the folder of a BERT, RoBERTa or MPNet model"
        ) from error
    return model.to(device).train()


def _save(model: Any, base: Path, folder: Path) -> None:
    with _quiet_transformers():
        model.save_pretrained(folder)
    # Written for its owner alone; a model is as readable as its settings.
    shutil.copymode(folder / "config.json", folder / WEIGHTS_FILE)
    for name in COPIED_FILES:
        if (base / name).is_file():
            shutil.copyfile(base / name, folder / name)


@contextmanager
def _quiet_transformers() -> Iterator[None]:
    """Let transformers print neither bars nor tables of weights, some of which are always new."""
    verbosity, shows_bars = logging.get_verbosity(), logging.is_progress_bar_enabled()
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        logging.set_verbosity(verbosity)
        if shows_bars:
            logging.enable_progress_bar()


def _positions(model: Any) -> int:
    config = model.config
    before = 0 if config.model_type == "bert" else 2
    return int(config.max_position_embeddings) - before


def _module(number: int, path: str, kind: str) -> dict[str, object]:
    return {
        "idx": number,
        "name": str(number),
        "path": path,
        "type": f"sentence_transformers.models.{kind}",
    }


def _chunks(items: Sequence[int], size: int) -> Iterator[Sequence[int]]:
    for start in range(0, len(items), size):
        yield items[start : start + size]
