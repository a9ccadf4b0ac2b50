"""The tree of an HTML page as HTML with nothing but text, structure and formulas."""

from __future__ import annotations

import re
from collections.abc import Callable

from lxml import etree

from porism.formats.documents.html_fragments import formula_span
from porism.formats.markup.delimiters import undelimited
from porism.formats.markup.html_syntax import escaped, with_few_attributes

_Element = etree._Element  # lxml has no public name for the type of its elements


def page_tree(text: str) -> _Element | None:
    """The page as a tree, however broken it is; None if it is empty.

    A page with an XML declaration is first parsed as XML, since HTML has no ``<script/>``.
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
        # An HTML parser would read the declarations of the document type as text.
        data = _DECLARATIONS.sub("", text, count=1).encode()
    # huge_tree lifts one limit of depth; another, of 2048, stays in force.
    page = etree.HTMLParser(encoding="utf-8", no_network=True, huge_tree=True)
    try:
        root = etree.fromstring(data, page)
    except etree.XMLSyntaxError:
        return None
    if any(entry.type_name == "ERR_RESOURCE_LIMIT" for entry in page.error_log):
        # The parser stopped there. Without its tags the page still has all its text.
        return etree.fromstring(f"<p>{escaped(_TAG.sub(' ', text))}</p>".encode(), page)
    return root


_TAG = re.compile(r"<[^<>]*>")
_DECLARATIONS = re.compile(r"<!DOCTYPE[^<>\[]*\[[^\[\]]*\]\s*>")


def page_text(element: _Element | None) -> str:
    """All text in an element, with single blanks."""
    return "" if element is None else " ".join(_inner_text(element).split())


def _inner_text(element: _Element) -> str:
    return etree.tostring(element, method="text", encoding="unicode", with_tail=False)


def cleaned_html(root: _Element) -> str:
    """The content of an element as HTML, or the empty string if it has no readable text."""
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


# Text outside tags, or a formula in MathML.
_READABLE = re.compile(r"(?:\A|>)\s*[^\s<]|<math\b")


def link_tag(address: str) -> str:
    """The opening tag of a link, without an address unless that is http or https."""
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
"""The HTML elements that are kept, and their names in the output; of others only the content is."""

_DROPPED = frozenset(
    """
    script style nav header footer form template noscript iframe object embed svg canvas
    button select textarea input audio video map mjx-math title meta link img
    """.split()
)
_RENDERED = frozenset(
    "katex-html MathJax MathJax_Display MathJax_Preview MathJax_SVG MathJax_CHTML".split()
)
"""Classes of formulas rendered by a script, which the page also has as source."""


def _special(element: _Element) -> str | None:
    """The replacement of an element that is a formula or dropped; None for all others."""
    name = _name(element)
    if read := _FORMULAS.get(name):
        formula = read(element)
        if formula is not None:
            return formula
    if name in _DROPPED:
        return ""
    classes = element.get("class")
    return "" if classes and not _RENDERED.isdisjoint(classes.split()) else None


def _script(element: _Element) -> str | None:
    if not (element.get("type") or "").strip().startswith("math/tex"):
        return None
    return formula_span(_CDATA.sub("", element.text or ""))


# Some programs hide LaTeX from XML parsers in CDATA, behind a LaTeX comment.
_CDATA = re.compile(r"%?\s*<!\[CDATA\[|%?\s*\]\]>")


def _span(element: _Element) -> str | None:
    classes = (element.get("class") or "").split()
    pandoc = "math" in classes and ("inline" in classes or "display" in classes)
    if "math-container" not in classes and not pandoc:
        return None
    return formula_span(undelimited(_inner_text(element)))


def _image(element: _Element) -> str | None:
    """MediaWiki and WordPress rendered formulas as images with the LaTeX as alternative text."""
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
    """The element as markup without prefixes, unknown attributes and foreign elements."""
    out: list[str] = []
    events = etree.iterwalk(math, events=("start", "end", "comment", "pi"))
    for event, element in events:
        is_dropped = event in ("comment", "pi") or _name(element) in _DROPPED
        if event == "start" and is_dropped:
            events.skip_subtree()
        elif event == "start":
            attributes = "".join(
                f' {name}="{escaped(value).replace(chr(34), "&quot;")}"'
                for name, value in element.attrib.items()
                if name in _MATHML_ATTRIBUTES
            )
            out.append(f"<{_name(element)}{attributes}>{escaped(element.text or '')}")
        else:
            out.append("" if is_dropped else f"</{_name(element)}>")
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
