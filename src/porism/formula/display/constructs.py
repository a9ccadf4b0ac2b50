"""The commands that are more than a symbol: space, colour, boxes, fonts, and the whole table."""

from __future__ import annotations

import re
from html import escape

from porism.formula.display import delimiters, spacing, stacks, tables
from porism.formula.display.atoms import NEUTRAL, SLOT, WIDTHS, Atom, Kind, Limits
from porism.formula.display.fonts import FONTS, SWITCHES
from porism.formula.display.grammar import Construct, DisplayParser, Size
from porism.formula.display.symbols import DOTS, GLYPHS, operator
from porism.formula.display.text import tag_text, text
from porism.formula.display.values import colour
from porism.formula.latex.delimiters import DELIMITED
from porism.formula.latex.macros import DEFINING, definition_at
from porism.formula.latex.stacks import ARROWS
from porism.formula.symbols import NEGATED, OVER_ACCENTS, UNDER_ACCENTS


def definition(parser: DisplayParser, command: str, row: list[Atom]) -> None:
    """A definition that has not been read before, such as one in an argument, is skipped."""
    defined = definition_at(parser.tokens, parser.at - 1)
    if defined is not None:
        parser.at = defined[2]


# Style and colour ------------------------------------------------------------------------------

_STYLES = {
    "displaystyle": ("true", "0", Size.DISPLAY), "textstyle": ("false", "0", Size.TEXT),
    "scriptstyle": ("false", "1", Size.SCRIPT), "scriptscriptstyle": ("false", "2", Size.SCRIPT),
}  # fmt: skip


def style(parser: DisplayParser, command: str, row: list[Atom]) -> None:
    is_displayed, level, parser.size = _STYLES[command[1:]]
    parser.restyled(displaystyle=is_displayed, scriptlevel=level)


def color(parser: DisplayParser, command: str, row: list[Atom]) -> None:
    """``\\color{red}`` applies to what follows, as in LaTeX."""
    model = "".join(parser.option() or ())
    value = colour(parser.raw_argument(), model)
    if value:
        parser.restyled(mathcolor=value)


def coloured(parser: DisplayParser, command: str, row: list[Atom]) -> None:
    """``\\textcolor{red}{x}``."""
    model = "".join(parser.option() or ())
    value = colour(parser.raw_argument(), model)
    before = parser.style
    if value:
        parser.restyled(mathcolor=value)
    row += parser.argument()
    parser.style = before


def second_argument(parser: DisplayParser, command: str, row: list[Atom]) -> None:
    """``\\href`` and ``\\class``: only what they apply to."""
    parser.option()
    parser.raw_argument()
    row += parser.argument()


def switch_font(parser: DisplayParser, command: str, row: list[Atom]) -> None:
    parser.font = SWITCHES[command[1:]]
    spacing.ignore(parser, command, row)


def in_font(parser: DisplayParser, command: str, row: list[Atom]) -> None:
    before, parser.font = parser.font, FONTS[command[1:]]
    spacing.ignore(parser, command, row)
    row += parser.argument()
    parser.font = before
    spacing.ignore(parser, command, row)


# Roles -----------------------------------------------------------------------------------------

_ROLES = {
    "mathord": Kind.ORD, "mathop": Kind.OP, "mathbin": Kind.BIN, "mathrel": Kind.REL,
    "mathopen": Kind.OPEN, "mathclose": Kind.CLOSE, "mathpunct": Kind.PUNCT,
    "mathinner": Kind.INNER,
}  # fmt: skip


def role(parser: DisplayParser, command: str, row: list[Atom]) -> None:
    """``\\mathrel{...}`` and the like set the space around their argument."""
    before, parser.style = parser.style, ""
    content = parser.argument()
    parser.style = before
    is_single = len(content) == 1 and not content[0].style
    atom = content[0] if is_single else parser.ordinary(content)
    atom.style, atom.role = before, _ROLES[command[1:]]
    if atom.role is Kind.OP:
        atom.limits = Limits.MOVABLE
    row.append(atom)


def limits(parser: DisplayParser, command: str, row: list[Atom]) -> None:
    """``\\limits`` and ``\\nolimits`` set where the scripts of the last operator go."""
    if row:
        kinds = {r"\limits": Limits.ALWAYS, r"\nolimits": Limits.BESIDE}
        row[-1].limits = kinds.get(command, Limits.MOVABLE)


