# Writes a log that is begun anew when it is long.
import logging
import logging.handlers
import os


def f():
    handler = logging.handlers.RotatingFileHandler("training.log", maxBytes=20, backupCount=2)
    log = logging.getLogger("training")
    log.addHandler(handler)
    for _ in range(4):
        log.error("the loss is not a number")
    return os.path.exists("training.log.2")
