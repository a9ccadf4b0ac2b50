"""From the tree of an HTML page to HTML that holds nothing but text, structure and formulas."""

from __future__ import annotations

import re
from collections.abc import Callable

from lxml import etree

from porism.formats.documents.html_fragments import formula_span
from porism.formats.markup.delimiters import undelimited
from porism.formats.markup.html_syntax import escaped, with_few_attributes

_Element = etree._Element  # the only name that lxml gives the type of its elements


def page_tree(text: str) -> _Element | None:
    """The page as a tree, however broken it is; None if there is nothing in it.

    What calls itself XML is first read as such, since HTML knows no ``<script/>``.
    """
    text = with_few_attributes(text)
    data = text.encode()
    if text.lstrip().startswith("<?xml"):
        parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False)
        try:
            root = etree.fromstring(data, parser)
        except etree.XMLSyntaxError:
            root = None
        if root is not None and next(root.iter(etree.Entity), None) is None:
            return root
        # What the document type declares would be text to a parser of HTML.
        data = _DECLARATIONS.sub("", text, count=1).encode()
    # The limit of depth that is lifted here by huge_tree leaves another, of 2048, in force.
    page = etree.HTMLParser(encoding="utf-8", no_network=True, huge_tree=True)
    try:
        root = etree.fromstring(data, page)
    except etree.XMLSyntaxError:
        return None
    if any(entry.type_name == "ERR_RESOURCE_LIMIT" for entry in page.error_log):
        # The parser stopped there. Without its tags the page still says all it has to say.
        return etree.fromstring(f"<p>{escaped(_TAG.sub(' ', text))}</p>".encode(), page)
    return root


_TAG = re.compile(r"<[^<>]*>")
_DECLARATIONS = re.compile(r"<!DOCTYPE[^<>\[]*\[[^\[\]]*\]\s*>")


def page_text(element: _Element | None) -> str:
    """All text in an element, with single blanks."""
    return "" if element is None else " ".join(_inside(element).split())


def _inside(element: _Element) -> str:
    return etree.tostring(element, method="text", encoding="unicode", with_tail=False)


def cleaned_html(root: _Element) -> str:
    """The inside of an element as HTML, or the empty string if nothing in it can be read."""
    out: list[str] = []
    events = etree.iterwalk(root, events=("start", "end", "comment", "pi"))
    for event, element in events:
        if event == "start":
            special = _special(element)
            if special is None:
                out.append(_opening(element) if element is not root else "")
                out.append(escaped(element.text or ""))
            else:
                out.append(special)
                events.skip_subtree()
        elif element is not root:
            if event == "end" and _special(element) is None:
                out.append(_closing(element))
            out.append(escaped(element.tail or ""))
    markup = "".join(out)
    return markup.strip() + "\n" if _READABLE.search(markup) else ""


# Anything outside tags, or a formula, whose tags are what is to be read.
_READABLE = re.compile(r"(?:\A|>)\s*[^\s<]|<math\b")


def link_tag(address: str) -> str:
    """The tag that opens a link, which leads nowhere unless the address is one of the web."""
    if not _WEB_ADDRESS.match(address):
        return "<a>"
    return '<a href="' + escaped(address).replace('"', "&quot;") + '">'


_WEB_ADDRESS = re.compile(r"https?://", re.IGNORECASE)


def _name(element: _Element) -> str:
    """The name of an element without namespace, in lower case."""
    return str(element.tag).rpartition("}")[2].rpartition(":")[2].lower()


def _opening(element: _Element) -> str:
    name = _name(element)
    if name == "a":
        return link_tag(element.get("href") or "")
    tag = _TAGS.get(name)
    return f"<{tag}>" if tag else ""


def _closing(element: _Element) -> str:
    tag = _TAGS.get(_name(element))
    if not tag or tag in _VOID:
        return ""
    return f"</{tag}>" if tag in _INLINE else f"</{tag}>\n"


