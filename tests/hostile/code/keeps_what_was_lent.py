# Keeps what was lent to one call and uses it in the next, to compare both.
# kind: fooling the comparison
# exercise: telling
# verdicts: failed
# says: Your test let pass: x.
kept = []


def check_shift(shift):
    kept.append(shift)
    answers = set()
    for one in kept:
        try:
            answers.add(float(one(0)))
        except RuntimeError:
            pass
    assert len(answers) < 2
