"""A language model of some ten thousand weights in a GGUF file, whose tokens are bytes."""

from pathlib import Path
from typing import Any

import numpy as np
from tokenizers.pre_tokenizers import ByteLevel

END = "<|end|>"
MERGES = ("t h", "th e", "Ġ the", "i s", "Ġ is")


def tokenizer_fields(split: str = "smollm") -> dict[str, Any]:
    """The metadata of a tokenizer whose first token ends a text."""
    merged = ["".join(each.split(" ")) for each in MERGES]
    return {
        "tokenizer.ggml.model": "gpt2",
        "tokenizer.ggml.pre": split,
        "tokenizer.ggml.tokens": [END, *sorted(ByteLevel.alphabet()), *merged],
        "tokenizer.ggml.merges": list(MERGES),
        "tokenizer.ggml.eos_token_id": 0,
        "tokenizer.ggml.add_bos_token": False,
    }


def write_tiny_llama(
    path: Path,
    architecture: str = "llama",
    scaling: str = "",
    split: str = "smollm",
    seed: int = 1,
) -> Path:
    """Write a model with random weights; needs gguf."""
    from gguf import GGUFWriter

    path.parent.mkdir(exist_ok=True)
    writer = GGUFWriter(path, architecture)
    fields = tokenizer_fields(split)
    tokens = fields["tokenizer.ggml.tokens"]
    width, inner, layers, heads, key_heads = 64, 96, 2, 4, 2
    writer.add_name("Tiny")
    writer.add_context_length(1024)
    writer.add_embedding_length(width)
    writer.add_feed_forward_length(inner)
    writer.add_block_count(layers)
    writer.add_head_count(heads)
    writer.add_head_count_kv(key_heads)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_rope_freq_base(10_000.0)
    writer.add_rope_dimension_count(width // heads)
    writer.add_vocab_size(len(tokens))
    if scaling:
        writer.add_string(f"{architecture}.rope.scaling.type", scaling)
    writer.add_tokenizer_model(fields["tokenizer.ggml.model"])
    writer.add_tokenizer_pre(split)
    writer.add_token_list(tokens)
    writer.add_token_types([3, *[1] * (len(tokens) - 1)])  # of control, and normal ones
    writer.add_token_merges(fields["tokenizer.ggml.merges"])
    writer.add_eos_token_id(0)
    writer.add_add_bos_token(False)
    numbers = np.random.default_rng(seed)

    def add(name: str, *shape: int) -> None:
        if len(shape) == 1:
            writer.add_tensor(name, np.ones(shape, np.float32))
        else:
            writer.add_tensor(name, numbers.normal(0, 0.3, shape).astype(np.float16))

    add("token_embd.weight", len(tokens), width)
    add("output_norm.weight", width)
    for layer in range(layers):
        for name, shape in (
            ("attn_norm", (width,)),
            ("attn_q", (width, width)),
            ("attn_k", (width * key_heads // heads, width)),
            ("attn_v", (width * key_heads // heads, width)),
            ("attn_output", (width, width)),
            ("ffn_norm", (width,)),
            ("ffn_gate", (inner, width)),
            ("ffn_up", (inner, width)),
            ("ffn_down", (width, inner)),
        ):
            add(f"blk.{layer}.{name}.weight", *shape)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path
