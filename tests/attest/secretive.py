"""An assignment that holds a secret in every place that students must not see."""

from __future__ import annotations

from pathlib import Path

# One per kind of hidden thing, each found nowhere else.
SECRETS = {
    "tests/test_hidden.py": "violet_heron",
    "tests/models.py": "amber_otter",
    "solution/thing.py": "scarlet_newt",
    "variants/wrong.py": "copper_wren",
    "accepted/odd.py": "silver_moth",
    "guidance": "golden_vole",
    "variant title": "crimson_lark swapped for another",
    "accepted title": "cobalt_finch in place of a loop",
}

TOML = f"""
schema = 1
id = "thing"
title = "A thing"
version = "1.0"
points = 5
names = ["thing"]
files = ["thing.py"]

[prose]
headings = ["Why"]

[rubric.why]
title = "Says why"
points = 2
guidance = "{SECRETS["guidance"]}"

[variants.wrong]
title = "{SECRETS["variant title"]}"
loses = ["test_thing"]

[accepted.odd]
title = "{SECRETS["accepted title"]}"
"""

SOLUTION = f"""
def thing():
    ### BEGIN SOLUTION
    {SECRETS["solution/thing.py"]} = 3
    return {SECRETS["solution/thing.py"]}
    ### END SOLUTION
"""

PUBLIC = '''
from graders import points, same


@points(1)
def test_thing(student):
    """thing() is 3."""
    same(student.thing(), 3)
'''


def write_secretive(folder: Path) -> Path:
    """Write it."""
    files = {
        "assignment.toml": TOML,
        "handout.md": "# A thing\n\nWrite `thing()`, which returns 3.\n",
        "solution/thing.py": SOLUTION,
        "tests/test_public.py": PUBLIC,
        "tests/test_hidden.py": PUBLIC.replace(
            "test_thing", "test_" + SECRETS["tests/test_hidden.py"]
        ).replace("(1)", "(2)"),
        "tests/models.py": f"{SECRETS['tests/models.py']} = 1\n",
        "variants/wrong.py": f"def thing():\n    {SECRETS['variants/wrong.py']} = 4\n",
        "accepted/odd.py": f"def thing():\n    {SECRETS['accepted/odd.py']} = 4\n    return 3\n",
    }
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return folder
