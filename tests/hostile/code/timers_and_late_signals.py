# Arms timers of every kind that go off long after the call, in the next questions.
# kind: resources
# verdicts: crashed|error|passed crashed|error|passed|skipped crashed|error|passed|skipped crashed|error|passed|skipped
# says: …
import signal
import threading


def pool(hidden, padding):
    signal.signal(signal.SIGALRM, lambda *_: (_ for _ in ()).throw(SystemExit("late")))
    signal.setitimer(signal.ITIMER_REAL, 0.002, 0.002)
    threading.Timer(0.001, lambda: None).start()
    real = (~padding).unsqueeze(-1).to(hidden.dtype)
    return (hidden * real).sum(1) / real.sum(1)
