"""Random models, small enough to compute with loops, in the file format of real ones."""

import json
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors.numpy import save_file
from tokenizers import AddedToken, Tokenizer, models, pre_tokenizers, processors

Tensors = dict[str, NDArray[Any]]  # of whichever number type a test wants
LETTERS = "abcdefgh$"
WIDTH, HEADS, LAYERS, INNER, POSITIONS, BUCKETS = 6, 2, 3, 10, 40, 32
NARROW, GROUPS = 4, 2
"""The width of ALBERT's embeddings, and its groups of layers that share their weights."""


def config(kind: str) -> dict[str, object]:
    """The settings of a model, of which a real file has many more."""
    return {
        "model_type": kind,
        "hidden_act": "gelu_new" if kind == "albert" else "gelu",
        "num_hidden_layers": LAYERS,
        "num_attention_heads": HEADS,
        "layer_norm_eps": 1e-5,
        "pad_token_id": 1,
        "position_embedding_type": "absolute",
        "relative_attention_num_buckets": BUCKETS,
        "num_hidden_groups": GROUPS,
    }


_MPNET_NAMES = {
    "attention.self.query": "attention.attn.q",
    "attention.self.key": "attention.attn.k",
    "attention.self.value": "attention.attn.v",
    "attention.output.dense": "attention.attn.o",
    "attention.output.LayerNorm": "attention.LayerNorm",
}


def mpnet_name(name: str) -> str:
    """The name of a BERT tensor in an MPNet model."""
    for ours, theirs in _MPNET_NAMES.items():
        name = name.replace(ours, theirs)
    return name


def tensors(words: int, seed: int = 0) -> Tensors:
    """The names and shapes of a BERT model, which are also those of RoBERTa."""
    numbers = np.random.default_rng(seed)
    shapes: dict[str, tuple[int, ...]] = {
        "embeddings.word_embeddings.weight": (words, WIDTH),
        "embeddings.position_embeddings.weight": (POSITIONS, WIDTH),
        "embeddings.token_type_embeddings.weight": (2, WIDTH),
        "embeddings.LayerNorm.weight": (WIDTH,),
        "embeddings.LayerNorm.bias": (WIDTH,),
    }
    for layer in range(LAYERS):
        at = f"encoder.layer.{layer}"
        for part in ("query", "key", "value"):
            shapes[f"{at}.attention.self.{part}.weight"] = (WIDTH, WIDTH)
            shapes[f"{at}.attention.self.{part}.bias"] = (WIDTH,)
        shapes[f"{at}.attention.output.dense.weight"] = (WIDTH, WIDTH)
        shapes[f"{at}.attention.output.dense.bias"] = (WIDTH,)
        shapes[f"{at}.intermediate.dense.weight"] = (INNER, WIDTH)
        shapes[f"{at}.intermediate.dense.bias"] = (INNER,)
        shapes[f"{at}.output.dense.weight"] = (WIDTH, INNER)
        shapes[f"{at}.output.dense.bias"] = (WIDTH,)
        for norm in ("attention.output.LayerNorm", "output.LayerNorm"):
            shapes[f"{at}.{norm}.weight"] = (WIDTH,)
            shapes[f"{at}.{norm}.bias"] = (WIDTH,)
    return {name: numbers.normal(size=shape).astype("f4") for name, shape in shapes.items()}


def mpnet_tensors(words: int, seed: int = 0) -> Tensors:
    """The same with the names of MPNet, without segments and with biases by distance."""
    made = {mpnet_name(name): tensor for name, tensor in tensors(words, seed).items()}
    del made["embeddings.token_type_embeddings.weight"]
    numbers = np.random.default_rng(seed + 1)
    bias = numbers.normal(size=(BUCKETS, HEADS)).astype("f4")
    return made | {"encoder.relative_attention_bias.weight": bias}


_ALBERT_NAMES = {
    "attention.self.": "attention.",
    "attention.output.dense": "attention.dense",
    "attention.output.LayerNorm": "attention.LayerNorm",
    "intermediate.dense": "ffn",
    "output.dense": "ffn_output",
    "output.LayerNorm": "full_layer_layer_norm",
}


def albert_name(name: str) -> str:
    """The name of a BERT tensor in an ALBERT model, whose layers share tensors."""
    if not name.startswith("encoder.layer."):
        return name
    number, _, rest = name.removeprefix("encoder.layer.").partition(".")
    group = int(number) * GROUPS // LAYERS
    for ours, theirs in _ALBERT_NAMES.items():
        if rest.startswith(ours):
            rest = rest.replace(ours, theirs)
            break
    return f"encoder.albert_layer_groups.{group}.albert_layers.0.{rest}"


def albert_tensors(words: int, seed: int = 0) -> Tensors:
    """The same with the names of ALBERT, narrow embeddings and the map that widens them."""
    made = {albert_name(name): tensor for name, tensor in tensors(words, seed).items()}
    for name in [name for name in made if name.startswith("embeddings.")]:
        made[name] = np.ascontiguousarray(made[name][..., :NARROW])
    numbers = np.random.default_rng(seed + 1)
    widening = "encoder.embedding_hidden_mapping_in"
    return made | {
        f"{widening}.weight": numbers.normal(size=(WIDTH, NARROW)).astype("f4"),
        f"{widening}.bias": numbers.normal(size=WIDTH).astype("f4"),
    }


