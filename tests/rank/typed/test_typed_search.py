r"""What a person types finds the thread that was meant: one small site, one table of queries."""

from collections.abc import Iterator, Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from porism import catalog
from porism.collection.ingest.pipeline import IngestOptions, ingest
from porism.collection.store import open_collection
from porism.model import Task
from porism.query.typed_topics import typed_answer_topic
from porism.rank.results import RankedSearch, explained, read_results, search
from porism.rank.typed.typed_search import ScorePart
from porism.searchindex.builder import IndexOptions, build_index
from porism.searchindex.index_folder import SearchIndex, open_index
from tests.collection.small_site import Row, write_table

THREADS: dict[int, tuple[str, str, Sequence[str]]] = {
    100: ("Sum of a series", "I only want to know how to begin.", ["By a telescope."]),
    110: (
        "How is the sum of a series of functions defined, when the sum of the series converges?",
        "The sum of a series is the limit of sums of the series, the sum of a series again.",
        ["The sum of a series of functions is the limit of the sum of the first terms."],
    ),
    120: ("Weierstraß approximation", "Polynomials are dense.", ["Convolve with a kernel."]),
    130: ("Polynomials are dense in which spaces?", "Approximation theory.", ["In many."]),
    140: ("Hölder versus Minkowski", "Which inequality comes first?", ["The former."]),
    150: ("Factorizing a quartic", "I tried grouping.", ["Complete the square."]),
    160: ("Colouring of planar maps", "Are four enough?", ["Yes, by computer."]),
    170: (
        "Statement of Fermat's little theorem",
        "The theorem on powers modulo a prime.",
        ["It is $a^p \\equiv a \\pmod p$."],
    ),
    180: (
        "Statement of Fermat's last theorem",
        "A theorem that took centuries. A little history of the theorem, please.",
        ["Fermat had a little margin. The theorem is little understood, a theorem by Wiles."],
    ),
    190: ("Eigenvalues of a triangular matrix", "Where are the eigenvalues?", ["The diagonal."]),
    200: ("Eigenvalues of a rotation", "Are the eigenvalues real?", ["Only for half turns."]),
    210: (
        "When is a normal subgroup characteristic?",
        "Let $N$ be a normal subgroup.",
        ["If no other has its order."],
    ),
    220: (
        "A subgroup that is not normal",
        "Give a subgroup, a normal one, and a normal and a subgroup.",
        ["A reflection generates one."],
    ),
    230: ("Half of it", r"Find $\frac{a+1}{b}$.", ["Divide."]),
    240: ("A wave", r"Find $\sin(x) + 7$.", ["It is bounded."]),
    250: ("A logarithm", r"Find $\log t - 9$.", ["It grows slowly."]),
    260: ("An area", r"Find $\int u^5 \mathrm{d}u$.", ["Use the power rule."]),
    270: ("A set of pairs", r"Find $\mathbf{R}^2 \times Q$.", ["It is a product."]),
    280: (
        "Where is a proof of the prime number theorem?",
        "I look for a short proof of the prime number theorem.",
        [
            '<a href="https://a.example/1">Short proof of the prime number theorem</a>.',
            "Newman has a short one, by a contour and a theorem of Tauber on the zeta function.",
            '<img src="https://a.example/p.png" alt="short proof of the prime number theorem">',
        ],
    ),
    300: ("Is every amicable odometer ergodic?", "Nobody has answered this about odometers.", []),
    310: ("Odometers in dynamics", "What is an odometer?", ["An adding machine."]),
    320: (
        "Compactness of the unit ball",
        "In which norm is the ball compact?",
        ["In finite dimension, by Heine and Borel."],
    ),
    330: (
        "Compactness of the unit sphere",
        "Compare the ball. Here weak topologies matter.",
        ["In finite dimension, by Heine and Borel, and by Riesz."],
    ),
}
"""Title, body and answers by the id of the question; answers have the next ids."""

TAGS = {320: "<topology><norms>", 330: "<topology>"}
SCORES = {321: 5, 331: 1}
USERS: list[Row] = [{"Id": 5, "DisplayName": "Emmy Noether"}, {"Id": 6, "DisplayName": "Hilbert"}]


