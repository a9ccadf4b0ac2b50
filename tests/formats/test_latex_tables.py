"""Tables in LaTeX."""

import re

from hypothesis import given
from hypothesis import strategies as st

from porism.formats.latex_tables import latex_escaped


@given(st.text())
def test_text_stays_in_its_cell(text: str) -> None:
    escaped = latex_escaped(text)
    assert escaped.isprintable()
    for command in (
        r"\\text[a-z]+\{\}",
        r"\\[&%$#_{}]",
    ):
        escaped = re.sub(command, "", escaped)
    assert not re.search(r"[&%$#_{}\\~^]", escaped)
