"""The network of an encoder written from its definition, with loops over numbers."""

import math

import numpy as np

from tests.embed.tiny_models import (
    HEADS,
    WIDTH,
    Tensors,
    albert_name,
    mpnet_name,
    tensors,
)

Vector = list[float]


def linear(weights: Tensors, name: str, vector: Vector) -> Vector:
    rows, bias = weights[f"{name}.weight"].tolist(), weights[f"{name}.bias"].tolist()
    return [
        moved + sum(weight * value for weight, value in zip(row, vector, strict=True))
        for row, moved in zip(rows, bias, strict=True)
    ]


def normalised(weights: Tensors, name: str, vector: Vector) -> Vector:
    mean = sum(vector) / len(vector)
    variance = sum((value - mean) ** 2 for value in vector) / len(vector)
    scale, bias = weights[f"{name}.weight"].tolist(), weights[f"{name}.bias"].tolist()
    return [
        (value - mean) / math.sqrt(variance + 1e-5) * scale[at] + bias[at]
        for at, value in enumerate(vector)
    ]


def added(left: Vector, right: Vector) -> Vector:
    return [one + other for one, other in zip(left, right, strict=True)]


def bucket(distance: int) -> int:
    """The bucket of MPNet's 32 for a distance: 16 each way, single up to 7, logarithmic to 128."""
    size = abs(distance)
    if size >= 8:
        size = min(15, 8 + int(math.log(size / 8) / math.log(128 / 8) * 8 + 1e-6))
    return size + (16 if distance > 0 else 0)


def attended(weights: Tensors, name: str, vectors: list[Vector]) -> list[Vector]:
    size = WIDTH // HEADS
    bias = weights.get("encoder.relative_attention_bias.weight")
    queries, keys, values = (
        [linear(weights, f"{name}.self.{part}", vector) for vector in vectors]
        for part in ("query", "key", "value")
    )
    results = []
    for place, query in enumerate(queries):
        result: Vector = []
        for head in range(HEADS):
            part = range(head * size, (head + 1) * size)
            scores = [sum(query[at] * key[at] for at in part) / math.sqrt(size) for key in keys]
            if bias is not None:
                scores = [
                    score + float(bias[bucket(other - place)][head])
                    for other, score in enumerate(scores)
                ]
            shares = [math.exp(score) / sum(map(math.exp, scores)) for score in scores]
            result += [
                sum(share * value[at] for share, value in zip(shares, values, strict=True))
                for at in part
            ]
        results.append(linear(weights, f"{name}.output.dense", result))
    return results


def gelu(value: float) -> float:
    return value * (1 + math.erf(value / math.sqrt(2))) / 2


def gelu_new(value: float) -> float:
    inner = math.sqrt(2 / math.pi) * (value + 0.044715 * value**3)
    return value * (1 + math.tanh(inner)) / 2


WIDENING = "encoder.embedding_hidden_mapping_in"


def bert_names(weights: Tensors) -> Tensors:
    """The tensors of MPNet and ALBERT by the names of BERT; those of other models unchanged."""
    if f"{WIDENING}.weight" in weights:
        made = {name: weights[albert_name(name)] for name in tensors(1)}
        parts = (f"{WIDENING}.{part}" for part in ("weight", "bias"))
        return made | {part: weights[part] for part in parts}
    wanted = [*tensors(1), "encoder.relative_attention_bias.weight"]
    if "encoder.relative_attention_bias.weight" not in weights:
        return weights
    made = {name: weights[mpnet_name(name)] for name in wanted if mpnet_name(name) in weights}
    segments = np.zeros((1, WIDTH), dtype=np.float32)
    return made | {"embeddings.token_type_embeddings.weight": segments}


def slow_states(
    weights: Tensors, ids: list[int], layers: int, first: int, types: list[int] | None = None
) -> list[Vector]:
    """The output of a layer for each token; ``first`` is the position of the first token."""
    weights = bert_names(weights)
    is_albert = f"{WIDENING}.weight" in weights
    vectors = []
    for place, number in enumerate(ids):
        word = weights["embeddings.word_embeddings.weight"][number].tolist()
        position = weights["embeddings.position_embeddings.weight"][first + place].tolist()
        segment = types[place] if types else 0
        kind = weights["embeddings.token_type_embeddings.weight"][segment].tolist()
        summed = added(added(word, position), kind)
        vector = normalised(weights, "embeddings.LayerNorm", summed)
        vectors.append(linear(weights, WIDENING, vector) if is_albert else vector)
    for layer in range(layers):
        at = f"encoder.layer.{layer}"
        mixed = attended(weights, f"{at}.attention", vectors)
        for place, vector in enumerate(vectors):
            vector = normalised(
                weights, f"{at}.attention.output.LayerNorm", added(vector, mixed[place])
            )
            inner = linear(weights, f"{at}.intermediate.dense", vector)
            inner = [gelu_new(value) if is_albert else gelu(value) for value in inner]
            outer = added(vector, linear(weights, f"{at}.output.dense", inner))
            vectors[place] = normalised(weights, f"{at}.output.LayerNorm", outer)
    return vectors


def slow_logits(weights: Tensors, first_state: Vector) -> Vector:
    """The outputs of a classifier for the state of the first token."""
    for hidden, output in (
        ("pooler.dense", "classifier"),
        ("pooler", "classifier"),
        ("classifier.dense", "classifier.out_proj"),
    ):
        if f"{hidden}.weight" in weights:
            inner = [math.tanh(value) for value in linear(weights, hidden, first_state)]
            return linear(weights, output, inner)
    raise AssertionError("no classifier")


LANGUAGE_MODELS = (
    ("cls.predictions.transform.dense", "cls.predictions.transform.LayerNorm", gelu),
    ("predictions.dense", "predictions.LayerNorm", gelu_new),
    ("lm_head.dense", "lm_head.layer_norm", gelu),
)


def slow_terms(weights: Tensors, states: list[Vector]) -> Vector:
    """The weight of each term: the largest log(1 + relu) of the language model's output."""
    words = weights["embeddings.word_embeddings.weight"].tolist()
    dense, norm, activation = next(
        each for each in LANGUAGE_MODELS if f"{each[0]}.weight" in weights
    )
    ends = ("predictions.bias", "lm_head.bias")
    bias = weights[next(name for name in weights if name.endswith(ends))].tolist()
    largest = [0.0] * len(words)
    for state in states:
        inner = [activation(value) for value in linear(weights, dense, state)]
        inner = normalised(weights, norm, inner)
        for number, word in enumerate(words):
            logit = bias[number] + sum(map(float.__mul__, inner, word))
            largest[number] = max(largest[number], math.log1p(max(logit, 0.0)))
    return largest
