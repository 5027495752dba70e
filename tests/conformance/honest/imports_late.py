# Imports only when it is called, also what nothing before it has imported, and looks where it lies.
import os


def f():
    import sqlite3
    import wsgiref.simple_server
    import xml.dom.minidom

    import numpy.testing

    modules = (sqlite3, wsgiref, xml.dom.minidom, numpy.testing)
    return all(os.listdir(os.path.dirname(one.__file__)) for one in modules)
