"""Packages for other autograders: an assignment goes out, and is graded there by the same checks.

`export` writes the packages on an instructor's machine; the modules `at_…` run inside, where a package has
been taken. Knows nothing of the portal.
"""
