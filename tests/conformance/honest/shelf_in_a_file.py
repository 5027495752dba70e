# Keeps objects in a shelf.
import shelve


def f():
    with shelve.open("shelf") as shelf:
        shelf["a"] = [1, 2]
    with shelve.open("shelf") as shelf:
        return shelf["a"] == [1, 2]
