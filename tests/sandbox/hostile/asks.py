# Asks for input that nobody can give.
def attempt():
    return input("name? ")
