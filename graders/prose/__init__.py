"""Prose: what students write in words, found and kept exactly as written, for a person to judge.

Reading only: nothing of a submission is run here, and nothing is understood.
"""
