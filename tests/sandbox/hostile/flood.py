# Prints without end, without a newline, to both streams.
import os


def attempt():
    while True:
        os.write(1, b"\xff\x00<script>" * 1000)
        os.write(2, b"x" * 10000)
