"""The portal: a Django project that imports graders and reports, and that nothing imports.

One app for each thing that people do: `people` sign in, `courses` are set up, work is taken in by
`handing_in`, `grading` runs the queue and keeps what came of it, `audit` remembers who changed what.
"""
