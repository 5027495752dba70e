"""LTI 1.3 Advantage, the tool's side: launches, keys, grades, rosters. Knows nothing of Django or grading."""
