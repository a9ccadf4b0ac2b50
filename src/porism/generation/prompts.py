"""Prompts that more than one part of Porism uses."""

from __future__ import annotations


def question_prompt(title: str, body: str) -> str:
    r"""The prompt of the lab's baseline: a question, and where its answer begins (S3 section 6.2).

    >>> question_prompt("Limit?", "What is $\\lim_{n\\to\\infty} 1/n$?")
    'Q: Limit?\n\nWhat is $\\lim_{n\\to\\infty} 1/n$?\n\nA:'
    """
    question = "\n\n".join(text for text in (title.strip(), body.strip()) if text)
    return f"Q: {question}\n\nA:"
