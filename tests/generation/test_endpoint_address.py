"""The address of an endpoint: which are accepted, and what is shown of them."""

import pytest

from porism.errors import PorismError
from porism.generation import open_generator
from porism.generation.endpoint_address import endpoint_address
from porism.generation.settings import GeneratorSettings


@pytest.mark.parametrize(
    ("url", "base"),
    [
        ("http://localhost:11434/v1", "http://localhost:11434/v1"),
        ("http://localhost:11434/v1/", "http://localhost:11434/v1"),
        ("http://localhost:11434", "http://localhost:11434/v1"),
        (" https://example.org/openai/v1/chat/completions ", "https://example.org/openai/v1"),
        ("https://example.org/v1/models", "https://example.org/v1"),
        ("http://[::1]:8080/v1", "http://[::1]:8080/v1"),
    ],
)
def test_the_base_url_is_completed(url: str, base: str) -> None:
    assert endpoint_address(url).url == base


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("localhost:11434", "begins with http"),
        ("ftp://localhost/v1", "begins with http"),
        ("file:///etc/passwd", "begins with http"),
        ("http://", "begins with http"),
        ("http://[::1/v1", "is not a URL"),
        ("http://localhost:port/v1", "is not a URL"),
        ("https://user:hunter2@example.org/v1", "user name or password"),
        ("https://hunter2@example.org/v1", "user name or password"),
        ("https://example.org/v1?key=hunter2", r"contains \? or #"),
    ],
)
def test_other_addresses_are_refused_without_repeating_secrets(url: str, message: str) -> None:
    with pytest.raises(PorismError, match=message) as caught:
        open_generator(GeneratorSettings("m", url))
    assert "hunter2" not in str(caught.value)


@pytest.mark.parametrize(
    ("url", "is_loopback"),
    [
        ("http://localhost/v1", True),
        ("http://LOCALHOST:1/v1", True),
        ("http://127.0.0.9/v1", True),
        ("http://[::1]/v1", True),
        ("http://api.localhost/v1", True),
        ("http://10.0.0.1/v1", False),
        ("http://localhost.example.org/v1", False),
    ],
)
def test_addresses_of_this_machine_are_recognised(url: str, is_loopback: bool) -> None:
    assert endpoint_address(url).is_loopback == is_loopback
