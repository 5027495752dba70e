"""What pages keep of platforms, when a class comes at once to a portal that was just started."""

from __future__ import annotations

import threading
import time

from attest.portal.lms.reaching import Once


def test_what_all_need_at_once_is_made_once() -> None:
    made: list[object] = []

    def make() -> object:
        time.sleep(0.1)
        made.append(object())
        return made[-1]

    kept = Once(make)
    found: list[object] = []
    threads = [threading.Thread(target=lambda: found.append(kept())) for _ in range(10)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(made) == 1
    assert found == made * 10
    kept.cache_clear()
    kept()
    assert len(made) == 2
