# Never returns: a loop in Python that catches everything.
def attempt():
    while True:
        try:
            while True:
                pass
        except BaseException:
            pass
