r"""Tables of the commands and environments of LaTeX's prose.

They cover real papers, lecture notes and encyclopedias. An unknown command is dropped and its
arguments are read as text, which is right for most.
"""

from __future__ import annotations

import re
import unicodedata
from typing import NamedTuple


class CommandArguments(NamedTuple):
    """How many arguments to skip before and after the one that is text, and what surrounds it."""

    before: int = 0
    opening: str = ""
    closing: str = ""
    after: int = 0


def _table(entries: dict[CommandArguments, str]) -> dict[str, CommandArguments]:
    return {name: arguments for arguments, names in entries.items() for name in names.split()}


NOTHING = 99
"""Stands for ``after`` if no argument of the command is text."""

ARGUMENTS = _table(
    {
        CommandArguments(1, closing="", after=NOTHING): """
            label cite citep citet citealp citealt citeauthor citeyear nocite autocite parencite
            textcite index indexdef indexsee glossary vspace hspace includegraphics
            usepackage RequirePackage documentclass bibliographystyle bibliography pagestyle
            thispagestyle hypersetup graphicspath title author date thanks address email affil
            keywords subjclass theoremstyle pagenumbering color input include phantom hphantom
            vphantom PMlinkescapeword PMlinkescapephrase psset tikzset usetikzlibrary addbibresource
            geometry newcounter newlength newsavebox refstepcounter stepcounter markright
            allowdisplaybreaks enlargethispage linespread fontsize selectlanguage comment
            hyphenation hypertarget addlinespace
            """,
        CommandArguments(2, after=NOTHING): """
            setlength addtolength setcounter addtocounter newtheorem markboth numberwithin rule
            counterwithin
            """,
        CommandArguments(3, after=NOTHING): """
            definecolor addcontentsline newfont newenvironment renewenvironment
            """,
        CommandArguments(1): "href textcolor colorbox parbox raisebox foreignlanguage scalebox",
        CommandArguments(2): "multicolumn multirow resizebox",
        CommandArguments(after=1): """
            PMlinkname PMlinkid PMlinkexternal PMlinktofile htmladdnormallink texorpdfstring
            """,
        CommandArguments(opening=" (", closing=")"): "footnote footnotetext eqref",
        CommandArguments(): "ref autoref cref Cref pageref nameref emph textbf textit url",
        CommandArguments(opening="“", closing="”"): "enquote",
    }
)

HEADINGS = {"part": 1, "chapter": 1, "section": 2, "subsection": 3, "subsubsection": 4}
RUN_IN = frozenset(("paragraph", "subparagraph"))
"""Headings in the first line of their paragraph."""

SYMBOLS = {
    **dict.fromkeys("quad qquad space enspace thinspace hfill newblock hfil".split(), " "),
    **dict.fromkeys("dots ldots textellipsis dotsc cdots".split(), "…"),
    "S": "§",
    "P": "¶",
    "dag": "†",
    "ddag": "‡",
    "copyright": "©",
    "pounds": "£",
    "ss": "ß",
    "o": "ø",
    "O": "Ø",
    "l": "ł",
    "L": "Ł",
    "ae": "æ",
    "AE": "Æ",
    "oe": "œ",
    "OE": "Œ",
    "aa": "å",
    "AA": "Å",
    "i": "ı",
    "j": "ȷ",
    "dh": "ð",
    "th": "þ",
    "TeX": "TeX",
    "LaTeX": "LaTeX",
    "BibTeX": "BibTeX",
    "textbackslash": "\\",
    "textasciitilde": "~",
    "textasciicircum": "^",
    "textunderscore": "_",
    "textbar": "|",
    "textless": "<",
    "textgreater": ">",
    "textdollar": "$",
    "textendash": "–",
    "textemdash": "—",
    "textquoteleft": "‘",
    "textquoteright": "’",
    "textquotedblleft": "“",
    "textquotedblright": "”",
    "textdegree": "°",
    "texteuro": "€",
    "lbrack": "[",
    "rbrack": "]",
    "qed": "",
    "and": ",",
}
"""Commands without arguments that produce a few characters."""

