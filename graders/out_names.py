"""What is called how in OUT, the folder of a cohort run, said once. Imports nothing.

OUT/run.json                  what the run was asked to do, and how far it came
OUT/results/                  a Result for each student
OUT/attempts/                 Results of attempts of which another counts
OUT/reports/                  a page and a text for each student
OUT/index.html, grades.csv    about the cohort
OUT/marks.json, adjustments.json    what people decided
OUT/regrade/                  a regrade that does not count yet: the same, regrade.json and what changes
OUT/history/                  what counted before, each with a note
OUT/cluster.jsonl             what is left with workers, while a run goes on
"""

from __future__ import annotations

RUN_FILE = "run.json"
RESULTS = "results"
ATTEMPTS = "attempts"
REPORTS = "reports"
INDEX_PAGE, GRADES_CSV = PAGES = ("index.html", "grades.csv")
MARKS_FILE, ADJUSTMENTS_FILE = DECIDED = ("marks.json", "adjustments.json")

REGRADE = "regrade"
REGRADE_FILE = "regrade.json"
ACCEPT_FILE = "accept.json"
CHANGES_PAGE, CHANGES_CSV = "changes.html", "changes.csv"

HISTORY = "history"
NOTE_FILE = "note.json"
CLUSTER_FILE = "cluster.jsonl"

RUN = (RUN_FILE, RESULTS, ATTEMPTS, REPORTS, *PAGES)  # all that a run writes
COUNTED = (RESULTS, ATTEMPTS, REPORTS, *PAGES, RUN_FILE)  # the same as it is replaced: run.json last
KEPT = (*COUNTED, *DECIDED)  # what the history keeps
