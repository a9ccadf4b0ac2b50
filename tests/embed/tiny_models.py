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


def config(kind: str) -> dict[str, object]:
    """The settings of a model, of which a real file has many more."""
    return {
        "model_type": kind,
        "hidden_act": "gelu",
        "num_hidden_layers": LAYERS,
        "num_attention_heads": HEADS,
        "layer_norm_eps": 1e-5,
        "pad_token_id": 1,
        "position_embedding_type": "absolute",
        "relative_attention_num_buckets": BUCKETS,
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


def letters_tokenizer() -> Tokenizer:
    """One token per letter, [CLS] and [SEP] around them, and limits left from training."""
    known = {"[PAD]": 0, "[UNK]": 1, "[CLS]": 2, "[SEP]": 3}
    known |= {letter: number for number, letter in enumerate(LETTERS, start=4)}
    tokenizer = Tokenizer(models.WordLevel(known, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
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


def write_model(folder: Path, kind: str, prefix: str = "", seed: int = 0) -> Tensors:
    """Write a model in its published format; returns its tensors without the prefix."""
    folder.mkdir(parents=True, exist_ok=True)
    tokenizer = letters_tokenizer() if kind == "bert" else bytes_tokenizer()
    tokenizer.save(str(folder / "tokenizer.json"))
    make = mpnet_tensors if kind == "mpnet" else tensors
    made = make(tokenizer.get_vocab_size(), seed)
    named = {prefix + name: tensor for name, tensor in made.items()}
    save_file(named, folder / "model.safetensors")
    (folder / "config.json").write_text(json.dumps(config(kind)), encoding="utf-8")
    return made
