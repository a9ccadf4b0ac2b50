"""LaTeX's commands that are more than a symbol, and the function that reads each of them.

A construct is a function of the parser, the command and the row so far: it reads its arguments
and adds to the row. Those that stack, fence or only space have modules of their own; text, fonts
and the rest are here, and ``CONSTRUCTS`` has them all.
"""

import re

from porism.formula.fonts import LATEX_STYLES, LATEX_SWITCHES
from porism.formula.latex import delimiters, spacing, stacks
from porism.formula.latex.environments import begin, eqnarray, read_cells
from porism.formula.latex.grammar import MAX_WORD, Construct, LatexParser
from porism.formula.latex.leaves import LEAVES
from porism.formula.latex.macros import DEFINING
from porism.formula.latex.tokenizer import WILDCARD_MARK, tokens
from porism.formula.layout import attached, table
from porism.formula.symbols import NEGATED, OVER_ACCENTS, UNDER_ACCENTS, symbol_label
from porism.formula.tree import Edge, Node, Row


def negation(parser: LatexParser, command: str, row: list[Node]) -> None:
    """``\\not`` and the relation after it as one symbol."""
    content = parser.argument()
    if not content:
        row.append(Node("/"))
        return
    label, parts = content[0]
    if parts and label not in NEGATED:
        row += (Node("/"), *content)
    else:
        row += (Node(NEGATED.get(label, label + "\u0338"), parts), *content[1:])


def styled_argument(parser: LatexParser, command: str, row: list[Node]) -> None:
    row += parser.in_style(LATEX_STYLES[command[1:]])


def dots(parser: LatexParser, command: str, row: list[Node]) -> None:
    """``\\dots`` are raised between operators and low elsewhere, as amsmath sets them."""
    follower = LEAVES.get(parser.tokens[parser.at])
    is_raised = (
        follower is not None and follower.label[1:2] != "!" and follower.label not in ",.;:!"
    )
    row.append(Node("V!⋯" if is_raised else "V!…"))


def visible_argument(parser: LatexParser, command: str, row: list[Node]) -> None:
    """Commands that print only one argument, or none."""
    count, visible = _SEVERAL[command[1:]]
    arguments = [parser.argument() for _ in range(count)]
    if command == r"\prescript" and arguments[2]:
        node = arguments[2][0]
        for edge, script in ((Edge.PRE_ABOVE, arguments[0]), (Edge.PRE_BELOW, arguments[1])):
            node = attached(node, edge, script) if script else node
        row += (node, *arguments[2][1:])
    elif command == r"\hdotsfor":
        row.append(Node("V!…"))
    elif visible is not None:
        row += arguments[visible]


_SEVERAL = {
    "mathchoice": (4, 0), "prescript": (3, 2), "multicolumn": (3, 2), "rule": (2, None),
    "definecolor": (3, None), "hdotsfor": (1, None),
}  # fmt: skip
"""The number of arguments of a command, and which of them is printed."""


def limits(parser: LatexParser, command: str, row: list[Node]) -> None:
    """``\\limits``: the scripts of the last symbol go over and under it."""
    while parser.tokens[parser.at] in _LIMITS:
        parser.at += 1
        parser.script(row, _LIMITS[parser.tokens[parser.at - 1]])


_LIMITS = {"^": Edge.OVER, "_": Edge.UNDER}


def style_switch(parser: LatexParser, command: str, row: list[Node]) -> None:
    parser.switch(LATEX_SWITCHES[command[1:]])


def operator_name(parser: LatexParser, command: str, row: list[Node]) -> None:
    """``\\operatorname{Spec}``: one word."""
    content = parser.in_style("roman")
    if any(node.parts for node in content) or len(content) > MAX_WORD:
        row += content
        return
    name = "".join(node.label[2:] if node.label[1:2] == "!" else node.label for node in content)
    if name:
        row.append(Node(symbol_label(name) if name[0].isalpha() else "V!" + name))


def text(parser: LatexParser, command: str, row: list[Node]) -> None:
    """``\\text{for all $n$}``: prose, and the formulas between dollar signs in it."""
    _, brace, content = command.partition("{")
    # Without a brace it is text whose braces the tokenizer could not match.
    content = content[:-1] if brace else parser.raw_argument()
    for place, piece in enumerate(re.split(r"(?<!\\)\$|\\\(|\\\)", content)):
        if place % 2:
            row += parser.inner(tokens(piece))
        else:
            row += prose(piece)


_TEXT_COMMAND = re.compile(r"\\(?:[a-zA-Z]+\s*|([#$%&_{} ])|.)", re.DOTALL)


def prose(piece: str) -> Row:
    """The text node of a piece of text mode, without its commands and braces; empty if blank."""
    piece = re.sub(r"(?<!\\)[{}~]", " ", piece).replace(WILDCARD_MARK, "?")
    words = " ".join(_TEXT_COMMAND.sub(lambda match: match[1] or "", piece).split())
    return (Node("T!" + words),) if words else ()


def substack(parser: LatexParser, command: str, row: list[Node]) -> None:
    """``\\substack{a\\\\b}`` and plain TeX's ``\\matrix{...}`` and ``\\cases{...}``."""
    if parser.tokens[parser.at] != "{":
        row += parser.argument()
        return
    parser.at += 1
    cells = read_cells(parser, "}")
    parser.at += parser.tokens[parser.at] == "}"
    fences = {r"\pmatrix": "()", r"\cases": "{", r"\bmatrix": "[]"}.get(command, "")
    row += table(cells, fences)