def classifier_tensors(kind: str, classes: int, seed: int = 0) -> Tensors:
    """The tensors of a classifier, with their full names."""
    hidden, output = {
        "bert": ("bert.pooler.dense", "classifier"),
        "albert": ("albert.pooler", "classifier"),
    }.get(kind, ("classifier.dense", "classifier.out_proj"))
    numbers = np.random.default_rng(seed + 2)
    return {
        f"{hidden}.weight": numbers.normal(size=(WIDTH, WIDTH)).astype("f4"),
        f"{hidden}.bias": numbers.normal(size=WIDTH).astype("f4"),
        f"{output}.weight": numbers.normal(size=(classes, WIDTH)).astype("f4"),
        f"{output}.bias": numbers.normal(size=classes).astype("f4"),
    }


def language_model_tensors(kind: str, words: int, seed: int = 0) -> Tensors:
    """The tensors of a masked language model whose decoder is its embeddings."""
    dense, norm, bias = {
        "bert": tuple(
            f"cls.predictions.{name}" for name in ("transform.dense", "transform.LayerNorm", "bias")
        ),
        "albert": ("predictions.dense", "predictions.LayerNorm", "predictions.bias"),
    }.get(kind, ("lm_head.dense", "lm_head.layer_norm", "lm_head.bias"))
    width = NARROW if kind == "albert" else WIDTH
    numbers = np.random.default_rng(seed + 3)
    return {
        f"{dense}.weight": numbers.normal(size=(width, WIDTH)).astype("f4"),
        f"{dense}.bias": numbers.normal(size=width).astype("f4"),
        f"{norm}.weight": numbers.normal(size=width).astype("f4"),
        f"{norm}.bias": numbers.normal(size=width).astype("f4"),
        bias: numbers.normal(size=words).astype("f4"),
    }


def letters_tokenizer() -> Tokenizer:
    """One token per letter, [CLS] and [SEP] around them, and limits left from training."""
    known = {"[PAD]": 0, "[UNK]": 1, "[CLS]": 2, "[SEP]": 3}
    known |= {letter: number for number, letter in enumerate(LETTERS, start=4)}
    tokenizer = Tokenizer(models.WordLevel(known, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[("[CLS]", 2), ("[SEP]", 3)],
    )
    tokenizer.enable_truncation(3)
    tokenizer.enable_padding(length=5)
    return tokenizer


def bytes_tokenizer() -> Tokenizer:
    """One token per character, with Ġ as space, and MathBERTa's marks of mathematics."""
    known = {"<s>": 0, "<pad>": 1, "</s>": 2}
    known |= {letter: number for number, letter in enumerate(f"{LETTERS}Ġ", start=3)}
    tokenizer = Tokenizer(models.BPE(known, []))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.post_processor = processors.RobertaProcessing(("</s>", 2), ("<s>", 0))
    tokenizer.add_tokens([AddedToken(mark, lstrip=True) for mark in ("[MATH]", "[/MATH]")])
    return tokenizer


def tokenizer_of(kind: str) -> Tokenizer:
    """The tokenizer of a model: only BERT and ALBERT tell the texts of a pair apart."""
    return letters_tokenizer() if kind in ("bert", "albert") else bytes_tokenizer()


def write_model(
    folder: Path, kind: str, prefix: str = "", seed: int = 0, head: Tensors | None = None
) -> Tensors:
    """Write a model in its published format; returns its tensors without the prefix."""
    folder.mkdir(parents=True, exist_ok=True)
    tokenizer = tokenizer_of(kind)
    tokenizer.save(str(folder / "tokenizer.json"))
    make = {"mpnet": mpnet_tensors, "albert": albert_tensors}.get(kind, tensors)
    made = make(tokenizer.get_vocab_size(), seed)
    named = {prefix + name: tensor for name, tensor in made.items()}
    save_file(named | (head or {}), folder / "model.safetensors")
    (folder / "config.json").write_text(json.dumps(config(kind)), encoding="utf-8")
    return made


PREFIXES = {"xlm-roberta": "roberta."}
"""Of tensors below a head, where it is not the kind of the model."""


def write_cross_encoder(
    folder: Path, kind: str = "bert", classes: int = 1, seed: int = 0
) -> Tensors:
    """Write a model for sequence classification; returns its tensors without prefixes."""
    prefix = PREFIXES.get(kind, f"{kind}.")
    head = classifier_tensors(kind, classes, seed)
    made = write_model(folder, kind, prefix, seed, head)
    return made | {name.removeprefix(prefix): tensor for name, tensor in head.items()}


def write_sparse_encoder(folder: Path, kind: str = "bert", seed: int = 0) -> Tensors:
    """Write a masked language model; returns its tensors without prefixes."""
    words = tokenizer_of(kind).get_vocab_size()
    head = language_model_tensors(kind, words, seed)
    return write_model(folder, kind, PREFIXES.get(kind, f"{kind}."), seed, head) | head
