"""Pictures as shapes: every cell at its place, every fault with a frame and a sign."""

import pytest

from graders.result import BatchesPicture, MapPicture
from reports import student_html, student_markdown
from reports.drawings import CELL, LEFT, TOP, drawing
from tests.reports.page_tags import read_page
from tests.reports.result_maker import passing, result

LEAK = MapPicture(
    title="Which source moves which target",
    alt="Target 0 is moved by source 1, and must not be.",
    got=((1.0, 1.0), (1.0, 1.0)),
    expected=((1.0, 0.0), (1.0, 1.0)),
    marked=((0, 1),),
)
WEIGHTS = MapPicture(title="Weights", alt="…", got=((0.25, 0.75), (0.001, 0.999)), numbers=True)
BATCHES = BatchesPicture(
    title="Padding", alt="25% is padding.", batches=((4, 2),), beside=((4, 1), (2,)), beside_title="shuffled"
)


def test_a_map_has_what_came_and_what_was_expected_side_by_side():
    came, expected = drawing(LEAK).maps
    assert (came.title, expected.title) == ("What came", "What was expected")
    assert [cell.shade > 0 for cell in came.cells] == [True, True, True, True]
    assert [cell.shade > 0 for cell in expected.cells] == [True, False, True, True]


def test_a_cell_lies_at_its_row_and_column():
    came = drawing(LEAK).maps[0]
    fault = next(cell for cell in came.cells if cell.marked)
    assert (fault.x, fault.y) == (LEFT + CELL, TOP)


def test_weights_are_written_short_and_never_as_what_they_are_not():
    (panel,) = drawing(WEIGHTS).maps
    assert [cell.text for cell in panel.cells] == [".25", ".75", "<.01", ">.99"]


def test_bars_share_one_scale_and_padding_ends_at_the_longest():
    own, beside = drawing(BATCHES).bars
    assert [(bar.tokens, bar.padding) for bar in own.bars] == [(280.0, 0.0), (140.0, 140.0)]
    assert [(bar.tokens, bar.padding) for bar in beside.bars] == [(280.0, 0.0), (70.0, 210.0), (140.0, 0.0)]


def test_a_picture_without_cells_is_still_a_picture():
    assert drawing(MapPicture(title="t", alt="a", got=())).maps[0].cells == ()
    assert drawing(BatchesPicture(title="t", alt="a", batches=())).bars[0].bars == ()


@pytest.mark.parametrize("picture", [LEAK, WEIGHTS, BATCHES])
def test_a_page_holds_the_picture_inline_with_its_words(picture):
    page = student_html(result("ada", "", checks=passing(test_padding_is_inert={"pictures": (picture,)})))
    drawn = [svg for svg in read_page(page).all("svg") if svg.attributes.get("role") == "img"]
    assert [svg.attributes["aria-label"] for svg in drawn] == [picture.alt]


def test_the_words_stand_where_no_picture_can():
    text = student_markdown(result("ada", "", checks=passing(test_padding_is_inert={"pictures": (LEAK,)})))
    assert "Target 0 is moved by source 1, and must not be." in text
