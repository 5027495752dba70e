"""What the pictures of a check hold, and what they say in words."""

import torch

from graders import attention_map, batches_picture, influence_map, moved_by


def changed(x, position):
    other = x.clone()
    other[position] += 1.0
    return other


def running_sum(batch):
    return batch.cumsum(1)


def test_moved_by_finds_that_a_running_sum_moves_only_what_follows():
    x = torch.arange(8, dtype=torch.float64).view(4, 2)
    assert torch.equal(moved_by(running_sum, x, changed), torch.ones(4, 4, dtype=torch.bool).tril())


def test_moved_by_sees_one_leaking_position():
    def leaky(batch):
        out = batch.cumsum(1)
        out[:, 1] += batch[:, 3]
        return out

    wanted = torch.ones(4, 4, dtype=torch.bool).tril()
    wanted[1, 3] = True
    assert torch.equal(moved_by(leaky, torch.ones(4, 2, dtype=torch.float64), changed), wanted)


def test_a_nan_that_comes_with_a_change_counts_as_moved():
    def breaks(batch):
        out = batch.clone()
        out[batch[:, :, 0] > 1] = float("nan")
        return out

    moved = moved_by(breaks, torch.ones(2, 1, dtype=torch.float64), changed)
    assert moved.tolist() == [[True, False], [False, True]]


def test_an_influence_map_marks_and_names_both_kinds_of_fault():
    moved = torch.tensor([[True, True], [False, True]])
    picture = influence_map(moved, torch.ones(2, 2).tril())
    assert picture.got == ((1.0, 1.0), (0.0, 1.0))
    assert picture.expected == ((1.0, 0.0), (1.0, 1.0))
    assert picture.marked == ((0, 1), (1, 0))
    assert picture.alt == (
        "Target 0 is moved by source 1, and must not be. Target 1 is not moved by source 0, and should be."
    )


def test_many_faults_are_counted_not_listed():
    picture = influence_map(torch.ones(5, 5), torch.eye(5))
    assert picture.alt.endswith(" And 17 more.")


def test_an_influence_map_without_fault_says_so():
    picture = influence_map(torch.eye(3), torch.eye(3))
    assert picture.marked == ()
    assert picture.alt == "Every target is moved by just the sources that may move it."


def test_an_attention_map_marks_weight_on_what_is_blocked():
    weights = torch.tensor([[0.75, 0.25], [0.5, 0.5]])
    picture = attention_map(weights, blocked=torch.tensor([[False, True], [False, False]]))
    assert picture.marked == ((0, 1),)
    assert picture.alt == "Target 0 gives source 1 the weight 0.25; 0 was expected."


def test_an_attention_map_says_where_each_target_looks():
    picture = attention_map(torch.tensor([[0.75, 0.25], [0.1, 0.9]]))
    assert picture.alt == (
        "Target 0 attends most to source 0 (0.75); target 1 attends most to source 1 (0.90)."
    )


def test_weights_that_are_no_weights_can_be_drawn_all_the_same():
    picture = attention_map(torch.tensor([[float("nan"), -3.0], [float("inf"), 2.0]]))
    assert picture.got == ((1.0, 0.0), (1.0, 1.0))


def test_batches_say_how_much_is_padding():
    # 2 · 4 and 2 · 4 are computed, 4 + 2 and 4 + 4 are real: 2 of 16 are padding.
    picture = batches_picture([[4, 2], [4, 4]], [[4, 4], [4, 2]], beside_title="shuffled")
    assert picture.alt == "12% of what is computed is padding; shuffled: 12%."
    assert picture.batches == ((4, 2), (4, 4))


def test_no_batches_have_no_padding():
    assert batches_picture([]).alt == "0% of what is computed is padding."
