"""A figure of matplotlib as SVG that can stand in a page beside others.

Of what matplotlib writes, ids are made different for each figure and fonts are those of the page.
Ink becomes the page's own colour, so that a plot is readable in light and dark. Texts are put in
after the drawing: a ``$``, a letter without a glyph or a character that XML lacks then does nothing
but stand there.
"""

from __future__ import annotations

import re
from io import BytesIO

from lxml import etree
from matplotlib.figure import Figure

INK = "#010203"
"""Drawn as the colour that text has around the plot."""

_SVG = "{http://www.w3.org/2000/svg}"
_HREF = "{http://www.w3.org/1999/xlink}href"
_PLACE = re.compile("@([0-9]+)@")
_REFERENCE = re.compile(r"#([\w.-]+)")
_FONTS = re.compile(r"font-family: [^;]*;? ?")
_NO_TURN = re.compile(r"rotate\(-?0 ")
_LONG_NUMBER = re.compile(r"-?[0-9]+\.[0-9]{2,}")
_BLANKS = re.compile(r"\s+")
_NOT_IN_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


class PlotTexts:
    """Words of a plot; what is called for each stands for it until the drawing is done."""

    def __init__(self) -> None:
        self._texts: list[str] = []

    def __call__(self, text: str) -> str:
        """What stands for the text in the drawing; as the ``gid`` of an artist, a tooltip."""
        self._texts.append(_NOT_IN_XML.sub("\N{REPLACEMENT CHARACTER}", text))
        return f"@{len(self._texts) - 1}@"

    def find(self, place: str) -> str | None:
        """The text that something stands for; None if for none."""
        found = _PLACE.fullmatch(place)
        return None if found is None else self._texts[int(found[1])]


def inline_svg(figure: Figure, key: str, title: str, texts: PlotTexts) -> str:
    """The figure as an element of HTML; ``key`` begins its ids, ``title`` is its text alternative.

    The key must be a word that no other figure of the page has.
    """
    file = BytesIO()
    nothing = dict.fromkeys(("Date", "Creator", "Format", "Type"))
    figure.savefig(file, format="svg", transparent=True, metadata=nothing)
    root = etree.fromstring(file.getvalue())
    for style in list(root.iter(f"{_SVG}style")):  # it would hold for the whole page
        definitions = style.getparent()
        assert definitions is not None
        definitions.remove(style)
    used = _used_ids(root)
    names = {old: f"{key}-{number}" for number, old in enumerate(used, 1)}
    for element in root.iter():
        _adapt(element, names, texts)
    _entitle(root, key, title)
    etree.cleanup_namespaces(root)
    return etree.tostring(root, encoding="unicode")


def _used_ids(root: etree._Element) -> list[str]:
    """The ids that something refers to, in the order of first use."""
    used: dict[str, None] = {}
    for element in root.iter():
        for name in (_HREF, "clip-path"):
            for found in _REFERENCE.findall(str(element.get(name, ""))):
                used[found] = None
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
        return _REFERENCE.sub(lambda found: f"#{names[found[1]]}", value)
    if attribute == "style":
        return _FONTS.sub("", value).replace(INK, "currentColor").rstrip("; ")
    if attribute in ("id", "viewBox"):
        return value
    short = _LONG_NUMBER.sub(lambda number: f"{float(number[0]):.1f}", value)
    return _BLANKS.sub(" ", short).strip()


def _entitle(root: etree._Element, key: str, title: str) -> None:
    """Give the drawing its name, and widths between which it can be read."""
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