SIGNS = {
    **{sign: sign for sign in "%&#_{}$"},
    **dict.fromkeys(" \n\t,;:>", " "),
    **dict.fromkeys("!/-@*", ""),
    "|": "‖",
}
"""The meaning of a backslash before a character that is not a letter."""

_COMBINING = {
    "'": "\N{COMBINING ACUTE ACCENT}",
    "`": "\N{COMBINING GRAVE ACCENT}",
    "^": "\N{COMBINING CIRCUMFLEX ACCENT}",
    '"': "\N{COMBINING DIAERESIS}",
    "~": "\N{COMBINING TILDE}",
    "=": "\N{COMBINING MACRON}",
    ".": "\N{COMBINING DOT ABOVE}",
    "c": "\N{COMBINING CEDILLA}",
    "v": "\N{COMBINING CARON}",
    "u": "\N{COMBINING BREVE}",
    "H": "\N{COMBINING DOUBLE ACUTE ACCENT}",
    "k": "\N{COMBINING OGONEK}",
    "r": "\N{COMBINING RING ABOVE}",
    "d": "\N{COMBINING DOT BELOW}",
    "b": "\N{COMBINING MACRON BELOW}",
}
ACCENTS = frozenset(_COMBINING)


def accented(accent: str, letter: str) -> str:
    """The letter with the accent, as one character if Unicode has it.

    >>> accented('"', "o"), accented("'", "i")
    ('ö', 'í')
    """
    return unicodedata.normalize("NFC", letter + _COMBINING[accent])


LISTS = {
    "itemize": "ul",
    "enumerate": "ol",
    "description": "ul",
    "compactitem": "ul",
    "compactenum": "ol",
    "thebibliography": "ul",
    "list": "ul",
    "inparaenum": "ol",
}

VERBATIM = frozenset("verbatim verbatim* Verbatim lstlisting minted alltt program".split())

LISTING = (
    r"\\verb\*?(?P<mark>[^A-Za-z*\s]).*?(?P=mark)|\\begin\{(?P<listing>"
    + "|".join(map(re.escape, sorted(VERBATIM, reverse=True)))
    + r")\}[^\\]*+(?:\\(?!end\{(?P=listing)\})[^\\]*+){0,20000}+\\end\{(?P=listing)\}"
)
"""A pattern for verbatim text, which has neither comments nor commands.

It goes from backslash to backslash without backtracking, because the text may be unclosed.
"""

UNREADABLE = frozenset(
    """
    tikzpicture tikzcd pspicture pspicture* picture xy filecontents filecontents* comment
    CCSXML psmatrix pgfpicture asy prooftree forest
    """.split()
)
"""Environments whose source is not readable text: drawings, comments and files."""

ENVIRONMENT_ARGUMENTS = {
    **dict.fromkeys("multicols tabular array minipage thebibliography longtable list".split(), 1),
    **dict.fromkeys("tabular* tabularx wrapfigure adjustwidth".split(), 2),
    "lstlisting": 0,
    "minted": 1,
}
"""The number of arguments after the name of an environment, without those in brackets."""

THEOREMS = {
    name: title
    for title, names in {
        "Theorem": "theorem thm thmplain theo teo satz",
        "Lemma": "lemma lem LEM",
        "Proposition": "proposition prop PROP",
        "Corollary": "corollary cor coro corol",
        "Definition": "definition defn dfn defi def DEF definitions",
        "Remark": "remark rem rmk rk remarks",
        "Example": "example ex exa exm eg exam examples",
        "Proof": "proof dem pf",
        "Conjecture": "conjecture conj",
        "Claim": "claim",
        "Exercise": "exercise exer",
        "Problem": "problem prob",
        "Solution": "solution sol",
        "Question": "question",
        "Answer": "answer",
        "Notation": "notation",
        "Axiom": "axiom ax",
        "Fact": "fact",
        "Observation": "observation obs",
        "Assumption": "assumption",
        "Algorithm": "algorithm",
        "Abstract": "abstract",
    }.items()
    for name in names.split()
}
"""Titles of theorem-like environments, for documents that do not define them."""
