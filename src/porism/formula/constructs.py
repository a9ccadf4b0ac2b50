"""LaTeX's commands that are more than a symbol: fractions, roots, accents, fences, text, spacing.

Each is a function of the parser, the command and the row so far: it reads its arguments and adds
to the row. ``CONSTRUCTS`` names them all.
"""

import re

from porism.formula.environments import begin, eqnarray, read_cells, table
from porism.formula.fences import group
from porism.formula.fonts import LATEX_STYLES, LATEX_SWITCHES
from porism.formula.grammar import Construct, Parser, hung, ordered
from porism.formula.macros import DEFINING
from porism.formula.symbols import FENCES, NEGATED, OVER_ACCENTS, UNDER_ACCENTS, symbol_label
from porism.formula.tree import BLANK, Edge, Node, Row


def covering(content: Row) -> Node:
    """One node for what an accent or brace covers: a plain symbol, else an invisible group."""
    if len(content) == 1 and not content[0].parts:
        return content[0]
    return Node("M!1x1", ((Edge.WITHIN, content or (BLANK,)),))


def ignore(parser: Parser, command: str, row: list[Node]) -> None:
    """Spacing, sizes and the like leave no trace in the tree, but a word ends at them."""
    parser.word_at = -1


def ignore_argument(parser: Parser, command: str, row: list[Node]) -> None:
    parser.raw_argument()


def ignore_length(parser: Parser, command: str, row: list[Node]) -> None:
    """Pass over a length typed without braces, as in ``\\kern-3mu`` or ``\\hskip 1em``."""
    tokens = parser.tokens
    if tokens[parser.at] == "{":
        parser.raw_argument()
        return
    while tokens[parser.at] in ("-", "+", "="):
        parser.at += 1
    if tokens[parser.at][:1].isdigit() or tokens[parser.at][:1] == ".":
        parser.at += 1
        parser.at += 2 if "".join(tokens[parser.at : parser.at + 2]) in _UNITS else 0


_UNITS = frozenset(["pt", "em", "ex", "mm", "cm", "in", "mu", "bp", "pc", "px", "sp"])


def keep_argument(parser: Parser, command: str, row: list[Node]) -> None:
    """Commands that change how their argument is set, not what it is."""
    row += parser.argument()


def keep_behind_option(parser: Parser, command: str, row: list[Node]) -> None:
    parser.option()
    row += parser.argument()


def keep_second_argument(parser: Parser, command: str, row: list[Node]) -> None:
    parser.option()
    parser.raw_argument()
    row += parser.argument()


def color(parser: Parser, command: str, row: list[Node]) -> None:
    parser.option()
    parser.raw_argument()


def fraction(parser: Parser, command: str, row: list[Node]) -> None:
    parser.option()  # \cfrac[l]
    row.append(stacked("O!divide", parser.argument(), parser.argument()))


def stacked(label: str, over: Row, under: Row) -> Node:
    return Node(label, ((Edge.OVER, over or (BLANK,)), (Edge.UNDER, under or (BLANK,))))


def binomial(parser: Parser, command: str, row: list[Node]) -> None:
    row.append(_fenced_stack(parser.argument(), parser.argument(), "(", ")"))


def _fenced_stack(over: Row, under: Row, opening: str, closing: str) -> Node:
    return group(opening, closing, [stacked("O!stack", over, under)], BLANK)


def general_fraction(parser: Parser, command: str, row: list[Node]) -> None:
    """``\\genfrac{(}{)}{0pt}{}{n}{k}``: fences, thickness of the bar, style, and the two rows."""
    opening, closing, bar, _ = (parser.raw_argument() for _ in range(4))
    over, under = parser.argument(), parser.argument()
    label = "O!stack" if re.fullmatch(r"0+(\.0*)?[a-z]*", bar) else "O!divide"
    node = stacked(label, over, under)
    if opening and closing:
        node = group(_fence(opening), _fence(closing), [node], BLANK)
    row.append(node)


def infix_fraction(parser: Parser, command: str, row: list[Node]) -> None:
    """``a \\over b``: everything before it in the group over everything behind it."""
    if command == r"\above":
        ignore_length(parser, command, row)
    delimiters = ""
    if command.endswith("withdelims"):
        delimiters = _fence(parser.raw_argument()) + _fence(parser.raw_argument())
    fences = parser.fences
    over = parser.finished(list(row), -1)
    under = parser.finished(parser.row(), -1)
    parser.fences = fences
    row.clear()
    node = stacked(
        "O!divide" if "over" in command or "above" in command else "O!stack", over, under
    )
    delimiters = delimiters or {r"\choose": "()", r"\brack": "[]", r"\brace": "{}"}.get(command, "")
    row.append(group(delimiters[0], delimiters[1], [node], BLANK) if delimiters else node)


