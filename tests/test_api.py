"""What ``import porism`` offers: lazy, documented, and with the messages of the commands."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

import porism
from porism.errors import PorismError
from porism.model import TopicId

PAGE = (Path(__file__).parent.parent / "docs" / "python.md").read_text("utf-8")


def test_importing_porism_loads_no_other_module_of_ours() -> None:
    code = "import sys, porism; print([m for m in sys.modules if m.startswith('porism.')])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


@pytest.mark.parametrize("name", porism.__all__)
def test_every_public_name_is_documented(name: str) -> None:
    assert getattr(porism, name).__doc__
    assert re.search(rf"`(porism\.)?{name}\b", PAGE)


def test_every_public_function_is_called_on_the_page() -> None:
    code = "".join(re.findall(r"^```python\n(.*?)^```$", PAGE, re.M | re.S))
    functions = [name for name in porism.__all__ if name.islower()]
    assert functions
    assert not [name for name in functions if f"porism.{name}(" not in code]


def test_an_unknown_name_is_refused_as_python_does() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'nonsense'"):
        porism.nonsense  # noqa: B018


def test_submodules_do_not_hide_public_functions() -> None:
    code = (
        "import porism, porism.evaluation, porism.inverted, porism.cli.main\n"
        "print(callable(porism.index), callable(porism.evaluate), callable(porism.run))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "True True True\n"


def test_results_are_a_table_with_mathematics_in_a_notebook(sample_index: Path) -> None:
    with porism.open(sample_index) as index:
        html = index.search(r"harmonic series $\sum \frac1n$ <b>", k=3)._repr_html_()
    assert html.count("<tr>") == 4
    assert "<math" in html
    assert "<mark>" in html


def test_a_formula_is_displayed_as_itself_in_a_notebook() -> None:
    assert porism.Formula("", r"\frac12")._repr_latex_() == r"$\frac12$"


def test_a_collection_opens_its_index(sample_collection: Path) -> None:
    with porism.open(sample_collection) as index:
        assert index.search("series", k=1)


def test_a_folder_that_is_no_index_is_refused(tmp_path: Path) -> None:
    with pytest.raises(PorismError, match="no index; make one with porism index"):
        porism.open(tmp_path)


def test_an_unknown_filter_is_refused_with_the_known_ones(sample_index: Path) -> None:
    refused = pytest.raises(PorismError, match="the filters are tag")
    with porism.open(sample_index) as index, refused:
        index.search("series", color="red")


def test_topics_of_two_tasks_are_refused(sample_index: Path) -> None:
    topics = [
        porism.Topic(TopicId("A.1"), title=("series",)),
        porism.Topic(TopicId("B.1"), focus=porism.Formula("q", "x^2")),
    ]
    with pytest.raises(PorismError, match="topics of one task"):
        porism.run(sample_index, "l8", topics)
