"""Everything in the repository that is generated: what it should be, and `--renew` to make it so.

`python -m tests.golden` lists the files that differ; with `--renew` it writes them. Read the diff.
"""