def root(parser: Parser, command: str, row: list[Node]) -> None:
    index = parser.option()
    parts = ((Edge.PRE_ABOVE, index),) if index else ()
    row.append(Node("O!root", (*parts, (Edge.WITHIN, parser.argument() or (BLANK,)))))


def plain_root(parser: Parser, command: str, row: list[Node]) -> None:
    """``\\root n \\of x``."""
    fences = parser.fences
    index: list[Node] = []
    while parser.tokens[parser.at] not in ("", r"\of", "}"):
        index += parser.argument()
    parser.at += parser.tokens[parser.at] == r"\of"
    parts = ((Edge.PRE_ABOVE, parser.finished(index, fences)),) if index else ()
    row.append(Node("O!root", (*parts, (Edge.WITHIN, parser.argument() or (BLANK,)))))


def accent(parser: Parser, command: str, row: list[Node]) -> None:
    name = command[1:]
    content = parser.argument()
    if not content:
        return
    over = OVER_ACCENTS.get(name)
    mark = Node(over if over is not None else UNDER_ACCENTS[name])
    row.append(hung(covering(content), Edge.OVER if over is not None else Edge.UNDER, (mark,)))
    if _LABELLED.match(name):
        _brace_label(parser, row)


_LABELLED = re.compile(r"(over|under)(brace|bracket|paren|group)")


def _brace_label(parser: Parser, row: list[Node]) -> None:
    """Hang the script of a brace on the brace's group, not on what it covers."""
    if parser.tokens[parser.at] in ("^", "_"):
        edge = Edge.OVER if parser.tokens[parser.at] == "^" else Edge.UNDER
        parser.at += 1
        label = parser.argument()
        if label:
            row[-1] = hung(Node("M!1x1", ((Edge.WITHIN, (row[-1],)),)), edge, label)


def repeated_dots(parser: Parser, command: str, row: list[Node]) -> None:
    """``\\dddot`` and ``\\ddddot``."""
    row.append(hung(covering(parser.argument()), Edge.OVER, (Node("˙"),) * command.count("d")))


def over_set(parser: Parser, command: str, row: list[Node]) -> None:
    """``\\overset{a}{b}``, ``\\stackrel{a}{b}``, ``\\underset``: the first goes on the second."""
    below = parser.option() if command == r"\stackrel" else None
    mark, base = parser.argument(), parser.argument()
    edge = Edge.UNDER if command == r"\underset" else Edge.OVER
    node = covering(base)
    if mark:
        node = hung(node, edge, mark)
    if below:
        node = hung(node, Edge.UNDER, below)
    row.append(node)


def over_under_set(parser: Parser, command: str, row: list[Node]) -> None:
    under, over, base = parser.argument(), parser.argument(), parser.argument()
    node = covering(base)
    for edge, mark in ((Edge.OVER, over), (Edge.UNDER, under)):
        if mark:
            node = hung(node, edge, mark)
    row.append(node)


def built_relation(parser: Parser, command: str, row: list[Node]) -> None:
    """``\\buildrel a \\over b``."""
    fences = parser.fences
    mark: list[Node] = []
    while parser.tokens[parser.at] not in ("", r"\over", "}"):
        mark += parser.argument()
    parser.at += parser.tokens[parser.at] == r"\over"
    base = covering(parser.argument())
    row.append(hung(base, Edge.OVER, parser.finished(mark, fences)) if mark else base)


def labelled_arrow(parser: Parser, command: str, row: list[Node]) -> None:
    below = parser.option()
    above = parser.argument()
    node = Node(_ARROWS[command[1:]])
    if above:
        node = hung(node, Edge.OVER, above)
    if below:
        node = hung(node, Edge.UNDER, below)
    row.append(node)


_ARROWS = {
    "xrightarrow": "→", "xleftarrow": "←", "xleftrightarrow": "↔", "xRightarrow": "⇒",
    "xLeftarrow": "⇐", "xLeftrightarrow": "⇔", "xmapsto": "↦", "xhookrightarrow": "↪",
    "xhookleftarrow": "↩", "xrightharpoonup": "⇀", "xleftharpoonup": "↼", "xlongequal": "=",
    "xrightleftharpoons": "⇌", "xtwoheadrightarrow": "↠", "xtofrom": "⇄",
}  # fmt: skip


