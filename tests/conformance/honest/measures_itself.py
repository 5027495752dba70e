# Measures itself: profiles, clocks, time zones, an alarm.
import cProfile
import datetime
import signal
import time
import tracemalloc
import zoneinfo

import torch


def f():
    cProfile.Profile().runcall(abs, 1)
    tracemalloc.start()
    tracemalloc.stop()
    with torch.profiler.profile() as profile:
        torch.ones(3) + 1
    rung = []
    signal.signal(signal.SIGALRM, lambda *_: rung.append(1))
    signal.setitimer(signal.ITIMER_REAL, 0.01)
    time.sleep(0.2)
    zone = zoneinfo.ZoneInfo("Europe/Berlin")
    return (
        rung == [1]
        and len(profile.key_averages()) > 0
        and datetime.datetime.now(zone).tzname() in ("CET", "CEST")
    )
