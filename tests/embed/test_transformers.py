"""Cross-encoders and learned-sparse models give what transformers computes from the same files."""

from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from porism.embed import open_cross_encoder, open_sparse_encoder
from porism.embed.model_tokenizers import pair_encoding, read_model_tokenizer, token_encoding
from tests.embed.tiny_models import tokenizer_of

pytestmark = pytest.mark.train("torch", "transformers")

CONFIGS = {
    "bert": "BertConfig",
    "roberta": "RobertaConfig",
    "xlm-roberta": "XLMRobertaConfig",
    "mpnet": "MPNetConfig",
    "albert": "AlbertConfig",
}
POSITIONS = 44
PAIRS = [("a b c", "d e f g"), ("a", "b"), ("a b " * 30, "c d " * 30)]


def written_model(folder: Path, kind: str, auto_class: str, outputs: int = 1) -> Any:
    """A random model that transformers made and wrote, of a class of that package."""
    torch, transformers = import_module("torch"), import_module("transformers")
    tokenizer = tokenizer_of(kind)
    torch.manual_seed(0)
    sizes = {
        "vocab_size": tokenizer.get_vocab_size(),
        "hidden_size": 12,
        "num_hidden_layers": 3,
        "num_attention_heads": 2,
        "intermediate_size": 20,
        "max_position_embeddings": POSITIONS,
        "num_labels": outputs,
        "pad_token_id": 1,
    }
    if kind in ("roberta", "xlm-roberta"):
        sizes["type_vocab_size"] = 1
    if kind == "albert":
        sizes |= {"embedding_size": 6, "num_hidden_groups": 3}
    settings = getattr(transformers, CONFIGS[kind])(**sizes)
    model = getattr(transformers, auto_class).from_config(settings).eval()
    for parameter in model.parameters():
        torch.nn.init.normal_(parameter, std=0.7)
    model.save_pretrained(folder)
    tokenizer.save(str(folder / "tokenizer.json"))
    return model


def outputs_of(model: Any, kind: str, ids: list[int], types: list[int]) -> Any:
    torch = import_module("torch")
    inputs = {"input_ids": torch.tensor([ids]), "attention_mask": torch.ones(1, len(ids))}
    if kind in ("bert", "albert"):
        inputs["token_type_ids"] = torch.tensor([types])
    with torch.no_grad():
        return model(**inputs).logits[0].numpy()


@pytest.mark.parametrize("outputs", [1, 2])
@pytest.mark.parametrize("kind", CONFIGS)
def test_scores_equal_those_of_transformers(tmp_path: Path, kind: str, outputs: int) -> None:
    model = written_model(tmp_path, kind, "AutoModelForSequenceClassification", outputs)
    encoder = open_cross_encoder(str(tmp_path), "float32")
    tokenizer = read_model_tokenizer(tmp_path)
    longest = POSITIONS if kind in ("bert", "albert") else POSITIONS - 2
    expected = []
    for pair in PAIRS:
        encoding = pair_encoding(tokenizer, *pair, longest)
        logits = outputs_of(model, kind, encoding.ids, encoding.type_ids)
        expected.append(logits[0] if outputs == 1 else logits[1] - logits[0])
    np.testing.assert_allclose(encoder.scores(PAIRS), expected, rtol=0, atol=1e-5)


@pytest.mark.parametrize("kind", CONFIGS)
def test_terms_equal_those_of_transformers(tmp_path: Path, kind: str) -> None:
    model = written_model(tmp_path, kind, "AutoModelForMaskedLM")
    tokenizer = read_model_tokenizer(tmp_path)
    encoding = token_encoding(tokenizer, "a b c d", POSITIONS - 2)
    logits = outputs_of(model, kind, encoding.ids, encoding.type_ids)
    weights = np.log1p(np.maximum(logits, 0)).max(axis=0).tolist()
    expected = {tokenizer.id_to_token(at): each for at, each in enumerate(weights) if each > 0}
    (terms,) = open_sparse_encoder(str(tmp_path), "float32").terms(["a b c d"])
    assert dict(terms) == pytest.approx(expected, abs=1e-5)