def negation(parser: Parser, command: str, row: list[Node]) -> None:
    """``\\not`` and the relation after it as one symbol."""
    content = parser.argument()
    if not content:
        row.append(Node("/"))
        return
    label = content[0].label
    row.append(Node(NEGATED.get(label, label + "\u0338"), content[0].parts))
    row += content[1:]


def _fence(token: str) -> str:
    """The fence a delimiter token stands for; a full stop and nothing at all are no fence."""
    if token in ("", "."):
        return ""
    parser = Parser(token, {}, {})
    found = parser.row()
    label = found[0].label if found else symbol_label(token[-1])
    return {"<": "⟨", ">": "⟩"}.get(label, label)


def left(parser: Parser, command: str, row: list[Node]) -> None:
    """``\\left ( ... \\right )``: a pair of fences that the writer has matched."""
    start = parser.at - 1
    opening = _delimiter(parser)
    fences = parser.fences
    style, leaves = parser.style, parser.leaves
    nodes = parser.row_until(r"\right")
    parser.style, parser.leaves = style, leaves
    closing = ""
    if parser.tokens[parser.at] == r"\right":
        parser.at += 1
        closing = _delimiter(parser)
    else:
        parser.problem(r"\left without \right", start)
    content = parser.finished(nodes, fences)
    if opening in FENCES and closing in _CLOSERS:
        row.append(group(opening, closing, content, BLANK))
        return
    if opening == "{" and not closing and len(content) == 1 and _MATRIX.match(content[0].label):
        row.append(Node("M!{" + content[0].label[2:], content[0].parts))
        return
    row += [Node(opening)] if opening else []
    row += content
    row += [Node(closing)] if closing else []
    if {opening, closing} & (set(FENCES) | _CLOSERS):
        parser.fences += 1


_CLOSERS = frozenset(FENCES.values()) | frozenset("([{")
_MATRIX = re.compile(r"M!\d")


def _delimiter(parser: Parser) -> str:
    token = parser.tokens[parser.at]
    if token == "{":  # \bigl{(} and its kin
        return _fence(parser.raw_argument())
    if token and (token not in ("}", r"\right", "&")):
        if token[0] == "." and len(token) > 1:  # \left.5: the full stop is the delimiter
            parser.tokens[parser.at] = token[1:]
        else:
            parser.at += 1
        return _fence(token[0] if token[0] in ".[" else token)
    return ""


def big(parser: Parser, command: str, row: list[Node]) -> None:
    """``\\big``, ``\\Bigl`` and their kin only size the delimiter behind them."""
    if parser.tokens[parser.at] == "{":
        row += parser.argument()
        parser.fences += 1
    elif parser.tokens[parser.at] in ("<", ">", "."):
        fence = _delimiter(parser)
        row += [Node(fence)] if fence else []
        parser.fences += 1


def styled_argument(parser: Parser, command: str, row: list[Node]) -> None:
    row += parser.in_style(LATEX_STYLES[command[1:]])


def style_switch(parser: Parser, command: str, row: list[Node]) -> None:
    parser.switch(LATEX_SWITCHES[command[1:]])


def operator_name(parser: Parser, command: str, row: list[Node]) -> None:
    """``\\operatorname{Spec}``: one word, whatever it is typed with."""
    content = parser.in_style("roman")
    if any(node.parts for node in content):
        row += content
        return
    name = "".join(node.label[2:] if node.label[1:2] == "!" else node.label for node in content)
    if name:
        row.append(Node(symbol_label(name) if name[0].isalpha() else "V!" + name))


def text(parser: Parser, command: str, row: list[Node]) -> None:
    """``\\text{for all $n$}``: prose, and the formulas between dollar signs in it."""
    _, brace, content = command.partition("{")
    # Without a brace it is text whose braces the tokenizer could not match in one go.
    content = content[:-1] if brace else parser.raw_argument()
    for place, piece in enumerate(re.split(r"\$|\\\(|\\\)", content)):
        if place % 2:
            inner = Parser(piece, parser.constructs, parser.macros)
            inner.depth = parser.depth
            row += inner.whole_row()
            parser.found += [(parser.at - 1, message) for _, message in inner.found]
        else:
            row += prose(piece)


_TEXT_COMMAND = re.compile(r"\\(?:[a-zA-Z]+\s*|([#$%&_{} ])|.)", re.DOTALL)


