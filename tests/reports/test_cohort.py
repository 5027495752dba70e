"""What the cohort's page and numbers say."""

from __future__ import annotations

from graders.result import Student
from reports import index_html
from reports.cohort import cohort_of, row_of
from tests.reports.made_results import ALL, EVERY_VERDICT, FULL, NOT_GRADED, TYPICAL, UNREADABLE, WITHHELD
from tests.reports.page_tags import read_page

RESULTS = list(ALL.values())
LINKS = {r.student.id: f"reports/{n}.html" for n, r in enumerate(RESULTS)}


def test_every_student_is_in_the_table_with_a_link_to_the_report() -> None:
    page = read_page(index_html(RESULTS, LINKS)).since("table", id="students")
    rows = [th.text for th in page.all("th", scope="row")]
    assert len(rows) == len(RESULTS)
    assert set(LINKS.values()) <= {a.attributes["href"] for a in page.all("a")}


def test_what_needs_the_instructor_is_on_top_with_the_reason() -> None:
    text = read_page(index_html(RESULTS, LINKS)).text
    for reason in (
        "The sandbox could not be started.",
        "essay.docx is a Word document",
        "KeyError: 'lengths'",
        "Permission denied",
    ):
        assert text.index(reason) < text.index("Scores")
    assert text.index("Needs you") < text.index("Scores")


def test_a_good_cohort_needs_nobody() -> None:
    text = read_page(index_html([FULL], {})).text
    assert "Needs you" not in text
    assert "1 submission: 1 graded" in text


def test_a_check_is_rated_over_the_submissions_that_it_judged() -> None:
    tally = {c.check.id: c for c in cohort_of(map(row_of, [FULL, TYPICAL, EVERY_VERDICT, NOT_GRADED])).checks}
    assert (tally["masks/test_padding_mask"].passed, tally["masks/test_padding_mask"].judged) == (2, 2)
    assert tally["masks/test_padding_mask"].broken == 1
    assert (
        tally["mean_pool/test_padding_is_inert"].passed,
        tally["mean_pool/test_padding_is_inert"].judged,
    ) == (2, 3)


def test_a_misunderstanding_counts_each_submission_once_and_the_most_common_is_first() -> None:
    other = TYPICAL.model_copy(update={"student": Student(id="other")})
    found = cohort_of(map(row_of, [FULL, TYPICAL, other, WITHHELD])).misunderstandings
    assert [(m.title, m.count) for m in found] == [("attention without the 1/√d_k scaling", 2)]


def test_the_distribution_is_of_graded_submissions_and_is_told_in_words() -> None:
    cohort = cohort_of(map(row_of, [FULL, TYPICAL, UNREADABLE, NOT_GRADED]))
    assert (cohort.bins[9], cohort.bins[4], sum(cohort.bins)) == (1, 1, 2)
    picture = read_page(index_html([FULL, TYPICAL], {})).one("svg", role="img")
    assert picture.attributes["aria-label"] == (
        "Score distribution. 40 to 50 percent: 1 submission; 90 to 100 percent: 1 submission."
    )


def test_a_submission_that_was_not_graded_has_no_score() -> None:
    page = read_page(index_html([FULL, NOT_GRADED], {})).since("table", id="students")
    cells = [td.text for td in page.all("td")]
    assert cells[0] == "20 of 20"
    assert cells[len(cells) // 2] == ""


def test_no_results_make_a_page_too() -> None:
    assert "No results." in read_page(index_html([], {})).text