def _rows() -> Iterator[Row]:
    for question, (title, body, answers) in THREADS.items():
        common = {"CreationDate": "2015-01-01T00:00:00.000"}
        yield {
            "Id": question,
            "PostTypeId": 1,
            "Title": title,
            "Body": f"<p>{body}</p>",
            "Score": 2,
            "OwnerUserId": 6,
            "Tags": TAGS.get(question, "<algebra>"),
            **common,
        }
        for number, text in enumerate(answers, start=question + 1):
            yield {
                "Id": number,
                "PostTypeId": 2,
                "ParentId": question,
                "Body": f"<p>{text}</p>",
                "Score": SCORES.get(number, 2),
                "OwnerUserId": 5 if number == 331 else 6,
                **common,
            }


@pytest.fixture(scope="module")
def search_index(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SearchIndex]:
    folder = tmp_path_factory.mktemp("typed")
    site = folder / "site"
    site.mkdir()
    write_table(site / "Posts.xml", "posts", list(_rows()))
    write_table(site / "Users.xml", "users", USERS)
    ingest(site, folder / "collection", IngestOptions(jobs=1))
    with open_collection(folder / "collection") as collection:
        plan = catalog.index_plan(["porism"])
        build_index(collection, folder / "index", plan, IndexOptions(), lambda progress: None)
    with open_index(folder / "index") as opened:
        yield opened


def searched(index: SearchIndex, text: str) -> RankedSearch:
    _, ranker = catalog.typed_search(Task.ANSWERS, index)
    return search(index, ranker, typed_answer_topic(text), 20)