def keep_argument(parser: DisplayParser, command: str, row: list[Atom]) -> None:
    row += parser.argument()


def keep_after_option(parser: DisplayParser, command: str, row: list[Atom]) -> None:
    parser.option()
    row += parser.argument()


def operator_name(parser: DisplayParser, command: str, row: list[Atom]) -> None:
    """``\\operatorname{Spec}``: upright, with the space of a function."""
    mark = parser.mark_of(command)
    before, parser.font = parser.font, "roman"
    style_before, parser.style = parser.style, ""
    content = parser.argument()
    parser.font, parser.style = before, style_before
    if len(content) == 1 and content[0].spaces is None and not content[0].style:
        atom = content[0]
        atom.mark = mark if mark != NEUTRAL else atom.mark
        atom.word, atom.style = "", parser.style
    else:
        elements = parser.elements(content)
        atom = parser.built(elements.one, (elements,), mark)
    atom.role = Kind.OP
    atom.limits = Limits.MOVABLE if command[-1] == "*" or "with" in command else Limits.BESIDE
    row.append(atom)


def negation(parser: DisplayParser, command: str, row: list[Atom]) -> None:
    """``\\not`` and the relation after it as one symbol."""
    mark = parser.mark_of(command)
    content = parser.argument()
    if not content:
        return
    atom = content[0]
    atom.mark = mark if mark != NEUTRAL else atom.mark
    match = re.search(r">([^<>]+)<", atom.xml)
    if match is not None:
        char = match[1].replace("&lt;", "<").replace("&gt;", ">")
        negated = NEGATED.get(char, NEGATED.get(char.replace("−", "-"), char + "\u0338"))
        atom.xml = atom.xml.replace(f">{match[1]}<", f">{escape(negated)}<", 1)
    row += content


def limit_word(parser: DisplayParser, command: str, row: list[Atom]) -> None:
    """``\\varlimsup`` and ``\\varinjlim``: lim with a line or an arrow."""
    name, kind, char = _LIMIT_WORDS[command[1:]]
    xml = f'<{name} {kind}="true"><mi>lim</mi><mo stretchy="true">{char}</mo></{name}>'
    atom = parser.leaf(xml, parser.mark_of(command), Kind.OP)
    atom.limits = Limits.MOVABLE
    row.append(atom)


_LIMIT_WORDS = {
    "varlimsup": ("mover", "accent", "‾"), "varliminf": ("munder", "accentunder", "‾"),
    "varinjlim": ("munder", "accentunder", "→"), "varprojlim": ("munder", "accentunder", "←"),
}  # fmt: skip


def modulo(parser: DisplayParser, command: str, row: list[Atom]) -> None:
    """``\\mod n``: a wide space, the word, and a smaller one."""
    row.append(parser.space("1em" if parser.size is Size.DISPLAY else "0.667em"))
    row.append(parser.leaf("<mi>mod</mi>", parser.mark_of(command)))
    row.append(parser.space("0.333em"))


def implication(parser: DisplayParser, command: str, row: list[Atom]) -> None:
    """``\\implies`` and ``\\iff``: long arrows with more space than others."""
    glyph = operator(_IMPLICATIONS[command[1:]], Kind.REL)
    row += (parser.space(WIDTHS[5]), parser.atom(glyph, parser.mark_of(command)))
    row.append(parser.space(WIDTHS[5]))


_IMPLICATIONS = {"implies": "⟹", "impliedby": "⟸", "iff": "⟺"}


def dots(parser: DisplayParser, command: str, row: list[Atom]) -> None:
    """``\\dots`` are raised between operators and low elsewhere, as amsmath sets them."""
    follower = GLYPHS.get(parser.tokens[parser.at])
    is_raised = follower is not None and follower.role in (Kind.BIN, Kind.REL, Kind.OP)
    row.append(parser.atom(DOTS["⋯" if is_raised else "…"], parser.mark_of(command)))


# Boxes and labels ------------------------------------------------------------------------------

