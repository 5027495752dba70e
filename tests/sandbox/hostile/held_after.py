# Keeps what a check handed to one call, and calls it during the next, from a thread, and in between.
import threading
import time

kept = []
heard = []


def attempt(model, x):
    kept.append(model)
    threading.Thread(target=later, args=(model, x), daemon=True).start()
    return model(x)


def later(model, x):
    while True:
        time.sleep(0.01)
        try:
            heard.append(model(x))
        except RuntimeError as error:
            heard.append(str(error))


def again(x):
    time.sleep(0.1)
    try:
        return kept[0](x)
    except RuntimeError as error:
        return str(error), heard[-1]


def with_another(model, x):
    try:
        return kept[0](x)
    except RuntimeError as error:
        return str(error)
