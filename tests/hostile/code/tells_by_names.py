# Tells what it was lent by names, texts and exceptions, without calling it for an answer.
# kind: reading what is hidden
# exercise: telling
# verdicts: failed
# says: Your test let pass: x.


def check_shift(shift):
    found = [repr(shift), str(shift), getattr(shift, "__name__", ""), getattr(shift, "__doc__", "") or ""]
    found += [str(getattr(shift, name, "")) for name in dir(shift)]
    try:
        shift("text", 1, 2, 3)
    except Exception as error:
        found.append(f"{error} {error.__traceback__.tb_frame.f_locals}")
    assert "x + 1" not in " ".join(found), "found by name"
    assert "lambda" not in " ".join(found)