_NOTATIONS = {
    "boxed": "box", "fbox": "box", "framebox": "box", "cancel": "updiagonalstrike",
    "bcancel": "downdiagonalstrike", "xcancel": "updiagonalstrike downdiagonalstrike",
    "sout": "horizontalstrike",
}  # fmt: skip

_ENCLOSING = frozenset(
    """
    box roundedbox circle left right top bottom updiagonalstrike downdiagonalstrike
    verticalstrike horizontalstrike
    """.split()
)


def enclosed(parser: DisplayParser, command: str, row: list[Atom]) -> None:
    """Boxes and strikes. MathML Core has none, so the style sheet draws them."""
    mark = parser.mark_of(command)
    parser.option()
    notation = _NOTATIONS.get(command[1:], "")
    if command == r"\enclose":
        names = parser.raw_argument().replace(",", " ").split()
        notation = " ".join(name for name in names if name in _ENCLOSING)
        parser.option()
    _append_enclosed(parser, notation, mark, row)


def _append_enclosed(
    parser: DisplayParser, notation: str, mark: int | None, row: list[Atom], background: str = ""
) -> None:
    content = parser.argument_elements()
    attributes = f' notation="{notation}"' if notation else ""
    attributes += f' mathbackground="{background}"' if background else ""
    row.append(
        parser.built(
            lambda whole: f"<menclose{attributes}>{content.inside(whole)}</menclose>",
            (content,),
            mark,
        )
    )


def colour_box(parser: DisplayParser, command: str, row: list[Atom]) -> None:
    mark = parser.mark_of(command)
    model = "".join(parser.option() or ())
    names = [parser.raw_argument() for _ in range(2 if command == r"\fcolorbox" else 1)]
    notation = "box" if command == r"\fcolorbox" else ""
    _append_enclosed(parser, notation, mark, row, colour(names[-1], model))


def tag(parser: DisplayParser, command: str, row: list[Atom]) -> None:
    parser.tag = tag_text(parser.raw_argument())


def visible_argument(parser: DisplayParser, command: str, row: list[Atom]) -> None:
    """Commands that print only one of their arguments, or none."""
    count, visible = _SEVERAL[command[1:]]
    arguments = [parser.argument() for _ in range(count)]
    if command == r"\prescript":
        above, below, base = (parser.elements(each) for each in arguments)
        row.append(
            parser.built(
                lambda whole: (
                    f"<mmultiscripts>{base.one(whole)}<mprescripts/>{below.one(whole)}"
                    f"{above.one(whole)}</mmultiscripts>"
                ),
                (above, below, base),
            )
        )
    elif visible is not None:
        row += arguments[visible]


_SEVERAL: dict[str, tuple[int, int | None]] = {
    "mathchoice": (4, 0), "prescript": (3, 2), "definecolor": (3, None),
}  # fmt: skip


def multicolumn(parser: DisplayParser, command: str, row: list[Atom]) -> None:
    parser.raw_argument()
    parser.raw_argument()
    row += parser.argument()


def dotted_line(parser: DisplayParser, command: str, row: list[Atom]) -> None:
    parser.raw_argument()
    row.append(parser.atom(DOTS["…"], parser.mark_of(command)))


def query_variable(parser: DisplayParser, command: str, row: list[Atom]) -> None:
    """``\\qvar{x}``, the wildcard of NTCIR's topics."""
    name = re.sub(r"\W", "", parser.raw_argument())
    row.append(parser.leaf(f"<mi>?{name or 'x'}</mi>", parser.mark_of(command)))


def chemistry(parser: DisplayParser, command: str, row: list[Atom]) -> None:
    """``\\ce{H2O}``: letters upright, numbers after them as subscripts."""
    before, parser.font = parser.font, "roman"
    content = parser.argument()
    parser.font = before
    for atom in content:
        if atom.xml.startswith("<mn") and row and row[-1].xml.startswith("<mi"):
            parser.attach(row, parser.elements([atom]), None)
        else:
            row.append(atom)


def diagram_arrow(parser: DisplayParser, command: str, row: list[Atom]) -> None:
    """``\\ar[r]^f`` of xy-pic: an arrow with its label, without its direction."""
    while parser.option() is not None:
        pass
    xml = f"<mo{SLOT}>→</mo>"
    row.append(Atom(xml, Kind.REL, parser.mark_of(command), (-1, -1), style=parser.style))


