"""The cohort's page of classes that no statistic was made for, and strangers' words in each of its parts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest

from graders.result import Counterexample, Diagnosis, Result, ShownText, Status, Student
from reports import index_html
from reports.cohort import cohort_of, row_of
from reports.example_line import example_line
from reports.visible_text import visible_text
from tests.reports.hostile_results import HOSTILE
from tests.reports.made_cohorts import BROKEN, SKIPPED, cohort
from tests.reports.page_tags import Page, read_page
from tests.reports.result_maker import passing, result, tensor


def page_of(results: Sequence[Result]) -> Page:
    return read_page(index_html(results, {r.student.id: "reports/x.html" for r in results}))


@pytest.mark.parametrize("size", [1, 2, 9, 10, 40])
@pytest.mark.parametrize(
    "shares",
    [
        {"a": 1.0, "b": 1.0},
        {"a": 0.0, "b": 0.0},
        {"a": BROKEN, "b": BROKEN},
        {"a": 0.0, "b": SKIPPED},
        {"a": 0.5, "b": BROKEN},
        {"only": 1.0},
    ],
)
def test_a_class_that_is_all_alike_has_a_page_without_statistics(
    shares: Mapping[str, float | str], size: int
) -> None:
    page = page_of(cohort({name: [share] * size for name, share in shares.items()}))
    assert len(page.since("table", id="students").all("th", scope="row")) == size
    assert "nan" not in page.text.lower()
    assert "look at this check" not in page.text
    assert ("too few to tell who stands out" in page.text) is (size < 10)
    cells = [" ".join(td.text.split()) for td in page.all("td")]
    assert {"too few to tell", "all did alike", "all did alike elsewhere"} & set(cells)


def test_checks_without_points_are_counted_too() -> None:
    page = page_of(cohort({"a": [1.0] * 6 + [0.0] * 6, "b": [0.0] * 12}, worth={"a": 0.0, "b": 0.0}))
    assert "6 of 12" in page.text


def test_a_class_of_nobody_graded_shows_no_statistics() -> None:
    lost = [r.model_copy(update={"status": Status.NOT_GRADED}) for r in cohort({"a": [1.0] * 12})]
    text = page_of(lost).text
    assert "Needs you" in text
    assert "Difficulty" not in text


def test_two_assignments_in_one_folder_keep_their_checks_apart() -> None:
    other = [
        r.model_copy(update={"student": Student(id=f"other{n}")})
        for n, r in enumerate(cohort({"b": [1.0] * 4 + [0.0] * 7}))
    ]
    tallies = cohort_of(row_of(r) for r in [*cohort({"a": [1.0] * 12}), *other]).checks
    assert [(t.check.title, t.passed, t.judged) for t in tallies] == [
        ("The check a.", 12, 12),
        ("The check b.", 4, 11),
    ]
    assert "0.36 moderate" in page_of([*cohort({"a": [1.0] * 12}), *other]).text


def strangers_class(text: str) -> list[Result]:
    """Ten students called `text`, in two sections, who fail what is called so; one is slow at it."""
    shares = {"good": [1.0] * 5 + [0.0] * 5, "bad": [0.0] * 5 + [1.0] * 5, "rest": [1.0] * 5 + [0.0] * 5}
    slow = {"seconds": 60.0, "cpu_seconds": 30.0, "peak_memory_bytes": 2**33}
    results = cohort(shares, measured={(3, "good"): slow})
    shown = Counterexample(call=text, got=ShownText(text=text), expected=ShownText(text=text + "!"))
    return [
        r.model_copy(
            update={
                "student": Student(id=f"s{n}{text}", name=text, section=f"{n % 2}{text}"),
                "assignment": r.assignment.model_copy(
                    update={"title": text, "exercises": ((r.checks[0].exercise, text),)}
                ),
                "checks": tuple(
                    c.model_copy(
                        update={
                            "title": text,
                            "counterexample": shown,
                            "diagnosis": Diagnosis(variant="v", title=text, section=text),
                        }
                    )
                    for c in r.checks
                ),
            }
        )
        for n, r in enumerate(results)
    ]


@pytest.mark.parametrize("text", HOSTILE)
def test_strangers_words_are_text_in_every_part_of_the_page(text: str) -> None:
    html = index_html(strangers_class("x" + text), {f"s3x{text}": "reports/x.html"})
    plain = index_html(strangers_class("x"), {"s3x": "reports/x.html"})
    page = read_page(html)
    assert page.shape == read_page(plain).shape
    assert visible_text(html) == html
    outliers = page.since("table", class_="outliers")
    assert [td.text for td in outliers.all("td")[:3:2]] == ["Time", "20 ms"]
    assert page.all("optgroup")
    assert page.all("select", id="section")


@pytest.mark.parametrize(
    ("got", "expected", "line"),
    [
        (
            tensor([[1.0, 2.5]], marked=(1,)),
            tensor([[1.0, 2.0]]),
            "`f(x)` gives 2.5000 at [0, 1], not 2.0000",
        ),
        (
            tensor([True], dtype="bool", marked=(0,)),
            tensor([False], dtype="bool"),
            "`f(x)` gives True, not False",
        ),
        (tensor([1.0]), tensor([[1.0]]), "`f(x)` has shape (1,), not (1, 1)"),
        (tensor([1.0], dtype="float32"), tensor([1.0]), "`f(x)` is float32, not float64"),
        (tensor([1.0]), tensor([1.0]), "`f(x)` gives a tensor of shape (1,), not a tensor of shape (1,)"),
        (ShownText(text="None"), tensor([1.0]), "`f(x)` gives None, not a tensor of shape (1,)"),
        (
            tensor([], marked=(0, 7, -1)),
            tensor([]),
            "`f(x)` gives a tensor of shape (0,), not a tensor of shape (0,)",
        ),
        (None, tensor([1.0]), "It differs."),
    ],
)
def test_an_example_is_one_line(got: ShownText | None, expected: ShownText, line: str) -> None:
    case = Counterexample(call="f(x)", got=got, expected=expected)
    failing = {"verdict": "failed", "message": "It\ndiffers.", "counterexample": case}
    check = next(c for c in passing(test_values=failing) if c.verdict == "failed")
    assert example_line(check) == line


def test_the_example_of_a_misunderstanding_shows_it_and_little_else() -> None:
    def failing(*titles: str, counterexample: bool = True) -> dict[str, object]:
        case = Counterexample(call="f(x)", got=ShownText(text="1"), expected=ShownText(text="2"))
        first, *others = [Diagnosis(variant=title, title=title) for title in titles]
        return {
            "verdict": "failed",
            "diagnosis": first.model_copy(update={"also": tuple(others)}),
            "counterexample": case if counterexample else None,
        }

    students = [
        result("both", "Both", checks=passing(test_values=failing("scaling", "softmax"))),
        result("unseen", "Unseen", checks=passing(test_shapes=failing("scaling", counterexample=False))),
        result("clear", "Clear", checks=passing(test_mask_blocks=failing("scaling"))),
    ]
    found = {m.title: m for m in cohort_of(map(row_of, students)).misunderstandings}
    assert (found["scaling"].example.student_id, found["scaling"].count) == ("clear", 3)
    assert found["softmax"].example.student_id == "both"
    page = read_page(index_html(students, {"clear": "reports/clear.html"}))
    assert any(a.attributes["href"] == "reports/clear.html#check-3" for a in page.all("a"))
    assert "example of scaling: f(x) gives 1, not 2" in page.text


def test_what_a_report_does_not_show_is_not_linked_to() -> None:
    from reports.index_page import rows_html

    case = {
        "verdict": "failed",
        "visibility": "after_due",
        "diagnosis": Diagnosis(variant="v", title="scaling"),
    }
    rows = [row_of(result("ada", "Ada", checks=passing(test_values=case)))]
    links = {"ada": "reports/ada.html"}
    assert "ada.html#" not in rows_html(rows, links)
    assert "ada.html#check-2" in rows_html(rows, links, after_due=True)
    assert "ada.html#check-2" in rows_html(rows, links, audience="instructor")
