"""Answers that say the same are proposed as groups; a grader marks as many of them at once as they like."""

from __future__ import annotations

import itertools
import random
import time
from collections.abc import Iterable, Mapping

import pytest

from attest.portal.audit.models import Entry
from attest.portal.marking import alike, grouping
from attest.portal.marking.models import Mark
from attest.portal.people.models import Person
from tests.portal.prose import WHEN, WHY, answer_of, classmates, level, send, write
from tests.portal.said_alike import HELD, TUNED, Question
from tests.portal.school import School

SAME = ("It is added to itself.", "it is *added*  to itself", "It is added to itself!", "It is a square.")


def measured(questions: Iterable[Question]) -> tuple[float, float]:
    """Precision and recall over pairs: of those grouped together, and of those that say the same."""
    right = wrong = missed = 0
    for question in questions:
        said = [number for number, group in enumerate(question) for _ in group]
        groups = grouping.groups_of([text for group in question for text in group])
        place = {one: number for number, group in enumerate(groups) for one in group}
        for first, second in itertools.combinations(range(len(said)), 2):
            together = first in place and place[first] == place.get(second)
            right += together and said[first] == said[second]
            wrong += together and said[first] != said[second]
            missed += not together and said[first] == said[second]
    return right / (right + wrong), right / (right + missed)


@pytest.mark.parametrize(("questions", "precision", "recall"), [(TUNED, 0.85, 0.55), (HELD, 0.85, 0.75)])
def test_groups_hold_what_says_the_same(
    questions: Mapping[str, Question], precision: float, recall: float
) -> None:
    pytest.importorskip("sklearn")

    found = measured(questions.values())

    assert found[0] >= precision
    assert found[1] >= recall


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The shape is (8, 32, 32).", "The shape is (32, 8, 32)."),
        ("The padding must be skipped.", "The padding must not be skipped."),
        ("Every row of the weights sums to one.", "Every column of the weights sums to one."),
        ("The queries are masked, not the keys.", "The keys are masked, not the queries."),
        ("It has 3 heads of 4 features.", "It has 4 heads of 3 features."),
    ],
)
def test_an_answer_and_its_opposite_are_in_no_group(one: str, other: str) -> None:
    assert grouping.groups_of([one, other]) == []


def test_the_same_words_are_one_group_without_any_library(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(grouping, "can_compare", lambda: False)
    grouping._groups.cache_clear()

    assert grouping.groups_of(["", *SAME, "", "Another."]) == [[1, 2, 3]]
    grouping._groups.cache_clear()


def test_commas_and_the_like_make_no_other_words(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = ("The mask says so. Pooling is enough.", "the mask, says so; pooling is enough!", "(8, 32) not 8")
    for compares in (False, grouping.can_compare()):
        monkeypatch.setattr(grouping, "can_compare", lambda compares=compares: compares)
        grouping._groups.cache_clear()
        assert grouping.groups_of(texts) == [[0, 1]]


def test_five_hundred_answers_are_grouped_within_seconds() -> None:
    pytest.importorskip("sklearn")
    chance = random.Random(1)
    base = [text for question in TUNED.values() for group in question for text in group]
    words = sorted({word for text in base for word in text.split()})
    texts = [f"{chance.choice(base)} {' '.join(chance.choices(words, k=12))}" for _ in range(500)]
    grouping.groups_of(["one answer", "another answer"])  # the library is loaded

    began = time.process_time()
    grouping.groups_of(texts)

    assert time.process_time() - began < 10


@pytest.fixture
def people(school: School) -> list[Person]:
    """Four students, of whom three say the same."""
    people = classmates(school, 4)
    for person, words in zip(people, SAME, strict=True):
        write(school, person, words)
    return people


def mark(school: School, people: Iterable[Person], **fields: object) -> str:
    keys = [answer_of(person).key for person in people]
    sent = {f"level {WHY}": str(level(WHY, 2).pk), f"words {WHY}": "Well said.", "answers": keys, **fields}
    path = f"/assignments/{school.assignment.pk}/marking/of/doubling/alike/"
    return school.browser(school.grader).post(path, sent, follow=True).content.decode()


def test_a_group_is_marked_at_once_without_what_was_taken_out(school: School, people: list[Person]) -> None:
    browser = school.browser(school.grader)
    path = f"/assignments/{school.assignment.pk}/marking/of/doubling/alike/"
    assert "3 answers" in browser.get(path).content.decode()
    group = browser.get(path, {"of": answer_of(people[1]).key}).content.decode()
    assert [answer_of(person).key in group for person in people] == [True, True, True, False]

    told = mark(school, people[:2], **{f"level {WHEN}": str(level(WHEN, 1).pk)})

    assert "2 answers are marked." in told
    given = Mark.objects.order_by("answer", "item").values_list("answer__person", "item", "points", "words")
    assert list(given) == [
        row for one in people[:2] for row in ((one.pk, WHEN, 1, ""), (one.pk, WHY, 2, "Well said."))
    ]
    assert Entry.objects.filter(action="answer marked").count() == 4


def test_what_is_marked_already_stays_as_it_is(school: School, people: list[Person]) -> None:
    send(school, school.instructor, answer_of(people[0]), WHY, 0)

    told = mark(school, people[:3])

    assert "2 answers are marked." in told
    assert "1 answer was marked" in told
    assert Mark.objects.get(answer__person=people[0]).points == 0


def test_what_is_marked_while_a_group_is_sent_is_not_written_over(
    school: School, people: list[Person], monkeypatch: pytest.MonkeyPatch
) -> None:
    keep = alike.save

    def quicker(*arguments: object, **options: object) -> object:
        if not Mark.objects.exists():
            send(school, school.instructor, answer_of(people[0]), WHY, 0)
        return keep(*arguments, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(alike, "save", quicker)

    assert "1 answer was marked" in mark(school, people[:1])
    assert Mark.objects.get().points == 0


@pytest.mark.parametrize("fields", [{"answers": []}, {f"level {WHY}": ""}, {f"level {WHY}": "999999"}])
def test_without_answers_or_points_nothing_is_marked(
    school: School, people: list[Person], fields: dict[str, object]
) -> None:
    mark(school, people[:2], **fields)

    assert not Mark.objects.exists()


def test_where_the_library_is_missing_the_page_says_what_to_install(
    school: School, people: list[Person], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(alike, "can_compare", lambda: False)
    path = f"/assignments/{school.assignment.pk}/marking/of/doubling/alike/"

    text = school.browser(school.grader).get(path).content.decode()

    assert "pip install '.[marking]'" in text
    assert "3 answers" in text
