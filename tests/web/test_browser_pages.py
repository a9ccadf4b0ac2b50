"""Threads, formulas and runs in a real browser."""

from pathlib import Path

from playwright.sync_api import Page, expect

from tests.web.browsing import keep_picture, needs_browser, too_wide

pytestmark = needs_browser


def test_a_result_links_to_its_post_with_matches_marked(page: Page) -> None:
    page.goto("/?q=Gaussian+integral+%24e%5E%7B-x%5E2%7D%24")
    page.locator("article h2 a").first.click()
    page.wait_for_url("**/threads/**#post-*")
    post = page.locator("article:target")
    expect(post).to_be_in_viewport()
    expect(post.locator("mark").first).to_be_visible()
    assert page.locator("math").count() > 5
    keep_picture(page, "thread")
    page.get_by_role("link", name="Back to the results").click()
    page.wait_for_url("**/?q=Gaussian*")


def test_the_matching_formula_is_marked_and_scrolled_to(page: Page) -> None:
    page.goto(r"/?what=formulas&q=\frac{1}{n^2}")
    page.locator("article h2 a").nth(2).click()
    page.wait_for_url("**/threads/**#formula-*")
    found = page.locator("[id^=formula-]:target")
    expect(found).to_be_in_viewport(ratio=1)
    assert found.evaluate("each => getComputedStyle(each).outlineStyle") == "solid"
    colours = found.evaluate(
        """each => [each, each.closest("mark"), each.querySelector(".hit")].filter(Boolean).map(
            (one) => getComputedStyle(one).backgroundColor)"""
    )
    assert set(colours) != {"rgba(0, 0, 0, 0)"}


def test_a_formula_of_a_thread_links_to_similar_ones(page: Page) -> None:
    page.goto("/threads/101")
    page.locator("article a.similar").first.click()
    page.wait_for_url("**/?**what=formulas**")
    expect(page.locator("article mark").first).to_be_visible()


def test_a_question_links_to_likely_duplicates(page: Page) -> None:
    page.goto("/threads/101")
    page.get_by_role("link", name="Find likely duplicates").click()
    page.wait_for_url("**what=questions**")
    expect(page.locator("article").first).to_be_visible()


def test_formula_pages_link_to_similar_formulas(page: Page) -> None:
    page.goto(r"/?what=formulas&q=\frac{1}{n^2}")
    page.locator("a[href^='/formulas/']").first.click()
    page.wait_for_url("**/formulas/**")
    for name in ("Layout tree", "Operator tree"):
        tree = page.get_by_role("region", name=name).locator("svg")
        expect(tree).to_be_visible()
        assert tree.locator("text").count() > 2
    assert page.locator(".large mfrac").count() > 0
    keep_picture(page, "formula")
    page.locator("a[href^='/formulas/']").first.click()
    page.wait_for_url("**/formulas/**")
    page.get_by_role("link", name="Search for this formula").click()
    expect(page.locator("article").first).to_be_visible()


def test_the_runs_of_a_topic_are_side_by_side(page: Page) -> None:
    page.goto("/runs")
    rows = page.locator(".run-scores tbody tr")
    expect(rows).to_have_count(2)
    keep_picture(page, "runs")
    page.locator(".run-heat a[href^='/runs/topics/']").nth(1).click()
    page.wait_for_url("**/runs/topics/A.2**")
    left, right = (section.bounding_box() for section in page.locator(".run-columns section").all())
    assert left is not None
    assert right is not None
    assert left["y"] == right["y"]
    assert left["x"] + left["width"] <= right["x"]
    assert page.locator(".run-hits math").count() > 0
    page.get_by_label("Topic", exact=True).select_option("A.3")
    page.get_by_label("Run B").select_option("")
    page.get_by_role("button", name="Show").click()
    page.wait_for_url("**/runs/topics/A.3**")
    expect(page.locator(".run-columns section")).to_have_count(1)
    page.get_by_role("link", name="Next topic").click()
    page.wait_for_url("**/runs/topics/A.4**")


def test_hits_are_filtered_by_their_grades(page: Page) -> None:
    page.goto("/runs/topics/A.1")
    hits = page.locator(".run-hits")
    assert hits.locator(".run-unjudged").count() > 0
    assert hits.locator(".run-grade-0").count() > 0
    keep_picture(page, "topic")
    page.get_by_label("Unjudged").select_option("hidden")
    page.get_by_role("button", name="Show").click()
    page.wait_for_url("**unjudged=0**")
    expect(hits.locator(".run-unjudged")).to_have_count(0)
    assert hits.locator(".run-grade-0").count() > 0
    for grade in ("0", "1", "2"):
        page.locator(f"input[name=grade][value='{grade}']").uncheck()
    page.get_by_role("button", name="Show").click()
    page.wait_for_url("**grade=3**")
    assert hits.locator(".run-grade-3").count() > 0
    expect(hits.locator(".run-grade")).to_have_count(hits.locator(".run-grade-3").count())


def test_a_pasted_run_is_scored(page: Page, sample_runs: Path) -> None:
    page.goto("/runs")
    page.get_by_label("Paste a run").fill((sample_runs / "bm25.tsv").read_text(encoding="utf-8"))
    page.get_by_role("button", name="Score this run").click()
    page.wait_for_url("**/runs/try/**")
    tried = page.locator(".run-trial td").all_inner_texts()
    same = page.locator(".run-scores tbody tr", has_text="bm25").locator("td").all_inner_texts()
    assert tried == same
    assert float(tried[0]) > 0
    keep_picture(page, "scores")
    page.get_by_role("link", name="Compare topics").click()
    expect(page.locator(".run-columns section")).to_have_count(2)


def test_a_file_that_is_not_a_run_is_refused_with_reasons(page: Page, tmp_path: Path) -> None:
    file = tmp_path / "broken.tsv"
    file.write_text("A.1\t<b>x</b>\tfirst\t2\tbroken\n")
    page.goto("/runs")
    page.get_by_label("or choose a file").set_input_files(file)
    page.get_by_role("button", name="Score this run").click()
    expect(page.get_by_role("heading", name="This run cannot be scored")).to_be_visible()
    expect(page.locator(".run-findings")).to_contain_text("first")


def test_threads_formulas_and_runs_work_without_script_on_a_phone(
    plain_page: Page, sample_runs: Path
) -> None:
    plain_page.goto("/threads/101?q=integral")
    assert plain_page.locator("math").count() > 0
    plain_page.locator("article a.similar").first.click()
    plain_page.locator("a[href^='/formulas/']").first.click()
    plain_page.wait_for_url("**/formulas/**")
    assert plain_page.locator("svg").count() >= 2
    assert too_wide(plain_page) == []
    plain_page.get_by_role("link", name="Runs").click()
    plain_page.locator(".run-heat tbody a").first.click()
    plain_page.get_by_label("Unjudged").select_option("only")
    plain_page.get_by_role("button", name="Show").click()
    plain_page.wait_for_url("**unjudged=only**")
    assert too_wide(plain_page) == []
    plain_page.get_by_role("link", name="All runs and topics").click()
    run = (sample_runs / "tangent-l.tsv").read_text(encoding="utf-8")
    plain_page.get_by_label("Paste a run").fill(run)
    plain_page.get_by_role("button", name="Score this run").click()
    expect(plain_page.locator(".run-trial")).to_be_visible()
    assert too_wide(plain_page) == []