def threads(index: SearchIndex, text: str) -> list[int]:
    """The threads of the results, best first, each once."""
    hits = searched(index, text).ranking
    return list(dict.fromkeys(int(hit.doc_id) // 10 * 10 for hit in hits))


FIRST = {
    "exact title": ("Sum of a series", 100),
    "exact title without capitals and signs": ("sum of a series?", 100),
    "title without its accents": ("weierstrass approximation", 120),
    "title with ss for ß": ("Weierstrass approximation polynomials", 120),
    "umlaut without dots": ("holder versus minkowski inequality", 140),
    "umlaut as two letters": ("hoelder or minkowski inequality", 140),
    "British spelling": ("factorising a quartic", 150),
    "American spelling": ("coloring planar maps", 160),
    "a name": ("Fermat's little theorem", 170),
    "a name without its apostrophe": ("fermats little theorem", 170),
    "another name": ("Fermat's last theorem", 180),
    "words in the order of a title": ("eigenvalues triangular matrix", 190),
    "a misspelled word": ("eigenvalues of a triangulra matrix", 190),
    "a question without answers": ("amicable odometer ergodic", 300),
    "words of a question without answers": ("is an odometer ergodic", 300),
    "frac for a slash": (r"\frac{a+1}{b}", 230),
    "a slash for frac": ("(a+1)/b", 230),
    "dfrac": (r"$\dfrac{a+1}{b}$", 230),
    "a function without brackets": (r"\sin x + 7", 240),
    "ln for log": (r"$\ln t - 9$", 250),
    "ln with brackets": ("ln(t) - 9", 250),
    "an italic d": (r"\int u^5 du", 260),
    "a d with a space": ("∫ u⁵ d u", 260),
    "blackboard bold": (r"\mathbb{R}^2 \times Q", 270),
    "Unicode blackboard bold": ("ℝ² × Q", 270),
}


@pytest.mark.parametrize("name", FIRST)
def test_the_thread_that_was_meant_is_first(search_index: SearchIndex, name: str) -> None:
    text, expected = FIRST[name]
    assert threads(search_index, text)[0] == expected


PASSING = {
    "a phrase": ('"normal subgroup"', {210}),
    "a phrase with other words": ('"normal subgroup" characteristic', {210}),
    "a phrase with an accent": ('"weierstrass approximation"', {120}),
    "a phrase that no post has": ('"normal theorem"', set()),
    "two phrases": ('"finite dimension" "weak topologies"', {330}),
    "an excluded word": ("compactness of the unit -sphere", {320}),
    "an excluded word in another form": ("eigenvalues -rotations", {190}),
    "an excluded phrase": ('heine -"and by Riesz"', {320}),
    "a tag": ("compactness ball [norms]", {320}),
    "two tags": ("compactness [topology] [norms]", {320}),
    "an unknown tag": ("compactness [knots]", set()),
    "a user": ("compactness user:noether", set()),
    "a user by the whole name": ('finite dimension user:"emmy noether"', {330}),
    "a user by id": ("finite dimension user:5", {330}),
    "votes": ("finite dimension score:3", {320}),
}


@pytest.mark.parametrize("name", PASSING)
def test_only_posts_that_pass_are_found(search_index: SearchIndex, name: str) -> None:
    text, expected = PASSING[name]
    assert set(threads(search_index, text)) == expected


@pytest.mark.parametrize(
    ("text", "post"),
    [
        ("id:181", "181"),
        ("https://math.stackexchange.com/questions/180/statement-of-fermats-last-theorem", "180"),
        ("https://math.stackexchange.com/a/181/7", "181"),
        ("http://localhost:8000/threads/180#post-181", "181"),
    ],
)
def test_an_id_or_address_finds_its_post(search_index: SearchIndex, text: str, post: str) -> None:
    assert [hit.doc_id for hit in searched(search_index, text).ranking] == [post]


def test_an_unknown_address_is_searched_by_its_title(search_index: SearchIndex) -> None:
    address = "https://math.stackexchange.com/questions/7/statement-of-fermats-last-theorem"
    assert threads(search_index, address)[0] == 180


@pytest.mark.parametrize(
    ("text", "suggestion", "is_corrected"),
    [
        ("eigenvalues of a triangulra matrix", "eigenvalues of a triangular matrix", True),
        ("Triangulra $x^2$ matrix", "Triangular $x^2$ matrix", True),
        ("eigenvalluesof a matrix", None, False),
        ("eigenvalues of a triangular matrix", None, False),
        ("colouring", None, False),
        ("coloring", None, False),
        ("hoelder", None, False),
        ("xyzzyqqq", None, False),
    ],
)
def test_unknown_words_are_corrected(
    search_index: SearchIndex, text: str, suggestion: str | None, is_corrected: bool
) -> None:
    result = searched(search_index, text)
    assert (result.suggestion, result.is_corrected) == (suggestion, is_corrected)


def test_answers_of_only_links_or_images_are_below_others(search_index: SearchIndex) -> None:
    hits = searched(search_index, "short proof of the prime number theorem").ranking
    answers = [hit.doc_id for hit in hits if hit.doc_id in ("281", "282", "283")]
    assert answers[0] == "282"


def test_an_explanation_names_each_part_and_adds_up_to_the_score(search_index: SearchIndex) -> None:
    ranked_search = searched(search_index, "short proof of the prime number theorem")
    results = explained(ranked_search, read_results(search_index, ranked_search).results)
    explanations = [each.explanation for each in results if each.explanation is not None]
    assert len(explanations) == len(results) > 0
    for result, explanation in zip(results, explanations, strict=True):
        assert explanation.value == pytest.approx(result.score, abs=1e-6)
    labels = " ".join(part.label for each in explanations for part in each.details)
    assert ScorePart.LINKS in labels
    assert ScorePart.ORDER in labels


def test_the_ranking_does_not_depend_on_the_number_of_results(search_index: SearchIndex) -> None:
    _, ranker = catalog.typed_search(Task.ANSWERS, search_index)
    typed = typed_answer_topic("sum of the eigenvalues of a matrix")
    many = search(search_index, ranker, typed, 20).ranking
    assert search(search_index, ranker, typed, 3).ranking == many[:3]


HOSTILE = {
    "only an excluded word": "-compactness",
    "only a tag": "[topology]",
    "only a user": "user:noether",
    "an open quotation mark": '"finite dimension',
    "a phrase of stop words": '"of the" compactness',
    "signs": "?!., -- ''",
    "an open dollar": "$x^2",
    "half a formula": r"\frac{1}{ \int_0^",
    "control characters": "\x00 \u202e compactness",
    "Hebrew": "האם הכדור קומפקטי",
    "a long word": "compact" * 1000,
    "many words": "compactness of the unit ball " * 400,
    "many misspelled words": " ".join(f"triangulr{letter}x" for letter in "abcdefghijklmnop"),
    "many formulas": r"$\frac{x}{n}$ and " * 500,
    "letters without a slash": "$" + "a" * 2000 + "|$",
}


@pytest.mark.parametrize("name", HOSTILE)
def test_any_text_is_searched_or_refused_with_a_reason(
    search_index: SearchIndex, name: str
) -> None:
    result = searched(search_index, HOSTILE[name])
    assert result.ranking or result.problems or result.tokens
    assert read_results(search_index, result).results or not result.ranking


@settings(max_examples=30)
@given(st.text(max_size=300).filter(str.strip))
def test_no_text_raises(search_index: SearchIndex, text: str) -> None:
    assert searched(search_index, text).topic is not None
