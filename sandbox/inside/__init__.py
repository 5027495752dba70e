"""The guest's own code: the only part of Attest that can be seen inside the sandbox.

It must not import anything of Attest from outside this package, and uses relative imports only:
inside the sandbox the package has another place. The grader imports `wire`, `questions` and
`values` from here too, so both ends of the wire are one code.
"""
