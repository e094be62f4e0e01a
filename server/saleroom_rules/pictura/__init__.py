"""Museum Pictura, as written down in PROTOCOL.md: its rules are cited by their ids there.

`game` dispatches to the module of the open window: `keep_trend`, `trade`, `action`, `bonus_space`,
`keep_two`, `discard` or `arrange_final`. Three more hold what `action` chooses from, `improve`,
`exhibition` and `inventory`; `extras` what goes beside trade and action, `favours` and `patrons`.
`deal` comes before the first window, `turn` between two turns, `scoring` after the last window.

All share what changes a state (`trading`, `hanging`, `arranging`, `decks`, `points`, `sealed`) and
what knows of none (`cards`, which reads the data; `board`; `museum`, an arrangement and its worth).
`state` has the values themselves; `table` and `telling` say who sees what of them.
"""
