"""How formulas are drawn: ours, the search tree, Temml and LaTeXML against KaTeX, in Chromium.

2,000 distinct formulas of the mini collection are drawn, each on a line of its own. KaTeX is the
reference, for the formulas that it can read; MathJax shows how far two references agree.

A drawing matches if it has the same characters and its ink is in the same places. Characters are
compared as a bag, without fences and accents, which renderers also draw as shapes. Ink: both
pictures are cropped to their ink; the ratios of width to height differ by at most ``STRETCH``; both
are scaled to the same size and the share of each one's ink that is near ink of the other is at
least ``OVERLAP``. Fonts differ, so near means a tenth of the height of one line.

Needs npm, which gets the renderers, and Chromium. ``--page`` writes the worst 50 side by side.
"""

from __future__ import annotations

import argparse
import base64
import io
import json
import os
import random
import shutil
import subprocess
import tarfile
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from html import escape
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from PIL import Image, ImageFilter
from playwright.sync_api import Page, sync_playwright

from bench.shared_data import mini_formulas, shared_folder
from porism.errors import PorismError
from porism.formula.display import display_mathml
from porism.formula.latex import parse_latex
from porism.formula.latex.reader import without_delimiters
from porism.formula.mathml import presentation_mathml, read_presentation
from porism.formula.tree import Tree
from porism.web.server.guard import STATIC

FORMULAS = 2_000
SEED = 20
STRETCH = 1.35
OVERLAP = 0.8
WORST = 50
BATCH = 50
PACKAGES = {"katex": "0.16.22", "mathjax": "3.2.2", "temml": "0.13.5"}

REFERENCE = "KaTeX"
OURS = "Porism"

_LIBRARIES = {
    "KaTeX": ("katex/dist/katex.min.js", "katex/dist/katex.min.css"),
    "Temml": ("temml/dist/temml.min.js", "temml/dist/Temml-Local.css"),
    "MathJax": ("mathjax/es5/tex-svg-full.js", ""),
}

_DRAW = {
    "KaTeX": """(latex, box) => katex.render(latex, box,
        {displayMode: true, throwOnError: true, strict: false, trust: false})""",
    "Temml": """(latex, box) => temml.render(latex, box,
        {displayMode: true, throwOnError: true})""",
    "MathJax": """(latex, box) => {
        const svg = MathJax.tex2svg(latex, {display: true});
        svg.querySelector("mjx-assistive-mml")?.remove();
        if (svg.querySelector("[data-mjx-error]")) throw Error("MathJax");
        box.append(svg); }""",
}

_CHARACTERS = {
    "KaTeX": "box => box.querySelector('.katex-html').textContent",
    "MathJax": """box => [...box.querySelectorAll("[data-c]")].map(
        each => String.fromCodePoint(parseInt(each.dataset.c, 16))).join("")""",
}
_TEXT = "box => box.textContent"

_NOT_COMPARED = frozenset("()[]{}|‖∥∣⟨⟩⌊⌋⌈⌉√^~ˆ˜¯‾→←↔⃗−-_/\\⏞⏟ˇ˘´`˙¨˚⎛⎜⎝⎞⎟⎠⎡⎢⎣⎤⎥⎦⎧⎨⎩⎪⎫⎬⎭⏐")
_SAME = {"′": "'", "″": "''", "‴": "'''", "∗": "*", "⋅": "·", "∖": "\\", "…": "...", "⋯": "...",
         "⌀": "∅", "ϵ": "ε", "ϕ": "φ", "µ": "μ", "∘": "◦", "△": "Δ", "▵": "Δ", "⟂": "⊥",
         "⩽": "≤", "⩾": "≥", "𝑑": "d", "≔": ":=", "̸": "", "": ""}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Drawing:
    """A formula as drawn: its characters, and its ink as a picture cropped to it."""

    characters: Counter[str]
    ink: Image.Image


