"""Markdown as HTML: formulas as spans, HTML cleaned, front matter read.

The dialect is CommonMark with the tables and strikethrough of GitHub, footnotes and definition
lists; ``formulas`` locates formulas.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from urllib.parse import unquote

from markdown_it import MarkdownIt
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token
from mdit_py_plugins.deflist import deflist_plugin
from mdit_py_plugins.footnote import footnote_plugin

from porism.formats.documents.html_cleaner import link_tag
from porism.formats.documents.html_fragments import (
    HtmlFragment,
    code_block,
    display_paragraph,
    document_link_tag,
    escaped_prose,
    formula_span,
)
from porism.formats.documents.html_pages import fragment_html
from porism.formats.documents.markdown.formulas import math_plugin
from porism.formats.documents.markdown.front_matter import front_matter
from porism.formats.documents.markdown.obsidian import obsidian_plugin
from porism.formats.markup.html_syntax import escaped


def markdown_html(text: str) -> HtmlFragment:
    """The text as HTML. A heading at its start becomes its title and is left out of the body.

    >>> markdown_html("# On $x$\\n\\nIt is `$5`.").body
    '<p>It is <code>$5</code>.</p>\\n'
    """
    matter, rest = front_matter(text)
    tokens = markdown_tokens(rest)
    title = markdown_line(matter.title)
    if not title:
        title = _first_heading(tokens)
        opens = bool(tokens) and tokens[0].type == "heading_open"
        tokens = tokens[3:] if opens else tokens
    return HtmlFragment(tokens_html(tokens), title, matter.tags, matter.created)


def markdown_tokens(text: str) -> list[Token]:
    """The text, without front matter, as tokens of its dialect."""
    return _MARKDOWN.parse(text)


def markdown_part(text: str) -> HtmlFragment:
    """A part of a longer text as HTML. Its title is its first heading, which stays in the body."""
    tokens = markdown_tokens(text)
    return HtmlFragment(tokens_html(tokens), _first_heading(tokens))


def _first_heading(tokens: Sequence[Token]) -> str:
    for index, token in enumerate(tokens):
        if token.type == "heading_open":
            return tokens_html(tokens[index + 1].children or ()).strip()
    return ""


def markdown_line(text: str) -> str:
    """A single line, such as a title, as HTML without headings and lists."""
    return tokens_html(_MARKDOWN.parseInline(text)).strip() if text else ""


def _markup_rule(state: StateInline, silent: bool) -> bool:
    """Inline HTML whose content is not Markdown: code, MathML, scripts and styles."""
    if state.src[state.pos] != "<":
        return False
    opening = _OPAQUE.match(state.src, state.pos)
    if not opening:
        return False
    closing = f"</{opening[1] or 'span'}>"
    end = state.src.find(closing, opening.end(), opening.end() + MAX_MARKUP)
    if end < 0 or end + len(closing) > state.posMax:
        return False
    if not silent:
        token = state.push("markup_inline", "", 0)
        token.content = state.src[state.pos : end + len(closing)]
    state.pos = end + len(closing)
    return True


MAX_MARKUP = 20_000
_OPAQUE = re.compile(
    r"<(?:(math|code|pre|script|style|textarea)\b[^<>]{0,1000}"
    r"|span\s[^<>]{0,200}\bmath-container\b[^<>]{0,200})>"
)


def _markdown() -> MarkdownIt:
    markdown = MarkdownIt("commonmark").enable(["table", "strikethrough"])
    markdown.use(footnote_plugin).use(deflist_plugin).use(math_plugin)
    markdown.inline.ruler.before("autolink", "markup_inline", _markup_rule)
    markdown.use(obsidian_plugin)
    return markdown


_MARKDOWN = _markdown()


def tokens_html(tokens: Sequence[Token]) -> str:
    """Tokens as HTML."""
    return "".join(map(_token_html, tokens))


def _token_html(token: Token) -> str:
    match token.type:
        case "inline":
            return tokens_html(token.children or ())
        case "text" | "text_special":
            return escaped_prose(token.content)
        case "math_inline":
            return formula_span(token.content)
        case "math_block":
            return display_paragraph(token.content)
        case "code_inline":
            return f"<code>{escaped(token.content)}</code>"
        case "code_block":
            return code_block(token.content)
        case "fence":
            is_math = token.info.strip() in ("math", "{math}")
            return display_paragraph(token.content) if is_math else code_block(token.content)
        case "html_block":
            return fragment_html(token.content)
        case "markup_inline":
            return fragment_html(token.content).rstrip()
        case "html_inline":
            return _inline_tag(token.content)
        case "image":
            return tokens_html(token.children or ())
        case "softbreak":
            return "\n"
        case "link_open":
            return _link_tag(str(token.attrs.get("href", "")))
        case "note_link":
            target = str(token.meta["target"])
            text = escaped_prose(token.content)
            return f"{document_link_tag(target)}{text}</a>" if target else text
        case "hashtag":
            return f"#{escaped_prose(token.content)}"
        case "block_id":
            return f'<a id="^{token.content}"></a>'
        case "footnote_ref":
            return f"<sup>{token.meta['id'] + 1}</sup>"
        case "footnote_anchor":
            return ""
        case _:
            return _tag(token)


def _tag(token: Token) -> str:
    name = _FOOTNOTE_TAGS.get(token.type.rsplit("_", 1)[0], token.tag)
    if token.hidden or not name:
        # The paragraphs of a tight list have no tags, but their words must stay separate.
        return "\n" if token.nesting < 0 else ""
    if token.nesting < 0:
        return f"</{name}>\n" if token.block else f"</{name}>"
    return f"<{name}>"


def _link_tag(address: str) -> str:
    """The opening tag of a link; a relative one leads to another document."""
    if not address or _SCHEME.match(address):
        return link_tag(address)
    return document_link_tag(unquote(address))


_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:|//")

_FOOTNOTE_TAGS = {"footnote_block": "ol", "footnote": "li"}


def _inline_tag(markup: str) -> str:
    """An inline tag that affects the meaning; others, which only affect the style, are dropped."""
    tag = _KEPT_TAG.match(markup)
    return f"<{tag[1].lower()}>" if tag else ""


_KEPT_TAG = re.compile(r"<(/?su[bp]|br)\s*/?>", re.IGNORECASE)
