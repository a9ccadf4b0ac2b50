"""A real browser for the tests: Chromium, watched for errors, with pictures of what it showed."""

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypedDict
from urllib.parse import urlparse

import matplotlib
import pytest
from playwright.sync_api import (
    Browser,
    BrowserContext,
    ConsoleMessage,
    Page,
    Playwright,
    Request,
    expect,
)

from tests.web import serving

PROJECT = Path(__file__).parent.parent.parent
AXE = PROJECT / ".venv" / "axe-core" / "axe.min.js"

PICTURES = Path(os.environ.get("PORISM_SCREENSHOTS", PROJECT / "test-artefacts"))
"""Where pictures of the pages are kept, those of tests that passed and of those that failed."""

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser"))), None)

QUIET = [
    "--no-sandbox",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]
"""Root has no sandbox, and a browser in tests has nothing to ask of anybody else."""

PHONE = 360
"""Pixels of the width of a small telephone."""

FONTS = Path(matplotlib.get_data_path()) / "fonts" / "ttf"
"""Fonts that every machine with our packages has, among them DejaVu Sans, which is very wide."""

_FONTCONFIG = """<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig><dir>{fonts}</dir><cachedir>{cache}</cachedir></fontconfig>
"""

SAFETY_NET = 1000 * serving.SAFETY_NET
"""The same for browsers, in milliseconds."""

expect.set_options(timeout=SAFETY_NET)

IS_CI = os.environ.get("CI") == "true"

needs_browser = pytest.mark.skipif(
    CHROMIUM is None and not IS_CI,
    reason="there is no Chromium: make browser installs it",
)


FITTING = ("scrollable-region-focusable", "label", "button-name", "link-name")
"""The rules of axe-core whose outcome depends on the size of the screen."""


class Violation(TypedDict):
    """A fault as axe-core tells it, in part."""

    id: str
    impact: str
    nodes: list[dict[str, str]]


@contextmanager
def opened_browser(playwright: Playwright, fonts: Path = FONTS) -> Iterator[Browser]:
    """Chromium without a window, on a machine that has the fonts of one folder and no others.

    There must be one at least: without any font Chromium fails at the first formula.
    """
    assert CHROMIUM is not None, "under CI they must run: make browser installs Chromium"
    with tempfile.TemporaryDirectory() as folder:
        configuration = Path(folder) / "fonts.conf"
        configuration.write_text(_FONTCONFIG.format(fonts=fonts, cache=folder), encoding="utf-8")
        opened = playwright.chromium.launch(
            executable_path=CHROMIUM,
            args=QUIET,
            env={**os.environ, "FONTCONFIG_FILE": str(configuration)},
            timeout=SAFETY_NET,
        )
        try:
            yield opened
        finally:
            opened.close()


def watched(context: BrowserContext, address: str) -> list[str]:
    """What is found wrong with pages from now on: errors on the console, requests elsewhere."""
    context.set_default_timeout(SAFETY_NET)
    faults: list[str] = []
    host = urlparse(address).netloc

    def note_message(message: ConsoleMessage) -> None:
        # A refusal shown as a page is not an error of the page.
        is_refusal = message.page is not None and message.location["url"] == message.page.url
        if message.type == "error" and not is_refusal:
            faults.append(message.text)

    def note_request(request: Request) -> None:
        if urlparse(request.url).netloc not in (host, ""):
            faults.append(f"requested {request.url}")

    context.on("console", note_message)
    context.on("weberror", lambda error: faults.append(str(error.error)))
    context.on("request", note_request)
    return faults


def keep_picture(page: Page, name: str, is_whole: bool = True) -> None:
    """Keep what a page shows as ``name.png``."""
    PICTURES.mkdir(parents=True, exist_ok=True)
    page.screenshot(path=PICTURES / f"{name}.png", full_page=is_whole)


def serious_faults(page: Page, rules: tuple[str, ...] = ()) -> list[str]:
    """What axe-core finds that keeps people out; by all its rules, or by those that are named."""
    if not page.evaluate("typeof axe === 'object'"):
        page.evaluate(AXE.read_text(encoding="utf-8"))
    # Computing the other results takes as long as the rules themselves.
    options: dict[str, object] = {"resultTypes": ["violations"], "preload": False}
    if rules:
        options["runOnly"] = {"type": "rule", "values": list(rules)}
    found: list[Violation] = page.evaluate(
        "async options => (await axe.run(options)).violations", options
    )
    return [
        f"{fault['id']}: {node['html'][:120]}"
        for fault in found
        if fault["impact"] in ("serious", "critical")
        for node in fault["nodes"][:3]
    ]


def brightness(page: Page) -> float:
    """How bright the background is, from 0 to 255."""
    colour: str = page.evaluate("getComputedStyle(document.body).backgroundColor")
    red, green, blue = (float(part) for part in colour.split("(")[1].rstrip(")").split(",")[:3])
    return (red + green + blue) / 3


def too_wide(page: Page) -> list[str]:
    """What makes a page scroll sideways; nothing if it does not."""
    found: list[str] = page.evaluate(
        """() => {
            const root = document.documentElement;
            if (root.scrollWidth <= root.clientWidth) return [];
            const scrolls = (each) => each && (
                getComputedStyle(each).overflowX !== "visible" || scrolls(each.parentElement));
            const wide = [...document.querySelectorAll("body *")].filter(
                (each) => each.getBoundingClientRect().right > root.clientWidth + 1
                    && !scrolls(each.parentElement));
            return [`page: ${root.scrollWidth}`, ...wide.slice(0, 5).map(
                (each) => each.outerHTML.slice(0, 200))];
        }"""
    )
    return found


def covered_links(page: Page) -> list[str]:
    """Links on the screen that a click in their middle would miss, and what lies over them."""
    found: list[str] = page.evaluate(
        """() => [...document.querySelectorAll("a")].flatMap((link) => {
            const { x, y, width, height, bottom } = link.getBoundingClientRect();
            if (!width || x < 0 || y < 0 || bottom > innerHeight) return [];
            const top = document.elementFromPoint(x + width / 2, y + height / 2);
            const isHit = !top || link.contains(top) || top.contains(link);
            return isHit ? [] : [`${link.textContent}: ${top.outerHTML.slice(0, 80)}`];
        })"""
    )
    return found


def foreign_fonts(page: Page) -> list[str]:
    """Elements with text whose font is not one that we bundle."""
    found: list[str] = page.evaluate(
        """() => {
            const plain = (family) => family.replaceAll('"', "").trim();
            const bundled = new Set([...document.fonts].map((each) => plain(each.family)));
            const hasText = (each) => [...each.childNodes].some(
                (node) => node.nodeType === Node.TEXT_NODE && node.textContent.trim() !== "");
            return [...document.querySelectorAll("body, body *, input, select, textarea")]
                .filter((each) => hasText(each) || each.matches("input, select, textarea"))
                .map((each) => [each, plain(getComputedStyle(each).fontFamily.split(",")[0])])
                .filter(([, family]) => !bundled.has(family))
                .map(([each, family]) => `${family}: ${each.outerHTML.slice(0, 80)}`);
        }"""
    )
    return found
