"""Topic files: any bytes give topics or are refused; written topics read back equal."""

from __future__ import annotations

from fuzz.html_texts import WORDS as TAGS
from fuzz.properties import Property, file_of, refusals
from fuzz.strategies import mutated, noise, repeated, soup
from porism.formats.topics import read_topics, write_topics
from porism.model import Topic

WORDS = (
    *TAGS,
    *"""
    <Topics> </Topics> <Topic </Topic> <Topic> number="A.1"> number="" > <Title> </Title> <Question>
    </Question> <Tags> </Tags> <Formula_Id> q_1 </Formula_Id> <Latex> </Latex> <?xml?> &lt;p&gt;
    &lt;span class="math-container" &amp;lt; &bogus; &#0; &#x10FFFF; A.1 B.2
    """.split(),
    '<Topic number="A.1">',
    '&lt;math alttext="$x$"&gt;',
    '<!DOCTYPE Topics [<!ENTITY a "b">]>',
)
SAMPLES = (
    '<?xml version="1.0" ?>\n<Topics>\n  <Topic number="A.1">\n    <Title>On $x$</Title>\n'
    '    <Question>&lt;p&gt;Is &lt;span class="math-container" id="q_1"&gt;$x &amp;lt; y$&lt;/span'
    "&gt;?&lt;/p&gt;</Question>\n    <Tags>algebra,groups</Tags>\n  </Topic>\n</Topics>\n",
    '<Topics><Topic number="B.1"><Formula_Id>q_1</Formula_Id><Latex>x^2 &lt; 1</Latex>'
    "<Title>T</Title><Question>Q</Question><Tags>a</Tags></Topic></Topics>",
)


def check_topics(text: str) -> None:
    """Read the text as a topic file; topics that can be written read back equal."""
    data = text.encode("utf-8", "replace")
    with file_of(data, "topics") as path:
        topics: list[Topic] = []
        with refusals(data):
            topics += read_topics(path)
        # Topics that the lab's format cannot represent are refused by the writer.
        again = path.with_suffix(".xml")
        with refusals(data):
            write_topics(again, topics)
        if again.exists():
            assert list(read_topics(again)) == topics


PROPERTIES = (
    Property("lab-text", noise() | soup(WORDS) | mutated(SAMPLES, WORDS), check_topics),
    Property("lab-repeated", repeated(WORDS), check_topics),
)