def characters(text: str) -> Counter[str]:
    """The characters of a drawing, without those that others draw as shapes."""
    plain = "".join(_SAME.get(char, char) for char in text)
    plain = unicodedata.normalize("NFKD", plain)  # ≠ is drawn as one sign or two
    plain = "".join(_SAME.get(char, char) for char in plain)
    return Counter(
        char
        for char in plain
        if char not in _NOT_COMPARED
        and not char.isspace()
        and unicodedata.category(char) not in ("Cf", "Mn", "Co")
    )


def ink_overlap(first: Image.Image, second: Image.Image) -> float:
    """The share of the ink of both pictures that is near the other's; 0 if they are not similar
    in shape.

    >>> bar = Image.new("L", (40, 10), 255)
    >>> ink_overlap(bar, bar), ink_overlap(bar, Image.new("L", (10, 40), 255))
    (1.0, 0.0)
    """
    ratios = [picture.width / max(1, picture.height) for picture in (first, second)]
    if max(ratios) > STRETCH * min(ratios) and max(first.height, second.height) > 8:
        return 0.0
    size = second.size
    reach = 2 * max(1, min(size[1], 30) // 10) + 1
    pictures = [picture.resize(size) for picture in (first, second)]
    grown = [picture.filter(ImageFilter.MaxFilter(reach)) for picture in pictures]
    shares = []
    for picture, other in zip(pictures, reversed(grown), strict=True):
        drawn = np.asarray(picture) > 96
        shares.append(float((np.asarray(other)[drawn] > 96).mean()) if drawn.any() else 1.0)
    return min(shares)


def sampled(shared: Path, count: int) -> list[tuple[str, str]]:
    """Distinct formulas of the mini collection with LaTeXML's MathML, by a fixed seed."""
    mathml = mini_formulas(shared, "slt")
    distinct: dict[str, str] = {}
    for name, latex in mini_formulas(shared, "latex").items():
        if name in mathml and latex.strip():
            distinct.setdefault(latex, mathml[name])
    return random.Random(SEED).sample(sorted(distinct.items()), count)


def ours(latex: str) -> str:
    return display_mathml(latex, is_display=True)


def from_tree(latex: str) -> str:
    return presentation_mathml(parse_latex(latex).tree, display="block")


def written(formulas: list[str], write: Callable[[str], str]) -> list[str]:
    """The MathML of each formula; empty for those that are refused."""
    out = []
    for latex in formulas:
        try:
            out.append(write(latex))
        except PorismError:
            out.append("")
    return out


# Browser ----------------------------------------------------------------------------------------


def fetched(folder: Path) -> None:
    """Put the packages of npm into a folder."""
    for name, version in PACKAGES.items():
        done = subprocess.run(
            ["npm", "pack", "--silent", f"{name}@{version}"],
            cwd=folder, check=True, capture_output=True, text=True,
        )  # fmt: skip
        with tarfile.open(folder / done.stdout.split()[-1]) as archive:
            archive.extractall(folder / "unpacked", filter="data")
        (folder / "unpacked" / "package").rename(folder / name)


def opened_sheet(page: Page, folder: Path, renderer: str) -> None:
    """An empty page with the styles of Porism's pages, or with a library."""
    script, style = _LIBRARIES.get(renderer, ("", ""))
    fonts = (STATIC / "fonts.css").read_text("utf-8").replace('url("', f'url("{STATIC.as_uri()}/')
    sheets = f"<style>{fonts}</style>"
    if renderer not in ("KaTeX", "MathJax"):
        core = "math { font-family: 'STIX Two Math', math; }"
        own = (STATIC / "math.css").read_text("utf-8") if renderer in (OURS, "tree") else ""
        sheets += f"<style>{own}{core}</style>"
    if style:
        sheets += f'<link rel="stylesheet" href="{(folder / style).as_uri()}">'
    if renderer == "Temml":
        sheets += "<style>math { font-family: 'STIX Two Math', math !important; }</style>"
    configured = '<script>MathJax = {svg: {fontCache: "none"}, startup: {typeset: false}};</script>'
    scripts = f'{configured}<script src="{(folder / script).as_uri()}"></script>' if script else ""
    sheet = folder / f"{renderer}.html"
    sheet.write_text(
        f"<!doctype html><meta charset=utf-8>{sheets}{scripts}<style>body {{ margin: 0; }}"
        ".box { width: 1400px; padding: 24px 0; font-size: 22px; overflow: hidden; }"
        "</style><main></main>",
        encoding="utf-8",
    )
    page.goto(sheet.as_uri())
    page.evaluate("""document.fonts.load('1em "STIX Two Math"').then(() => true)""")
    if renderer == "MathJax":
        page.evaluate("MathJax.startup.promise.then(() => true)")


def drawn(page: Page, folder: Path, renderer: str, sources: list[str]) -> Iterator[Drawing | None]:
    """Each formula as drawn; None for those that the renderer refuses.

    ``sources`` are LaTeX for a library, else MathML.
    """
    opened_sheet(page, folder, renderer)
    draw = _DRAW.get(renderer, "(mathml, box) => { box.innerHTML = mathml; }")
    text = _CHARACTERS.get(renderer, _TEXT)
    script = f"""async sources => {{
        const main = document.querySelector("main");
        main.replaceChildren();
        const texts = [];
        for (const source of sources) {{
            const box = document.createElement("div");
            box.className = "box display";
            main.append(box);
            try {{
                if (!source) throw Error("refused");
                ({draw})(source, box);
                texts.push(({text})(box));
            }} catch (error) {{
                box.replaceChildren();
                texts.push(null);
            }}
        }}
        await document.fonts.ready;
        return texts.map((text, at) => {{
            const {{ y, height }} = main.children[at].getBoundingClientRect();
            return [text, y + scrollY, height];
        }});
    }}"""
    for start in range(0, len(sources), BATCH):
        page.evaluate(script, sources[start : start + BATCH])  # fonts begin to load
        boxes = page.evaluate(script, sources[start : start + BATCH])
        picture = Image.open(io.BytesIO(page.screenshot(full_page=True))).convert("L")
        inverted = picture.point(lambda value: 255 - value)
        for content, top, height in boxes:
            if content is None:
                yield None
                continue
            strip = inverted.crop((0, round(top), picture.width, round(top + height)))
            box = strip.point(lambda value: 255 * (value > 96)).getbbox()
            yield Drawing(characters(content), strip.crop(box) if box else strip.crop((0, 0, 1, 1)))


# Report -----------------------------------------------------------------------------------------


def report(count: int = FORMULAS, page_path: Path | None = None) -> None:
    """Print how many formulas each renderer draws, and how many match the reference."""
    chromium = next(filter(None, map(shutil.which, ("chromium", "chromium-browser"))), None)
    if chromium is None or shutil.which("npm") is None:
        raise SystemExit("Rendering is measured with npm and Chromium; one of them is missing.")
    pairs = sampled(shared_folder(), count)
    # As it is on a page: the collection has HTML entities, which only Porism resolves.
    formulas = [without_delimiters(latex) for latex, _ in pairs]
    sources = {
        REFERENCE: formulas,
        "MathJax": formulas,
        OURS: written(formulas, ours),
        "tree": written(formulas, from_tree),
        "Temml": formulas,
        "LaTeXML": [mathml.replace('display="inline"', 'display="block"') for _, mathml in pairs],
    }
    with TemporaryDirectory() as name, sync_playwright() as playwright:
        folder = Path(name)
        fetched(folder)
        browser = playwright.chromium.launch(
            executable_path=chromium,
            args=["--no-sandbox", "--allow-file-access-from-files"],
            env={**os.environ},
        )
        page = browser.new_page(viewport={"width": 1400, "height": 800})
        drawings = {
            renderer: list(drawn(page, folder, renderer, each))
            for renderer, each in sources.items()
        }
        browser.close()
    _print_matches(drawings, count)
    _print_structure(pairs, sources[OURS])
    if page_path is not None:
        _write_worst(page_path, formulas, drawings)


def _print_matches(drawings: dict[str, list[Drawing | None]], count: int) -> None:
    print(f"{count:,} formulas of the mini collection, as displayed formulas, seed {SEED}")
    reference = drawings[REFERENCE]
    for renderer, each in drawings.items():
        drawn_count = sum(drawing is not None for drawing in each)
        line = f"  {renderer}: drawn {drawn_count / count:.2%}"
        if renderer != REFERENCE:
            pairs = [(a, b) for a, b in zip(each, reference, strict=True) if b is not None]
            same, inked, both = (
                sum(test(a, b) for a, b in pairs if a is not None) / len(pairs)
                for test in (_same_characters, _same_ink, _matches)
            )
            line += f"; of {len(pairs):,} by {REFERENCE}: same characters {same:.2%}"
            line += f", same ink {inked:.2%}, match {both:.2%}"
        print(line)


def _same_characters(first: Drawing, second: Drawing) -> bool:
    return first.characters == second.characters


def _same_ink(first: Drawing, second: Drawing) -> bool:
    return ink_overlap(first.ink, second.ink) >= OVERLAP


def _matches(first: Drawing, second: Drawing) -> bool:
    return _same_characters(first, second) and _same_ink(first, second)


def _print_structure(pairs: list[tuple[str, str]], mathml: list[str]) -> None:
    """The share of formulas whose MathML reads back to the same tree as LaTeXML's."""
    equal = sum(
        _tree(own) == _tree(latexml) for own, (_, latexml) in zip(mathml, pairs, strict=True) if own
    )
    print(f"  {OURS}: MathML with the layout tree of LaTeXML's {equal / len(pairs):.2%}")


def _tree(mathml: str) -> Tree | None:
    try:
        return read_presentation(mathml).tree
    except PorismError:
        return None


def _write_worst(
    path: Path, formulas: list[str], drawings: dict[str, list[Drawing | None]]
) -> None:
    """The formulas that match the reference least, both pictures side by side."""
    scored = []
    for latex, own, other in zip(formulas, drawings[OURS], drawings[REFERENCE], strict=True):
        if own is not None and other is not None:
            overlap = ink_overlap(own.ink, other.ink)
            missing = own.characters - other.characters, other.characters - own.characters
            penalty = min(0.5, 0.1 * sum(each.total() for each in missing))
            scored.append((overlap - penalty, latex, own, other, missing))
    scored.sort(key=lambda each: each[:2])
    rows = "".join(
        f"<tr><td>{score:.2f}<td>{_picture(own)}<td>{_picture(other)}<td><code>{escape(latex)}"
        f"</code><td>{escape(json.dumps([dict(each) for each in missing], ensure_ascii=False))}"
        for score, latex, own, other, missing in scored[:WORST]
    )
    path.write_text(
        "<!doctype html><meta charset=utf-8><title>Worst formulas</title><style>td { padding: 8px; "
        "border: 1px solid #ccc; max-width: 500px; overflow-wrap: anywhere; } img { max-width: "
        f"480px; filter: invert(1); }}</style><table><tr><th>score<th>{OURS}<th>{REFERENCE}"
        f"<th>LaTeX<th>characters only in one{rows}</table>",
        encoding="utf-8",
    )


def _picture(drawing: Drawing) -> str:
    file = io.BytesIO()
    drawing.ink.save(file, "PNG")
    return f'<img src="data:image/png;base64,{base64.b64encode(file.getvalue()).decode()}">'


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--formulas", type=int, default=FORMULAS)
    parser.add_argument("--page", type=Path, help="HTML page of the worst formulas")
    options = parser.parse_args()
    report(options.formulas, options.page)