def prose(piece: str) -> Row:
    """The text node of a piece of text mode, without its commands and braces; none if blank."""
    piece = re.sub(r"(?<!\\)[{}~]", " ", piece)
    words = " ".join(_TEXT_COMMAND.sub(lambda match: match[1] or "", piece).split())
    return (Node("T!" + words),) if words else ()


def modulus(parser: Parser, command: str, row: list[Node]) -> None:
    """``\\pmod n`` prints parentheses, ``\\mod n`` prints none, ``\\pod n`` prints no "mod"."""
    content = parser.argument()
    if command != r"\pod":
        content = (Node("mod"), *content)
    if command == r"\mod":
        row += content
    else:
        row.append(group("(", ")", content, BLANK))


def enclosed(parser: Parser, command: str, row: list[Node]) -> None:
    parser.option()
    if command in (r"\enclose", r"\colorbox"):
        parser.raw_argument()
    if command == r"\fcolorbox":
        parser.raw_argument()
        parser.raw_argument()
    row.append(Node("O!enclose", ((Edge.WITHIN, parser.argument() or (BLANK,)),)))


def canceled_to(parser: Parser, command: str, row: list[Node]) -> None:
    value, content = parser.argument(), parser.argument()
    node = Node("O!enclose", ((Edge.WITHIN, content or (BLANK,)),))
    row.append(hung(node, Edge.ABOVE, value) if value else node)


def substack(parser: Parser, command: str, row: list[Node]) -> None:
    """``\\substack{a\\\\b}`` and plain TeX's ``\\matrix{...}`` and ``\\cases{...}``."""
    if parser.tokens[parser.at] != "{":
        row += parser.argument()
        return
    parser.at += 1
    cells = read_cells(parser, "}")
    parser.at += parser.tokens[parser.at] == "}"
    fences = {r"\pmatrix": "()", r"\cases": "{", r"\bmatrix": "[]"}.get(command, "")
    row += table(cells, fences)


def query_variable(parser: Parser, command: str, row: list[Node]) -> None:
    """``\\qvar{x}``, as NTCIR's topics write a wildcard."""
    name = re.sub(r"\W", "", parser.raw_argument())
    row.append(Node("?" + (name or "x")))


def sides(parser: Parser, command: str, row: list[Node]) -> None:
    """``\\sideset{_a^b}{_c^d}\\sum``: scripts before and behind the operator."""
    before, behind, base = parser.argument(), parser.argument(), parser.argument()
    if not base:
        return
    moved = {Edge.ABOVE: Edge.PRE_ABOVE, Edge.BELOW: Edge.PRE_BELOW}
    parts = [(moved.get(edge, edge), content) for node in before for edge, content in node.parts]
    parts += [part for node in behind for part in node.parts]
    row.append(Node(base[0].label, ordered((*base[0].parts, *parts))))
    row += base[1:]


def typed_root(parser: Parser, command: str, row: list[Node]) -> None:
    """``√x`` with the sign typed as a character."""
    row.append(Node("O!root", ((Edge.WITHIN, parser.argument() or (BLANK,)),)))


def chemistry(parser: Parser, command: str, row: list[Node]) -> None:
    """``\\ce{H2O}``: letters upright, numbers behind them as subscripts."""
    content = parser.in_style("roman")
    for node in content:
        if node.label[:2] == "N!" and row and row[-1].label[:2] in ("V!", "M!"):
            row[-1] = hung(row[-1], Edge.BELOW, (node,))
        else:
            row.append(node)


def delimited(parser: Parser, command: str, row: list[Node]) -> None:
    """``\\abs{x}`` and other commands of widespread packages that print their fences."""
    fences = _DELIMITED[command[1:]]
    row.append(group(fences[0], fences[1], parser.argument(), BLANK))


_DELIMITED = {
    "abs": "||", "norm": "∥∥", "set": "{}", "Set": "{}", "ceil": "⌈⌉", "floor": "⌊⌋", "ket": "|⟩",
    "bra": "⟨|", "braket": "⟨⟩", "qty": "()", "paren": "()", "pqty": "()", "bqty": "[]",
}  # fmt: skip


def derivative(parser: Parser, command: str, row: list[Node]) -> None:
    """``\\dv{f}{x}`` and ``\\pdv{f}{x}`` of the physics package; ``\\dv{x}`` is the operator."""
    sign = Node("∂") if command[1] == "p" else Node("V!d")
    order = parser.option()
    top = hung(sign, Edge.ABOVE, order) if order else sign
    first = parser.argument()
    over: Row = (top,)
    if parser.tokens[parser.at] == "{":
        over, first = (top, *first), parser.argument()
    under = (sign, *first)
    if order and first:
        under = (*under[:-1], hung(under[-1], Edge.ABOVE, order))
    row.append(stacked("O!divide", over, under))


