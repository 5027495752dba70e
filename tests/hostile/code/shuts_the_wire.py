# Shuts the wire for reading, so that the grader's next question meets a broken pipe.
# kind: forging the result
# verdicts: crashed
# says: The process that ran your code closed its connection to the grader.
import os
import socket
import time


def pool(hidden, padding):
    socket.socket(fileno=os.dup(3)).shutdown(socket.SHUT_RDWR)
    time.sleep(60)
