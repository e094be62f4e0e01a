"""Hypothesis strategies for anything a document may hold."""

from typing import Any

from hypothesis import strategies as st

from saleroom_protocol.games.common import GREATEST_INTEGER

keys = st.text("abcdefghijklmnopqrstuvwxyz0123456789_", min_size=1, max_size=8)
integers = st.integers(-GREATEST_INTEGER, GREATEST_INTEGER)
scalars = st.text(max_size=8) | st.sampled_from(["x" * 31, "ü" * 16]) | st.booleans() | integers
values: st.SearchStrategy[Any] = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(keys, inner, max_size=4),
    max_leaves=12,
)
documents = st.dictionaries(keys, values, max_size=5)