def definition(parser: Parser, command: str, row: list[Node]) -> None:
    parser.define()


def diagram_arrow(parser: Parser, command: str, row: list[Node]) -> None:
    """``\\ar[r]^f`` of xy-pic: an arrow with its label; where it points is not layout."""
    while parser.option() is not None:
        pass
    row.append(Node("→"))


def _constructs() -> dict[str, Construct]:
    table_of: dict[str, Construct] = {}

    def add(construct: Construct, names: str) -> None:
        table_of.update({"\\" + name: construct for name in names.split()})

    add(ignore, """
        , ; : ! > / quad qquad enspace thinspace medspace thickspace negthinspace negmedspace
        negthickspace displaystyle textstyle scriptstyle scriptscriptstyle limits nolimits
        displaylimits tiny scriptsize footnotesize small normalsize large Large LARGE huge Huge
        nonumber notag hline hfill hfil vfill null relax mathstrut strut allowbreak nobreak break
        space nobreakspace par noindent centering protect newpage pagebreak smallskip medskip
        bigskip displaybreak hss vss unskip ignorespaces middle begingroup endgroup bgroup egroup
        endgraf itshape upshape rmdefault mathchoice
    """)  # fmt: skip
    table_of |= {"\\ ": ignore, "\\\n": ignore, "\\\t": ignore, "\\-": ignore, "\\*": ignore}
    table_of |= {"\\[": ignore, "\\]": ignore, "\\(": ignore, "\\)": ignore}
    table_of |= {
        r"\tag*": ignore_argument,
        r"\hspace*": ignore_argument,
        r"\vspace*": ignore_argument,
    }
    add(
        ignore_argument,
        """
        label ref eqref cite tag require hspace vspace phantom hphantom vphantom cline rule
        footnote index pagestyle usepackage documentclass mspace pageref
    """,
    )
    add(ignore_length, "kern mkern hskip mskip vskip mkern raise lower")
    add(
        keep_argument,
        """
        mathord mathop mathbin mathrel mathopen mathclose mathpunct mathinner smash rlap llap clap
        mathrlap mathllap mathclap ensuremath hbox mbox operatornamewithlimits overleft mathversion
        boldmath unboldmath cellcolor xymatrixcompile vcenter lowercase uppercase
    """,
    )
    add(keep_second_argument, "textcolor href class style cssId mathchoice raisebox scalebox")
    add(keep_behind_option, "bbox")
    add(color, "color definecolor")
    add(fraction, "frac dfrac tfrac cfrac nicefrac sfrac flatfrac")
    add(binomial, "binom dbinom tbinom")
    add(general_fraction, "genfrac")
    add(infix_fraction, "over atop choose brack brace above overwithdelims atopwithdelims")
    add(root, "sqrt")
    add(plain_root, "root")
    add(accent, " ".join((*OVER_ACCENTS, *UNDER_ACCENTS)))
    add(repeated_dots, "dddot ddddot")
    add(over_set, "overset underset stackrel")
    add(over_under_set, "overunderset underoverset")
    add(built_relation, "buildrel")
    add(labelled_arrow, " ".join(_ARROWS))
    add(negation, "not")
    add(left, "left")
    add(
        big,
        " ".join(
            size + side for size in ("big", "Big", "bigg", "Bigg") for side in ("", "l", "r", "m")
        ),
    )
    add(styled_argument, " ".join(LATEX_STYLES))
    add(style_switch, " ".join(LATEX_SWITCHES))
    add(operator_name, "operatorname operatorname* operator mathoperator")
    add(text, "text textrm textit textbf textsf texttt textnormal textup textsl textsc textmd emph")
    add(modulus, "pmod mod pod")
    add(enclosed, "boxed fbox framebox cancel bcancel xcancel enclose sout colorbox fcolorbox")
    add(canceled_to, "cancelto")
    add(substack, "substack matrix pmatrix bmatrix cases xymatrix shortstack eqalign displaylines")
    add(query_variable, "qvar")
    add(sides, "sideset")
    add(chemistry, "ce")
    add(delimited, " ".join(_DELIMITED))
    add(derivative, "dv pdv")
    add(begin, "begin")
    add(eqnarray, "@@eqnarray")
    add(diagram_arrow, "ar")
    table_of |= dict.fromkeys(DEFINING, definition)
    table_of["√"] = typed_root
    return table_of


CONSTRUCTS = _constructs()
