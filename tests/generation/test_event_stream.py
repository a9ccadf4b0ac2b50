"""Server-sent events, however their bytes are split."""

import json
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from porism.generation.event_stream import EventStream, ServerEvent
from porism.generation.generator import GenerationError
from porism.generation.response_body import ResponseBody


def events(*pieces: bytes) -> list[ServerEvent]:
    stream = EventStream()
    return [event for piece in pieces for event in stream.feed(piece)] + stream.end()


def data(*pieces: bytes) -> list[str]:
    return [event.data for event in events(*pieces)]


def test_an_event_ends_at_an_empty_line() -> None:
    stream = EventStream()
    assert stream.feed(b"data: one\n") == []
    assert stream.feed(b"\n") == [ServerEvent("one")]
    assert stream.end() == []


def test_comments_and_other_fields_are_ignored() -> None:
    assert data(b": waiting\n\nid: 7\nretry: 3\ndata: one\n\n: bye\n\n") == ["one"]


def test_lines_of_data_are_joined() -> None:
    assert data(b"data: one\ndata:two\n\n") == ["one\ntwo"]


def test_all_ends_of_lines_and_a_byte_order_mark_are_accepted() -> None:
    assert data(b"\xef\xbb\xbfdata: a\r\n\r\ndata: b\r\rdata: c\n\n") == ["a", "b", "c"]


def test_the_last_event_may_lack_its_empty_line() -> None:
    assert data(b"data: one\n\ndata: two") == ["one", "two"]


def test_events_and_fields_named_error_are_errors() -> None:
    assert events(b"event: error\ndata: full\n\nerror: {}\n\ndata: fine\n\n") == [
        ServerEvent("full", True),
        ServerEvent("{}", True),
        ServerEvent("fine"),
    ]


LINES = st.sampled_from(
    [b"data: {}", b"data:x", b"", b": c", b"event: error", b"data", "data: ∑ ≤ é".encode()]
)
ENDS = st.sampled_from([b"\n", b"\r\n", b"\r"])


def split(text: bytes, places: list[int]) -> list[bytes]:
    cuts = [0, *sorted(min(place, len(text)) for place in places), len(text)]
    return [text[start:end] for start, end in pairwise(cuts)]


@given(st.lists(st.tuples(LINES, ENDS)), st.lists(st.integers(0, 200)))
def test_events_do_not_depend_on_how_the_bytes_are_split(
    lines: list[tuple[bytes, bytes]], places: list[int]
) -> None:
    text = b"".join(line + end for line, end in lines)
    assert events(*split(text, places)) == events(text)


def documents(pieces: list[bytes]) -> list[object] | str:
    body = ResponseBody()
    try:
        return [*(each for piece in pieces for each in body.feed(piece)), *body.end()]
    except GenerationError as error:
        return str(error)


@given(
    st.one_of(
        st.just(json.dumps({"choices": [{"text": "∑"}]}, indent=1).encode()),
        st.just(b" \r\n: hello\n\ndata: {}\n\ndata: [1]\n\ndata: [DONE]\n\ndata: more\n\n"),
        st.just(b"<html>"),
        st.binary(max_size=50),
    ),
    st.lists(st.integers(0, 60)),
)
def test_documents_do_not_depend_on_how_the_bytes_are_split(body: bytes, places: list[int]) -> None:
    assert documents(split(body, places)) == documents([body])
