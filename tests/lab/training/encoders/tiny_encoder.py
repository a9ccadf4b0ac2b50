"""A BERT of a few hundred weights over the words of some texts, made by transformers."""

from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]")


def write_tiny_encoder(folder: Path, texts: Iterable[str], words: int = 400) -> Path:
    """Write a model whose tokens are the most frequent words of the texts; needs transformers."""
    import torch
    from transformers import BertConfig, BertModel

    tokenizer = _tokenizer(texts, words)
    torch.manual_seed(1)
    config = BertConfig(
        vocab_size=tokenizer.get_vocab_size(),
        hidden_size=16,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=16,
        max_position_embeddings=40,
        initializer_range=0.5,
    )
    folder.mkdir(parents=True)
    BertModel(config, add_pooling_layer=False).save_pretrained(folder)
    tokenizer.save(str(folder / "tokenizer.json"))
    return folder


def _tokenizer(texts: Iterable[str], words: int) -> Tokenizer:
    split = pre_tokenizers.Sequence(
        [pre_tokenizers.Whitespace(), pre_tokenizers.Punctuation(), pre_tokenizers.Digits(True)]
    )
    counts: Counter[str] = Counter()
    for text in texts:
        counts.update(word for word, _ in split.pre_tokenize_str(text.lower()))
    common = sorted(counts, key=lambda word: (-counts[word], word))[:words]
    tokenizer = Tokenizer(
        models.WordLevel(
            {word: number for number, word in enumerate((*SPECIAL, *common))}, unk_token="[UNK]"
        )
    )
    tokenizer.normalizer = normalizers.Lowercase()
    tokenizer.pre_tokenizer = split
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[("[CLS]", 2), ("[SEP]", 3)],
    )
    return tokenizer