def query_variable(parser: LatexParser, command: str, row: list[Node]) -> None:
    """``\\qvar{x}``, the wildcard of NTCIR's topics."""
    name = re.sub(r"\W", "", parser.raw_argument())
    row.append(Node("?" + (name or "x")))


def chemistry(parser: LatexParser, command: str, row: list[Node]) -> None:
    """``\\ce{H2O}``: letters upright, numbers after them as subscripts."""
    content = parser.in_style("roman")
    for node in content:
        if node.label[:2] == "N!" and row and row[-1].label[:2] in ("V!", "M!"):
            row[-1] = attached(row[-1], Edge.BELOW, (node,))
        else:
            row.append(node)


def definition(parser: LatexParser, command: str, row: list[Node]) -> None:
    parser.define()


def diagram_arrow(parser: LatexParser, command: str, row: list[Node]) -> None:
    """``\\ar[r]^f`` of xy-pic: an arrow with its label; its direction is not part of the layout."""
    while parser.option() is not None:
        pass
    row.append(Node("→"))


def _constructs() -> dict[str, Construct]:
    constructs: dict[str, Construct] = {}

    def add(construct: Construct, names: str) -> None:
        constructs.update({"\\" + name: construct for name in names.split()})

    add(spacing.ignore, """
        , ; : ! > / quad qquad enspace thinspace medspace thickspace negthinspace negmedspace
        negthickspace displaystyle textstyle scriptstyle scriptscriptstyle nolimits
        displaylimits tiny scriptsize footnotesize small normalsize large Large LARGE huge Huge
        nonumber notag hline hfill hfil vfill null relax mathstrut strut allowbreak nobreak break
        space nobreakspace par noindent centering protect newpage pagebreak smallskip medskip
        bigskip displaybreak hss vss unskip ignorespaces middle begingroup endgroup bgroup egroup
        endgraf itshape upshape rmdefault allowdisplaybreaks
    """)  # fmt: skip
    constructs |= {
        "\\ ": spacing.ignore,
        "\\\n": spacing.ignore,
        "\\\t": spacing.ignore,
        "\\-": spacing.ignore,
        "\\*": spacing.ignore,
    }
    constructs |= {
        "\\[": spacing.ignore,
        "\\]": spacing.ignore,
        "\\(": spacing.ignore,
        "\\)": spacing.ignore,
    }
    constructs |= {
        r"\tag*": spacing.ignore_argument,
        r"\hspace*": spacing.ignore_argument,
        r"\vspace*": spacing.ignore_argument,
    }
    add(
        spacing.ignore_argument,
        """
        label ref eqref cite tag require hspace vspace phantom hphantom vphantom cline cellcolor
        mathversion footnote index pagestyle usepackage documentclass mspace pageref
    """,
    )
    add(spacing.ignore_length, "kern mkern hskip mskip vskip raise lower")
    add(
        spacing.keep_argument,
        """
        mathord mathop mathbin mathrel mathopen mathclose mathpunct mathinner smash rlap llap clap
        mathrlap mathllap mathclap ensuremath hbox mbox operatornamewithlimits
        unboldmath shoveleft shoveright vcenter lowercase uppercase
    """,
    )
    add(
        spacing.keep_second_argument,
        "textcolor href class style cssId raisebox scalebox skew",
    )
    add(spacing.keep_after_option, "bbox")
    add(spacing.color, "color")
    add(stacks.fraction, "frac dfrac tfrac cfrac nicefrac sfrac flatfrac")
    add(stacks.binomial, "binom dbinom tbinom")
    add(stacks.general_fraction, "genfrac")
    add(stacks.infix_fraction, "over atop choose brack brace above overwithdelims atopwithdelims")
    add(stacks.root, "sqrt")
    add(stacks.plain_root, "root")
    add(stacks.accent, " ".join((*OVER_ACCENTS, *UNDER_ACCENTS)))
    add(stacks.repeated_dots, "dddot ddddot")
    add(stacks.over_set, "overset underset stackrel")
    add(stacks.over_under_set, "overunderset underoverset")
    add(stacks.built_relation, "buildrel")
    add(stacks.labelled_arrow, " ".join(stacks.ARROWS))
    add(negation, "not")
    add(delimiters.left, "left")
    add(
        delimiters.big,
        " ".join(
            size + side for size in ("big", "Big", "bigg", "Bigg") for side in ("", "l", "r", "m")
        ),
    )
    add(styled_argument, " ".join(LATEX_STYLES))
    add(style_switch, " ".join(LATEX_SWITCHES))
    add(operator_name, "operatorname operatorname* operator mathoperator")
    add(text, "text textrm textit textbf textsf texttt textnormal textup textsl textsc textmd emph")
    add(text, "intertext")
    add(delimiters.modulus, "pmod pod")
    add(
        stacks.enclosed,
        "boxed fbox framebox cancel bcancel xcancel enclose sout colorbox fcolorbox",
    )
    add(stacks.canceled_to, "cancelto")
    add(substack, "substack matrix pmatrix bmatrix cases xymatrix shortstack eqalign displaylines")
    add(query_variable, "qvar")
    add(stacks.sides, "sideset")
    add(chemistry, "ce")
    add(delimiters.delimited, " ".join(delimiters.DELIMITED))
    add(stacks.derivative, "dv pdv")
    add(begin, "begin")
    add(dots, "dots")
    add(visible_argument, "mathchoice prescript multicolumn rule definecolor hdotsfor")
    add(limits, "limits")
    add(eqnarray, "@@eqnarray")
    add(diagram_arrow, "ar")
    constructs |= dict.fromkeys(DEFINING, definition)
    constructs["√"] = stacks.typed_root
    return constructs


CONSTRUCTS = _constructs()
