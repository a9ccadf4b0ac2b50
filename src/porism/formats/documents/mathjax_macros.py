r"""Macros that a page defines for MathJax or KaTeX in a script, as LaTeX definitions.

Both accept ``macros: {RR: "\\bf R", bold: ["{\\bf #1}", 1]}``. The script is not executed: anything
that is not a literal like this is ignored.
"""

from __future__ import annotations

import re

MAX_CONFIGURATION = 50_000
"""Characters of a script that are searched after the word ``macros``."""


def mathjax_macros(script: str | None) -> str:
    r"""The definitions in a script, in order, one per line.

    >>> print(mathjax_macros('TeX: {Macros: {RR: "\\\\mathbf R", s: ["#1^2", 1]}}'))
    \newcommand{\RR}{\mathbf R}
    \newcommand{\s}[1]{#1^2}
    """
    opening = _MACROS.search(script or "")
    if not script or not opening:
        return ""
    lines: list[str] = []
    at = opening.end()
    while entry := _ENTRY.match(script, at, opening.end() + MAX_CONFIGURATION):
        name = _unescaped(entry["name"]).removeprefix("\\")
        body = _unescaped((entry["plain"] or entry["listed"])[1:-1])
        # KaTeX infers the number of arguments from the body.
        highest = max((int(number) for number in _PARAMETER.findall(body)), default=0)
        count = int(entry["count"] or highest)
        default = "" if entry["default"] is None else f"[{_unescaped(entry['default'][1:-1])}]"
        arguments = f"[{count}]{default}" if count else ""
        if _COMMAND.fullmatch(name):
            lines.append(f"\\newcommand{{\\{name}}}{arguments}{{{body}}}")
        at = entry.end()
    return "\n".join(lines)


_STRING = r"""(?:"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')"""
_MACROS = re.compile(r"""["']?\b[Mm]acros["']?\s*:\s*\{""")
_ENTRY = re.compile(
    rf"""(?:\s|,|//[^\n]*\n)*
    ["']?(?P<name>\\{{0,2}}[A-Za-z]+)["']?\s*:\s*
    (?:(?P<plain>{_STRING})
      |\[\s*(?P<listed>{_STRING})\s*(?:,\s*(?P<count>[0-9])\s*(?:,\s*(?P<default>{_STRING})\s*)?)?\])""",
    re.VERBOSE,
)
_PARAMETER = re.compile(r"#([1-9])")
_COMMAND = re.compile(r"[A-Za-z]+")


def _unescaped(text: str) -> str:
    return _ESCAPED.sub(r"\1", text)


_ESCAPED = re.compile(r"\\(.)")