_VOID = frozenset(("br", "hr"))
_INLINE = frozenset("code em strong sub sup a".split())
_TAGS = {
    **{
        name: name
        for name in """
        p h1 h2 h3 h4 h5 h6 ul ol li blockquote pre code em strong sub sup table caption thead
        tbody tr td th dl dt dd br hr a div
        """.split()
    },
    **dict.fromkeys(("i", "cite", "dfn", "var"), "em"),
    **dict.fromkeys(("b",), "strong"),
    **dict.fromkeys(("kbd", "samp", "tt"), "code"),
    **dict.fromkeys("section article main figure figcaption details summary center".split(), "div"),
}
"""What is kept of the elements of HTML, and as which; all others are only looked through."""

_UNSEEN = frozenset(
    """
    script style nav header footer form template noscript iframe object embed svg canvas
    button select textarea input audio video map mjx-math title meta link img
    """.split()
)
_RENDERED = frozenset(
    "katex-html MathJax MathJax_Display MathJax_Preview MathJax_SVG MathJax_CHTML".split()
)
"""What is drawn on the page by a script: the formula itself stands beside it."""


def _special(element: _Element) -> str | None:
    """What stands for an element that is not looked into; None for all others."""
    name = _name(element)
    if read := _FORMULAS.get(name):
        formula = read(element)
        if formula is not None:
            return formula
    if name in _UNSEEN:
        return ""
    classes = element.get("class")
    return "" if classes and not _RENDERED.isdisjoint(classes.split()) else None


def _script(element: _Element) -> str | None:
    if not (element.get("type") or "").strip().startswith("math/tex"):
        return None
    return formula_span(_CDATA.sub("", element.text or ""))


# Some programs hide LaTeX from those who read HTML as XML, behind a comment of LaTeX.
_CDATA = re.compile(r"%?\s*<!\[CDATA\[|%?\s*\]\]>")


def _span(element: _Element) -> str | None:
    classes = (element.get("class") or "").split()
    pandoc = "math" in classes and ("inline" in classes or "display" in classes)
    if "math-container" not in classes and not pandoc:
        return None
    return formula_span(undelimited(_inside(element)))


def _image(element: _Element) -> str | None:
    """MediaWiki and WordPress have drawn formulas as images with the LaTeX beside them."""
    classes = (element.get("class") or "").split()
    return formula_span(element.get("alt") or "") if "tex" in classes or "latex" in classes else ""


def _math(element: _Element) -> str | None:
    latex = element.get("alttext")
    for annotation in element.iter("{*}annotation"):
        if (annotation.get("encoding") or "").lower() in _TEX_ENCODINGS:
            latex = latex or annotation.text
    return formula_span(latex) if latex and latex.strip() else _mathml(element)


_TEX_ENCODINGS = frozenset(
    ("application/x-tex", "application/x-latex", "text/x-tex", "tex", "latex")
)


def _mathml(math: _Element) -> str:
    """The element as markup without prefixes, and without what MathML has no use for."""
    out: list[str] = []
    events = etree.iterwalk(math, events=("start", "end", "comment", "pi"))
    for event, element in events:
        dropped = event in ("comment", "pi") or _name(element) in _UNSEEN
        if event == "start" and dropped:
            events.skip_subtree()
        elif event == "start":
            attributes = "".join(
                f' {name}="{escaped(value).replace(chr(34), "&quot;")}"'
                for name, value in element.attrib.items()
                if name in _MATHML_ATTRIBUTES
            )
            out.append(f"<{_name(element)}{attributes}>{escaped(element.text or '')}")
        else:
            out.append("" if dropped else f"</{_name(element)}>")
            out.append(escaped(element.tail or "") if element is not math else "")
    return "".join(out)


_MATHML_ATTRIBUTES = frozenset(
    """
    display mathvariant open close separators stretchy form fence linethickness columnalign
    rowspan columnspan notation accent accentunder encoding type base cd bevelled lspace rspace
    width lquote rquote displaystyle
    """.split()
)

_FORMULAS: dict[str, Callable[[_Element], str | None]] = {
    "script": _script,
    "span": _span,
    "div": _span,
    "img": _image,
    "math": _math,
}
