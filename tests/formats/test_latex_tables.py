"""Tables as LaTeX."""

import re

from hypothesis import given
from hypothesis import strategies as st

from porism.formats.latex_tables import latex_escaped


@given(st.text())
def test_no_text_gets_out_of_its_cell(text: str) -> None:
    shown = latex_escaped(text)
    assert shown.isprintable()
    for command in (
        r"\\text[a-z]+\{\}",
        r"\\[&%$#_{}]",
    ):
        shown = re.sub(command, "", shown)
    assert not re.search(r"[&%$#_{}\\~^]", shown)
