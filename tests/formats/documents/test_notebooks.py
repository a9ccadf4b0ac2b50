"""Jupyter notebooks as documents."""

import json
from pathlib import Path

import pytest

from porism.errors import FormatError
from porism.formats.documents.notebooks import read_notebook
from porism.formats.dumps.rows import PostRow


def rows(folder: Path, notebook: object) -> list[PostRow]:
    path = folder / "a.ipynb"
    path.write_text(json.dumps(notebook), encoding="utf-8")
    return list(read_notebook(path, "notes/a.ipynb"))


def test_cells_in_order(tmp_path: Path) -> None:
    notebook = {
        "metadata": {"date": "2020-01-02"},
        "cells": [
            {"cell_type": "markdown", "source": ["# On $x$\n", "\n", "Let $x_1$ be *it*."]},
            {
                "cell_type": "code",
                "source": "a < b",
                "outputs": [
                    {"output_type": "stream", "text": "printed"},
                    {
                        "output_type": "execute_result",
                        "data": {"text/plain": "plain", "text/latex": ["$\\displaystyle ", "y$"]},
                    },
                    {"output_type": "display_data", "data": {"text/markdown": "**z**"}},
                    {"output_type": "display_data", "data": {"image/png": "iVBOR"}},
                ],
            },
            {"cell_type": "raw", "source": "raw"},
            {"cell_type": "markdown", "source": "# Second"},
        ],
    }
    (row,) = rows(tmp_path, notebook)
    assert row.title == 'On <span class="math-container">x</span>'
    assert row.body == (
        '<p>Let <span class="math-container">x_1</span> be <em>it</em>.</p>\n'
        "<pre><code>a &lt; b</code></pre>\n"
        '<p><span class="math-container">\\displaystyle y</span></p>\n'
        "<p><strong>z</strong></p>\n<h1>Second</h1>\n"
    )
    assert (row.name, row.created, row.line) == ("notes/a.ipynb", "2020-01-02", 1)


def test_metadata_title_is_preferred_and_file_name_is_last(tmp_path: Path) -> None:
    cells = [{"cell_type": "markdown", "source": "# Heading"}]
    (titled,) = rows(tmp_path, {"metadata": {"title": "Told"}, "cells": cells})
    assert (titled.title, titled.body) == ("Told", "<h1>Heading</h1>\n")
    (untold,) = rows(tmp_path, {"cells": [{"cell_type": "code", "source": "x"}]})
    assert untold.title == "a"


def test_front_matter_in_the_first_cell(tmp_path: Path) -> None:
    cells = [{"cell_type": "markdown", "source": "---\ntags: [a, b]\n---\ntext"}]
    (row,) = rows(tmp_path, {"cells": cells})
    assert row.tags == ("a", "b")


def test_third_format_has_worksheets(tmp_path: Path) -> None:
    cells = [
        {"cell_type": "heading", "level": 1, "source": "T"},
        {"cell_type": "code", "input": "x", "outputs": [{"output_type": "pyout", "latex": "$y$"}]},
    ]
    (row,) = rows(tmp_path, {"nbformat": 3, "worksheets": [{"cells": cells}]})
    assert row.title == "T"
    assert row.body == (
        '<h2>T</h2>\n<pre><code>x</code></pre>\n<p><span class="math-container">y</span></p>\n'
    )


def test_first_formats_have_other_names(tmp_path: Path) -> None:
    cells = [{"cell_type": "text", "text": "$x$"}, {"cell_type": "code", "code": "y"}]
    html = {"cell_type": "html", "source": "<b>z</b>"}
    (row,) = rows(tmp_path, {"nbformat": 1, "cells": cells, "worksheets": [{"cells": [html]}]})
    assert row.body == (
        '<p><span class="math-container">x</span></p>\n<pre><code>y</code></pre>\n<p>z</p>\n'
    )


def test_empty_worksheets_hide_no_cells(tmp_path: Path) -> None:
    cells = [{"cell_type": "markdown", "source": "x"}]
    (row,) = rows(tmp_path, {"worksheets": [], "cells": cells})
    assert row.body == "<p>x</p>\n"


def test_empty_notebook_is_not_a_document(tmp_path: Path) -> None:
    assert rows(tmp_path, {"cells": []}) == []
    odd = {"cell_type": "code", "source": 5, "outputs": ["x", {"data": {"text/latex": 7}}]}
    assert rows(tmp_path, {"metadata": 1, "cells": [odd, {}]}) == []
    assert rows(tmp_path, {"cells": [{"cell_type": []}, {"cell_type": {}}]}) == []


@pytest.mark.parametrize(
    ("text", "line", "why"),
    [
        ('{\n"cells": [', 2, "not a notebook, which is JSON"),
        ("[]", 1, "expected a JSON object"),
        ("{}", 1, 'expected a list "cells"'),
        ('{"cells": {}}', 1, 'expected a list "cells"'),
        ('{"cells": [1]}', 1, "expected each cell to be a JSON object"),
        ("[" * 100_000, 1, "nested too deeply"),
        ('{"cells": [], "a": ' + "1" * 5_000 + "}", 1, "a number with too many digits"),
    ],
)
def test_other_json_is_rejected(text: str, line: int, why: str, tmp_path: Path) -> None:
    path = tmp_path / "a.ipynb"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(FormatError, match=why) as raised:
        list(read_notebook(path, "a.ipynb"))
    assert raised.value.line == line
