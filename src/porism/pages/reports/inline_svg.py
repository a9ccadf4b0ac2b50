"""A matplotlib figure as inline SVG, so that a page can hold several.

In matplotlib's output, ids become unique to the figure, fonts those of the page, and ink the text
colour of the page, so that a plot is readable in light and dark mode. Texts are inserted after
drawing, so that ``$``, letters without a glyph and characters not allowed in XML cause no errors.
"""

from __future__ import annotations

import re
from io import BytesIO

from lxml import etree
from matplotlib.figure import Figure

INK = "#010203"
"""Replaced by the text colour of the page."""

_SVG = "{http://www.w3.org/2000/svg}"
_HREF = "{http://www.w3.org/1999/xlink}href"
_PLACEHOLDER = re.compile("@([0-9]+)@")
_REFERENCE = re.compile(r"#([\w.-]+)")
_FONTS = re.compile(r"font-family: [^;]*;? ?")
_NO_TURN = re.compile(r"rotate\(-?0 ")
_LONG_NUMBER = re.compile(r"-?[0-9]+\.[0-9]{2,}")
_BLANKS = re.compile(r"\s+")
_NOT_IN_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


class PlotTexts:
    """The texts of a plot, replaced by placeholders until it is drawn."""

    def __init__(self) -> None:
        self._texts: list[str] = []

    def __call__(self, text: str) -> str:
        """The placeholder of a text; as the ``gid`` of an artist it makes a tooltip."""
        self._texts.append(_NOT_IN_XML.sub("\N{REPLACEMENT CHARACTER}", text))
        return f"@{len(self._texts) - 1}@"

    def find(self, placeholder: str) -> str | None:
        """The text of a placeholder; None if it is no placeholder."""
        match = _PLACEHOLDER.fullmatch(placeholder)
        return None if match is None else self._texts[int(match[1])]


def inline_svg(figure: Figure, key: str, title: str, texts: PlotTexts) -> str:
    """The figure as an HTML element; ``key`` prefixes its ids, ``title`` is its text alternative.

    The key must be a word unique to the figure on its page.
    """
    file = BytesIO()
    no_metadata = dict.fromkeys(("Date", "Creator", "Format", "Type"))
    figure.savefig(file, format="svg", transparent=True, metadata=no_metadata)
    root = etree.fromstring(file.getvalue())
    for style in list(root.iter(f"{_SVG}style")):  # it would apply to the whole page
        definitions = style.getparent()
        assert definitions is not None
        definitions.remove(style)
    used = _used_ids(root)
    names = {old: f"{key}-{number}" for number, old in enumerate(used, 1)}
    for element in root.iter():
        _adapt(element, names, texts)
    _set_title(root, key, title)
    etree.cleanup_namespaces(root)
    return etree.tostring(root, encoding="unicode")


def _used_ids(root: etree._Element) -> list[str]:
    """The referenced ids, in order of first use."""
    used: dict[str, None] = {}
    for element in root.iter():
        for name in (_HREF, "clip-path"):
            used.update(dict.fromkeys(_REFERENCE.findall(str(element.get(name, "")))))
    return list(used)


def _adapt(element: etree._Element, names: dict[str, str], texts: PlotTexts) -> None:
    attributes = element.attrib
    name = str(attributes.pop("id", ""))
    if name in names:
        attributes["id"] = names[name]
    elif (tooltip := texts.find(name)) is not None:
        title = etree.Element(f"{_SVG}title")
        title.text = tooltip
        element.insert(0, title)
    if element.tag == f"{_SVG}text" and (text := texts.find(element.text or "")) is not None:
        element.text = text
    elif not (element.text or "").strip():
        element.text = None
    element.tail = None
    for key, value in list(attributes.items()):
        attributes[key] = _adapted(str(key), str(value), names)
    if _HREF in attributes:
        attributes["href"] = attributes.pop(_HREF)
    if _NO_TURN.match(str(attributes.get("transform", ""))):
        del attributes["transform"]


def _adapted(attribute: str, value: str, names: dict[str, str]) -> str:
    if attribute in (_HREF, "clip-path"):
        return _REFERENCE.sub(lambda match: f"#{names[match[1]]}", value)
    if attribute == "style":
        return _FONTS.sub("", value).replace(INK, "currentColor").rstrip("; ")
    if attribute in ("id", "viewBox"):
        return value
    short = _LONG_NUMBER.sub(lambda number: f"{float(number[0]):.1f}", value)
    return _BLANKS.sub(" ", short).strip()


def _set_title(root: etree._Element, key: str, title: str) -> None:
    """Set the title of the figure and the range of widths in which it is readable."""
    width = float(str(root.get("viewBox")).split()[2])
    for name in ("width", "height", "version"):
        root.attrib.pop(name, "")
    root.set("role", "img")
    root.set("aria-labelledby", f"{key}-title")
    smallest = min(width, max(480.0, 0.7 * width))
    root.set("style", f"max-width: {width:.0f}px; min-width: {smallest:.0f}px")
    element = etree.Element(f"{_SVG}title")
    element.set("id", f"{key}-title")
    element.text = _NOT_IN_XML.sub("\N{REPLACEMENT CHARACTER}", title)
    root.insert(0, element)
