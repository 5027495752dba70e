# Opens windows, a browser and a debugger.
# kind: resources
# verdicts: error
# says: BdbQuit
import webbrowser

gained = webbrowser.open("http://127.0.0.1/")
try:
    import tkinter

    tkinter.Tk()
    gained = True
except Exception:
    pass


def pool(hidden, padding):
    assert not gained
    breakpoint()
