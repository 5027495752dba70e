"""How long Attest takes for a submission, beside bare calls, a fresh Python, nbgrader and otter-grader."""
