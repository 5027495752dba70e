# Crashes by the means that Python has for it, after asking for the stack of all threads to be written out.
# kind: resources
# verdicts: failed|crashed
# says: Wrong type for the output: None came; a tensor was expected. || The process that ran your code crashed (SIGSEGV), in code outside Python.
import faulthandler

faulthandler.enable()


def pool(hidden, padding):
    faulthandler._sigsegv()
