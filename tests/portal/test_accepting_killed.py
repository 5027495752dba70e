"""Who is killed while a class is accepted leaves each student old or new, and does it once."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tests.portal.running import SETTINGS, new_database, rows_in, wait_for

STUDENTS = 60
POINTS = "select points from grading_graded where stands order by submission_id"
ACCEPTED = "select count(*) from regrading_regradedattempt where decision = 'accepted'"
NOTED = "select whom from audit_entry where action = 'regrade accepted' and whom is not null"
EXPIRE = "update errands_errand set lease_until = '2000-01-01 00:00:00' where state = 'running'"


def start(data: Path, database: dict[str, str], *words: str) -> subprocess.Popen[bytes]:
    kept = {name: value for name, value in os.environ.items() if name not in SETTINGS}
    return subprocess.Popen(
        [sys.executable, "-m", "tests.portal.accepted", str(data), *words],
        cwd=Path(__file__).parents[2],
        env={**kept, **database},
        stdin=subprocess.DEVNULL,
    )


def test_each_student_is_as_before_or_as_accepted_and_all_are_in_the_end(
    tmp_path: Path, doubling_folder: Path
) -> None:
    data, database = tmp_path / "data", new_database()
    assert start(data, database, str(doubling_folder), str(STUDENTS)).wait(300) == 0

    def found(query: str) -> list[int]:
        return [one for (one,) in rows_in(data, database, query)]

    before = 0
    for _ in range(2):  # killed twice; the third time it is the last try
        process = start(data, database)
        wait_for(lambda: found(ACCEPTED)[0] > before + 3, 120)  # noqa: B023 - it is called here
        process.kill()
        process.wait()
        points = found(POINTS)
        assert len(points) == STUDENTS
        assert set(points) == {0, 3}
        assert before < points.count(3) == found(ACCEPTED)[0] == len(found(NOTED)) < STUDENTS
        before = points.count(3)
        rows_in(data, database, EXPIRE)

    assert start(data, database).wait(300) == 0

    assert found(POINTS) == [3] * STUDENTS
    assert found(ACCEPTED) == [STUDENTS]
    assert len(set(found(NOTED))) == len(found(NOTED)) == STUDENTS
    assert found("select count(*) from regrading_regrade where settled_at is not null") == [1]
    assert rows_in(data, database, "select state, tries from errands_errand") == [("done", 3)]
