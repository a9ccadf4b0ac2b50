"""The HTML template for our tasks in Turkle: question on the left, candidates on the right.

Turkle wraps it in a form with a button, so it has neither. It runs no script. If a task has fewer
candidates than the template has slots, the other slots are disabled and hidden.
"""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from pathlib import Path

from porism.assess.choice_definitions import CHOICE_NAMES, choice_definitions
from porism.errors import PorismError
from porism.formats.text_lines import open_atomic
from porism.model import Task

MAX_SLOTS = 20
"""Turkle accepts templates of up to 64 KB."""


@dataclass(frozen=True, slots=True)
class TurkleTaskSettings:
    """Settings shared by the tasks and their template.

    ``slots`` is the number of candidates shown together: 1 for answers, 5 for the instances of a
    formula. ``has_annotations`` asks whether an answer is machine-generated and whether it contains
    unrelated information (S3 section 6.4.3). ``note`` is shown on top, such as the rule for
    formulas visually identical to the query.
    """

    task: int = 1
    slots: int = 1
    has_annotations: bool = False
    note: str = ""


def template_variables(settings: TurkleTaskSettings) -> tuple[str, ...]:
    """The variables of the template, which are the columns of the tasks.

    >>> template_variables(TurkleTaskSettings())
    ('topic_id', 'title', 'question', 'candidate_1', 'html_1', 'state_1')
    """
    of_slots = (
        f"{name}_{place}"
        for place in range(1, settings.slots + 1)
        for name in ("candidate", "html", "state")
    )
    return ("topic_id", "title", "question", *of_slots)


def without_variables(html: str) -> str:
    """The HTML with nothing that Turkle takes for a variable, as in ``${x}$``, even in values."""
    return html.replace("${", "&#36;{").replace("\0", "\N{REPLACEMENT CHARACTER}")


def turkle_template(settings: TurkleTaskSettings) -> str:
    """The template, to be uploaded to a project of Turkle."""
    if not 1 <= settings.slots <= MAX_SLOTS:
        raise PorismError(
            f"found {settings.slots} slots: expected 1 to {MAX_SLOTS} candidates in a Turkle task"
        )
    what = "highlighted formula" if settings.task == Task.FORMULAS else "answer"
    note = without_variables(escape(settings.note))
    note = f"<p><strong>{note}</strong></p>\n" if note else ""
    candidates = "\n".join(_slot(place, settings) for place in range(1, settings.slots + 1))
    return (
        f"<style>\n{_STYLE}</style>\n"
        f"<header>\n<p>How relevant is each {what} on the right to the question on the left? "
        "Judge by what is in the collection; do not follow links out of it.</p>\n"
        f"{note}{_definitions(settings)}\n</header>\n"
        '<div class="panes">\n'
        '<section class="question">\n<p class="meta">Topic ${topic_id}</p>\n'
        "<h1>${title}</h1>\n<div>${question}</div>\n</section>\n"
        f'<section class="candidates">\n{candidates}\n</section>\n</div>\n'
    )


def write_template(path: Path, settings: TurkleTaskSettings) -> None:
    """Write the template for tasks with these settings."""
    text = turkle_template(settings)
    with open_atomic(path) as file:
        file.write(text)


def _definitions(settings: TurkleTaskSettings) -> str:
    items = "\n".join(
        f"<dt>{CHOICE_NAMES[choice]}</dt><dd>{definition}</dd>"
        for choice, definition in choice_definitions(settings.task).items()
    )
    return f"<details>\n<summary>What the grades mean</summary>\n<dl>\n{items}\n</dl>\n</details>"


def _slot(place: int, settings: TurkleTaskSettings) -> str:
    legend = "Formula" if settings.task == Task.FORMULAS else "Answer"
    choices = "\n".join(
        f'<label><input type="radio" name="choice_{place}" value="{choice}" required> '
        f"{label}</label>"
        for choice, label in CHOICE_NAMES.items()
    )
    annotations = _annotations(place) if settings.has_annotations else ""
    return (
        f"<fieldset ${{state_{place}}}>\n<legend>{legend} ${{candidate_{place}}}</legend>\n"
        f"<div>${{html_{place}}}</div>\n"
        f'<div class="choices" role="radiogroup" aria-label="Relevance">\n{choices}\n</div>\n'
        f"{annotations}"
        f'<label class="comment">Comment <textarea name="comment_{place}" rows="2" '
        'maxlength="4000"></textarea></label>\n</fieldset>'
    )


def _annotations(place: int) -> str:
    questions = {
        "machine_made": "Is it machine-generated?",
        "unrelated": "Does it contain unrelated information?",
    }
    return "".join(
        f'<div class="choices" role="radiogroup" aria-label="{question}">\n'
        f"<span>{question}</span>\n"
        f'<label><input type="radio" name="{name}_{place}" value="yes" required> yes</label>\n'
        f'<label><input type="radio" name="{name}_{place}" value="no" required> no</label>\n'
        "</div>\n"
        for name, question in questions.items()
    )


_STYLE = """body { font: 16px/1.5 system-ui, sans-serif; margin: .5rem; }
h1 { background: #ddd; color: #000; font-size: 1.1rem; padding: .3rem .5rem; }
dt { font-weight: 600; }
.meta { font-size: .9rem; }
.panes { display: grid; gap: 1rem; grid-template-columns: minmax(0, 2fr) minmax(0, 3fr); }
.question, .candidates { max-height: 75vh; overflow: auto; }
fieldset { margin: 0 0 1rem; min-width: 0; overflow-wrap: break-word; }
fieldset[hidden] { display: none; }
.choices { display: flex; flex-wrap: wrap; gap: .3rem 1rem; margin: .6rem 0; }
.choices label { padding: .3rem 0; }
.comment { display: block; }
.comment textarea { box-sizing: border-box; display: block; width: 100%; }
mark { background: #ff0; color: #000; }
@media (max-width: 50rem) {
  .panes { display: block; }
  .question, .candidates { max-height: none; }
}
"""