def letter_name(parser: DisplayParser, command: str, row: list[Atom]) -> None:
    row.append(parser.leaf(f"<mtext>{command[1:]}</mtext>", parser.mark_of(command)))


def _constructs() -> dict[str, Construct]:
    constructs: dict[str, Construct] = {}

    def add(construct: Construct, names: str) -> None:
        constructs.update({"\\" + name: construct for name in names.split()})

    constructs |= {"\\" + name: spacing.space for name in spacing.SPACES}
    constructs |= dict.fromkeys(("\\-", "\\*", "\\[", "\\]", "\\(", "\\)", "\\/"), spacing.ignore)
    constructs |= dict.fromkeys((r"\hspace*", r"\hspace"), spacing.sized_space)
    constructs |= {
        r"\vspace*": spacing.ignore_argument,
        r"\tag*": tag,
        r"\operatorname*": operator_name,
    }
    add(spacing.ignore, """
        tiny scriptsize footnotesize small normalsize large Large LARGE huge Huge nonumber notag
        hline hfill hfil vfill null relax mathstrut strut allowbreak nobreak break par noindent
        centering protect newpage pagebreak smallskip medskip bigskip displaybreak hss vss unskip
        ignorespaces begingroup endgroup bgroup egroup endgraf upshape left right
        allowdisplaybreaks unboldmath
    """)  # fmt: skip
    add(spacing.ignore_argument, """
        label ref eqref cite require vspace cline cellcolor mathversion footnote index pagestyle
        usepackage documentclass pageref
    """)  # fmt: skip
    add(spacing.sized_space, "kern mkern hskip mskip mspace")
    add(spacing.ignore_length, "vskip")
    add(spacing.phantom, "phantom hphantom vphantom")
    add(spacing.padded, "smash rlap llap clap mathrlap mathllap mathclap")
    add(spacing.raised, "raisebox raise lower")
    add(spacing.rule, "rule")
    add(style, " ".join(_STYLES))
    add(color, "color")
    add(coloured, "textcolor")
    add(second_argument, "href class style cssId scalebox skew")
    add(switch_font, " ".join(SWITCHES))
    add(in_font, " ".join(FONTS))
    add(role, " ".join(_ROLES))
    add(limits, "limits nolimits displaylimits")
    add(keep_argument, """
        ensuremath shoveleft shoveright vcenter lowercase uppercase hbox mbox
    """)  # fmt: skip
    add(keep_after_option, "bbox")
    add(operator_name, "operatorname operator mathoperator operatornamewithlimits")
    add(negation, "not")
    add(limit_word, " ".join(_LIMIT_WORDS))
    add(modulo, "mod")
    add(delimiters.modulus, "pmod pod")
    add(implication, " ".join(_IMPLICATIONS))
    add(dots, "dots")
    add(enclosed, " ".join((*_NOTATIONS, "enclose")))
    add(colour_box, "colorbox fcolorbox")
    add(tag, "tag")
    add(visible_argument, " ".join(_SEVERAL))
    add(multicolumn, "multicolumn")
    add(dotted_line, "hdotsfor")
    add(query_variable, "qvar")
    add(chemistry, "ce")
    add(diagram_arrow, "ar")
    add(letter_name, "LaTeX TeX")
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
    add(stacks.labelled_arrow, " ".join(ARROWS))
    add(stacks.sides, "sideset")
    add(stacks.canceled_to, "cancelto")
    add(stacks.derivative, "dv pdv")
    sides = ("", "l", "r", "m")
    add(delimiters.big, " ".join(s + e for s in ("big", "Big", "bigg", "Bigg") for e in sides))
    add(delimiters.delimited, " ".join(DELIMITED))
    add(text, "text textrm textit textbf textsf texttt textnormal textup textsl textsc textmd emph")
    add(text, "intertext")
    add(tables.begin, "begin")
    add(tables.eqnarray, "@@eqnarray")
    add(tables.substack, """
        substack matrix pmatrix bmatrix cases xymatrix shortstack eqalign displaylines
    """)  # fmt: skip
    constructs |= dict.fromkeys(DEFINING, definition)
    constructs[r"\left"] = delimiters.left
    constructs["√"] = stacks.root
    return constructs


CONSTRUCTS = _constructs()
