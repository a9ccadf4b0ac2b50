"""Prompts: the lab's form, and where a long question is cut."""

from porism.generation.prompts import fitted_prompt, question_prompt

BODY = "I know that $a + b = b + a$ holds. Why?"


def fitted(most: int, body: str = BODY) -> str | None:
    return fitted_prompt("Sums", body, lambda prompt: len(prompt) <= most)


def test_a_question_without_a_body_is_its_title() -> None:
    assert question_prompt("Why?", " ") == "Q: Why?\n\nA:"


def test_a_question_that_fits_is_whole() -> None:
    whole = question_prompt("Sums", BODY)
    assert fitted(len(whole)) == whole


def test_a_long_body_loses_as_little_of_its_front_as_it_must() -> None:
    whole = question_prompt("Sums", BODY)
    assert fitted(len(whole) - 1) == question_prompt("Sums", BODY.removeprefix("I "))
    assert fitted(len("Q: Sums\n\nholds. Why?\n\nA:")) == "Q: Sums\n\nholds. Why?\n\nA:"


def test_a_body_is_never_cut_inside_a_formula() -> None:
    just_inside = question_prompt("Sums", "+ b = b + a$ holds. Why?")
    assert fitted(len(just_inside)) == "Q: Sums\n\nholds. Why?\n\nA:"


def test_a_body_of_one_word_is_dropped_if_it_does_not_fit() -> None:
    assert fitted(20, "Incomprehensibilities?") == "Q: Sums\n\nA:"


def test_a_title_that_does_not_fit_gives_no_prompt() -> None:
    assert fitted(5) is None
