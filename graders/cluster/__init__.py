"""The engine `celery`: the jobs of a cohort run, graded by workers on other machines.

    main process ── dispatcher ══ broker ══ worker ── seat ── sandbox

The dispatcher stands where the pool does in a local run and says the same to the main process. Nothing here
imports Celery before it is needed, and nothing elsewhere imports it at all.
"""
