# Prints without end, without a newline, in binary, to both streams.
# kind: resources
# verdicts: output
# says: Your code was stopped: it printed more than 1 MiB of output.
import os


def pool(hidden, padding):
    while True:
        os.write(1, b"\xff\x00<script>" * 1000)
        os.write(2, b"x" * 10000)
