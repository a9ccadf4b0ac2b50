"""Files for the tests of datasets: topics in the lab's format, and small collections."""

from pathlib import Path

from porism.collection.schema import DATABASE

TOPICS = """<?xml version="1.0" ?>
<Topics>
   <Topic number="{letter}.1">{formula}
      <Title>Is &lt;span class="math-container" id="q_1"&gt;$x^2$&lt;/span&gt; odd?</Title>
      <Question>
         &lt;p&gt;I think
         &lt;span class="math-container" id="q_2"&gt;$x^2 &amp;lt; 2$&lt;/span&gt;.&lt;/p&gt;
      </Question>
      <Tags>calculus,limits</Tags>
   </Topic>
</Topics>
"""
FOCUS = "<Formula_Id>q_1</Formula_Id><Latex>x^2</Latex>"


def copy_collection(collection: Path, folder: Path) -> Path:
    folder.mkdir()
    (folder / DATABASE).symlink_to(collection / DATABASE)
    return folder


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
