def check_shift(shift):
    pass
