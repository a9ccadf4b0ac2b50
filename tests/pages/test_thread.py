"""A thread as a web page."""

import re
from pathlib import Path
from urllib.parse import quote

import pytest
from lxml import html

from porism.collection.ingest.pipeline import IngestOptions, ingest
from porism.collection.store import open_collection
from porism.pages.thread import ThreadContext, thread_html, thread_page
from tests.collection.small_site import POSTS, Row, ingested_site, write_site

HOSTILE = (
    '<p onmouseover="alert(1)">x<script>alert(2)</script>'
    '<a href="javascript:alert(3)">y</a><img src="https://e.org/p.png" onerror="alert(4)">'
    "<style>body { display: none }</style></article></main><h1>z</h1></p>"
)


def page_of(collection: Path, post_id: str) -> str:
    with open_collection(collection) as opened:
        return thread_page(opened.thread(post_id), opened)


def page_with(folder: Path, body: str) -> str:
    post: Row = {"Id": 9, "PostTypeId": 1, "Title": "<b>&lt;i&gt;</b>", "Body": body}
    ingest(
        write_site(folder / "site", [*POSTS, post]), folder / "collection", IngestOptions(jobs=1)
    )
    return page_of(folder / "collection", "9")


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> str:
    return page_of(ingested_site(tmp_path_factory.mktemp("site")), "2")


def text_of(page: str) -> str:
    (body,) = html.document_fromstring(page).iter("body")
    return " ".join("".join(map(str, body.itertext())).split())


def test_a_thread_page_has_all_posts_and_facts(page: str) -> None:
    text = text_of(page)
    for piece in ("Question 1", "Answer 2", "Answer 3", "score 7", "1,234 views", "2011-03-04"):
        assert piece in text
    for piece in ("algebra", "real-numbers", "2 answers", "Accepted answer", "user 6"):
        assert piece in text


def test_the_accepted_answer_comes_first(page: str) -> None:
    assert page.index('id="post-3"') < page.index('id="post-2"')
    assert page.count("Accepted answer") == 1
    assert page.index("Accepted answer") < page.index('id="post-2"')


def test_linked_questions_have_titles_where_known(page: str) -> None:
    duplicates, related = page.split("<h2>Duplicates</h2>")[1].split("<h2>Related questions</h2>")
    assert "What is <span" in duplicates
    assert ">4</span>" in duplicates
    assert ">99</span>" in related


def test_every_formula_is_mathml_with_its_latex(page: str) -> None:
    assert page.count("<math ") == 7  # one is in the title of a linked question
    assert (
        '<span class="formula" id="formula-11" title="x^2 \\ge 0" data-latex="x^2 \\ge 0"><math '
        in page
    )
    assert "$" not in text_of(page)


def test_a_formula_alone_in_its_paragraph_is_displayed(page: str) -> None:
    assert len(re.findall(r'<math [^>]*display="block"', page)) == 1
    assert re.search(r'<p><span class="display"[^>]*><math [^>]*alttext="\\int_0\^1 x\\,dx"', page)


def test_an_environment_is_displayed(tmp_path: Path) -> None:
    page = page_with(tmp_path, r"<p>So \begin{align}a&amp;=b\end{align} holds, $\sqrt{x}$ too.</p>")
    assert len(re.findall(r'<math [^>]*display="block"', page)) == 1


def test_a_formula_that_the_parser_refuses_is_shown_as_latex(tmp_path: Path) -> None:
    deep = "{" * 300 + "x" + "}" * 300
    page = page_with(tmp_path, f'<p>See <span class="math-container">{deep}</span>.</p>')
    assert f">{deep}</code>" in page


def test_a_macro_definition_is_invisible(tmp_path: Path) -> None:
    page = page_with(tmp_path, r"<p>$\newcommand{\R}{\mathbb{R}}$In $\R$.</p>")
    assert "newcommand" not in page
    assert "ℝ" in page


def test_macros_of_a_post_apply_to_its_formulas(tmp_path: Path) -> None:
    page = page_with(tmp_path, r"<p>$\def\half{\frac12}$ Take $\half$.</p>")
    assert "<mfrac>" in page


def test_a_page_is_self_contained_and_has_no_scripts(page: str, tmp_path: Path) -> None:
    for each in (page, page_with(tmp_path, HOSTILE)):
        assert not re.search(r"<script|<img|<iframe|<object|<link|@import|url\(|\ssrc=", each)
        assert not re.search(r"<[^>]*\son\w+=", each)
        assert "javascript:" not in each
        assert "default-src 'none'" in each


def test_hostile_markup_keeps_its_text_and_breaks_nothing(tmp_path: Path) -> None:
    page = page_with(tmp_path, HOSTILE)
    assert page.count("<main>") == page.count("</main>") == 1
    assert page.count("<article ") == page.count("</article>") == 1
    assert page.count("<h1>") == 1
    assert page.count("<style>") == 1
    assert "<h4>z</h4>" in page
    assert "x" in text_of(page)


def test_names_of_users_and_titles_are_escaped(page: str, tmp_path: Path) -> None:
    assert "Emmy &lt;b&gt;N&lt;/b&gt;" in page
    assert "<title>&lt;i&gt;</title>" in page_with(tmp_path, "<p>x</p>")


def test_a_document_page_has_no_answers(tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "note.md").write_text("# On $x^2$\n\nA square.\n", encoding="utf-8")
    ingest(notes, tmp_path / "collection", IngestOptions(jobs=1))
    with open_collection(tmp_path / "collection") as opened:
        (document,) = opened.posts()
    page = page_of(tmp_path / "collection", document.id)
    assert "A square." in page
    assert "<math " in page
    assert "answers" not in page


def test_links_between_notes_lead_to_their_pages_where_there_are_any(tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "a.md").write_text("See [[b#Index|the index]], [[none]] and [other](b.md).")
    (notes / "b.md").write_text("# B\n\nText.\n\n## Index\n\nThe index.")
    ingest(notes, tmp_path / "collection", IngestOptions(jobs=1))
    context = ThreadContext(thread_address=lambda name: f"/threads/{quote(name)}")
    with open_collection(tmp_path / "collection") as collection:
        thread = collection.thread("notes/a.md")
        linked = thread_html(thread, collection, context)
        unlinked = thread_html(thread, collection)
    assert '<a href="/threads/notes/b.md%23index">the index</a>' in linked
    assert '<a href="/threads/notes/b.md">other</a>' in linked
    assert "</a>, none and <a" in linked
    assert "document:" not in linked + unlinked
    assert "<a " not in unlinked
