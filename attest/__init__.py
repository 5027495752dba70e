"""The front doors. Thin: a command wires graders, reports and the sandbox together, and prints what came."""
