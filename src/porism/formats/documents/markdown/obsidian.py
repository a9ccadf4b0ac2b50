"""What Obsidian adds to Markdown: links and embeds in double brackets, callouts, tags, comments,
highlights and ids of blocks, as a plugin for markdown-it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock
from markdown_it.rules_core import StateCore
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token

from porism.formats.documents.latex.commands import THEOREMS

MAX_LINK = 500
"""The longest link, in characters."""


def obsidian_plugin(markdown: MarkdownIt) -> None:
    """Make tokens of the types ``note_link``, ``hashtag`` and ``block_id``; leave out comments."""
    ruler = markdown.inline.ruler
    ruler.before("link", "note_link", _link_rule)
    ruler.before("link", "hashtag", _tag_rule)
    ruler.before("link", "note_comment", _comment_rule)
    ruler.before("link", "highlight", _highlight_rule)
    ruler.before("link", "block_id", _block_id_rule)
    markdown.block.ruler.before(
        "paragraph", "comment_block", _comment_block_rule, {"alt": ["paragraph"]}
    )
    markdown.core.ruler.after("block", "callouts", _callouts)
    # The rule for text would pass over these characters.
    markdown.inline.ruler.at("text", _text_rule)


def hashtags(tokens: Sequence[Token]) -> Iterator[str]:
    """The tags in tokens, without number signs, in order."""
    for token in tokens:
        if token.type == "hashtag":
            yield token.content
        yield from hashtags(token.children or ())


_TEXT = re.compile(r"[^\n!#$%&*+\-:<=>@\[\\\]^_`{}~]+")
"""Characters that begin no inline syntax."""


def _text_rule(state: StateInline, silent: bool) -> bool:
    match = _TEXT.match(state.src, state.pos, state.posMax)
    if match is None:
        return False
    if not silent:
        state.pending += match[0]
    state.pos = match.end()
    return True


_LINK = re.compile(rf"(!?)\[\[([^\[\]|\n]{{0,{MAX_LINK}}})(?:\|([^\[\]\n]{{0,{MAX_LINK}}}))?\]\]")


def _link_rule(state: StateInline, silent: bool) -> bool:
    """``[[note#heading|text]]``, or an embedded note or picture, ``![[note]]``."""
    match = _LINK.match(state.src, state.pos, state.posMax)
    if match is None or not match[2].strip():
        return False
    if not silent:
        target = match[2].strip().removesuffix("\\")  # escaped in a table
        token = state.push("note_link", "a", 0)
        token.content = (match[3] or "").strip() or _link_text(target)
        token.meta = {"target": target}
        if match[1] and _PICTURE.search(target):
            token.content = "" if _SIZE.fullmatch(token.content) else token.content
            token.meta = {"target": ""}
    state.pos = match.end()
    return True


_PICTURE = re.compile(r"\.(?:png|jpe?g|gif|svg|webp|bmp|avif)$", re.IGNORECASE)
_SIZE = re.compile(r"\d+(?:x\d+)?|.*\.\w+")


def _link_text(target: str) -> str:
    """A link without a text of its own, as Obsidian displays it: ``note > heading``."""
    return " > ".join(filter(None, (part.strip() for part in target.split("#"))))


_TAG = re.compile(r"#((?=[^\s#]*[^\W\d])[\w/-]+)")


def _tag_rule(state: StateInline, silent: bool) -> bool:
    """``#tag`` after a blank; a tag has at least one letter."""
    if state.pos > 0 and not state.src[state.pos - 1].isspace():
        return False
    match = _TAG.match(state.src, state.pos, state.posMax)
    if match is None:
        return False
    if not silent:
        token = state.push("hashtag", "", 0)
        token.content = match[1].strip("/")
    state.pos = match.end()
    return True


def _comment_rule(state: StateInline, silent: bool) -> bool:
    """``%%comment%%``, which is left out."""
    if not state.src.startswith("%%", state.pos):
        return False
    end = state.src.find("%%", state.pos + 2, state.posMax)
    if end < 0:
        return False
    state.pos = end + 2
    return True


def _comment_block_rule(state: StateBlock, start_line: int, end_line: int, silent: bool) -> bool:
    """A comment that begins a line and ends in a later one."""
    if state.is_code_block(start_line):
        return False
    start = state.bMarks[start_line] + state.tShift[start_line]
    first = state.src[start : state.eMarks[start_line]]
    if not first.startswith("%%") or "%%" in first[2:]:
        return False
    for line in range(start_line + 1, end_line):
        if "%%" in state.src[state.bMarks[line] : state.eMarks[line]]:
            if not silent:
                state.line = line + 1
            return True
    return False


def _highlight_rule(state: StateInline, silent: bool) -> bool:
    """The signs of ``==highlighted text==``, of which the text alone is kept."""
    source, at = state.src, state.pos
    if not source.startswith("==", at) or source.startswith("===", at):
        return False
    opens = at + 2 < state.posMax and not source[at + 2].isspace()
    closes = at > 0 and not source[at - 1].isspace()
    is_open = state.env.setdefault("highlights", {}).get(id(state.tokens), False)
    if is_open and closes:
        state.env["highlights"][id(state.tokens)] = False
    elif not is_open and opens and _CLOSING.search(source, at + 3, state.posMax):
        state.env["highlights"][id(state.tokens)] = True
    else:
        return False
    state.pos += 2
    return True


_CLOSING = re.compile(r"(?<=\S)==")
_BLOCK_ID = re.compile(r"\^([A-Za-z0-9-]{1,60})[ \t]*(?=\n|\Z)")


def _block_id_rule(state: StateInline, silent: bool) -> bool:
    """``^id`` at the end of a block, the target of links to it."""
    if state.pos > 0 and not state.src[state.pos - 1].isspace():
        return False
    match = _BLOCK_ID.match(state.src, state.pos, state.posMax)
    if match is None:
        return False
    if not silent:
        token = state.push("block_id", "a", 0)
        token.content = match[1]
    state.pos = match.end()
    return True


_CALLOUT = re.compile(r"\[!([A-Za-z][\w-]{0,40})(?:\|[^\]\n]{0,40})?\][+-]?[ \t]*([^\n]*)(?:\n|\Z)")


def _callouts(state: StateCore) -> None:
    """Give each quotation that is a callout its title, ``> [!note] Title``, in bold."""
    for index, token in enumerate(state.tokens[:-2]):
        inline = state.tokens[index + 2]
        if token.type != "blockquote_open" or inline.type != "inline":
            continue
        match = _CALLOUT.match(inline.content)
        if match is None:
            continue
        rest = inline.content[match.end() :]
        title = f"**{_callout_title(match[1].lower(), match[2].strip())}**"
        inline.content = f"{title}\\\n{rest}" if rest.strip() else title


def _callout_title(kind: str, title: str) -> str:
    """The title of a callout; one that is a theorem keeps its kind."""
    name = THEOREMS.get(kind)
    if name is None:
        return title or kind.replace("-", " ").capitalize()
    return f"{name} ({title})" if title else name
