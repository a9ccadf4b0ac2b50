"""A small pool, and the commands of ``porism assess`` run in this process."""

import json
from typing import Any

from click.testing import CliRunner, Result

from porism.assess.records import Candidate, Pool
from porism.cli.main import porism
from porism.model import DocId, Topic, TopicId

A1, A2 = TopicId("A.1"), TopicId("A.2")
POOL = Pool(
    1,
    (Topic(A1, ("One",), ("What?",)), Topic(A2, ("Two",), ("Why?",))),
    tuple(
        Candidate(topic, DocId(f"{topic}-{number}"), text=f"Answer {number}")
        for topic in (A1, A2)
        for number in range(1, 4)
    ),
)


def invoked(*arguments: str) -> Result:
    return CliRunner().invoke(porism, ["assess", *arguments])


def output(*arguments: str, status: int = 0) -> str:
    """Standard output of a command, or standard error if it fails."""
    done = invoked(*arguments)
    assert done.exit_code == status, done.output
    return done.stdout if status == 0 else done.stderr


def record(*arguments: str) -> Any:  # the type of the JSON depends on the command
    return json.loads(output(*arguments, "--json"))
