# Prints more than is kept, and less than a flood.
def attempt():
    for number in range(2000):
        print("line", number)
    return "done"
