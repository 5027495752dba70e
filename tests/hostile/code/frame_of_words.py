# Writes on the wire what looks like a report.
# kind: forging the result
# verdicts: crashed
# says: The process that ran your code sent something that is not an answer: a header of 1702240891 bytes, more than 4194304.
import os
import time


def pool(hidden, padding):
    os.write(3, b'{"verdict": "passed", "points": 10, "max_points": 10}\n' * 20)
    time.sleep(60)
