"""Merge patches: RFC 7396 as written, and the exact difference of maps and structs."""

import copy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import UNSET, Struct, UnsetType, convert, field, msgpack, to_builtins

from saleroom_protocol.canonical import canonical
from saleroom_protocol.patch import apply, diff
from tests.golden.vectors import PATCHES
from tests.support.documents import documents, keys, values


class Work(Struct, frozen=True, omit_defaults=True, kw_only=True):
    title: str
    holder: int | UnsetType = UNSET
    from_: str | UnsetType = field(name="from", default=UNSET)


class Sold(Struct, frozen=True, tag_field="event", tag="sold", omit_defaults=True):
    seat: int
    price: int | UnsetType = UNSET


class Passed(Struct, frozen=True, tag_field="event", tag="passed", omit_defaults=True):
    seat: int
    why: str | UnsetType = UNSET


class Room(Struct, frozen=True, kw_only=True):
    works: dict[str, Work]
    order: tuple[Work, ...] = ()
    last: Sold | Passed | UnsetType = UNSET
    facts: dict[str, Any] | UnsetType = UNSET
    open_: bool | int = field(name="open", default=False)


def plain(value: Any) -> Any:
    """Return a value as the maps and lists it is written as."""
    return to_builtins(value)


def again(value: Any) -> Any:
    """Return a copy that shares not even its strings and numbers."""
    return msgpack.decode(msgpack.encode(value))


def assert_turns(old: Any, new: Any) -> dict[str, Any]:
    """Assert that the difference turns one map into the other; return it as it is sent."""
    patch: dict[str, Any] = to_builtins(diff(old, new))
    assert canonical(apply(plain(old), patch)) == canonical(plain(new))
    return patch


# RFC 7396, appendix A


@pytest.mark.parametrize(("original", "patch", "result"), PATCHES)
def test_the_examples_of_rfc_7396_hold(original: Any, patch: Any, result: Any) -> None:
    assert apply(original, patch) == result


def test_the_example_of_rfc_7396_section_3_holds() -> None:
    original = {
        "title": "Goodbye!",
        "author": {"givenName": "John", "familyName": "Doe"},
        "tags": ["example", "sample"],
        "content": "This will be unchanged",
    }
    patch = {
        "title": "Hello!",
        "phoneNumber": "+01-123-456-7890",
        "author": {"familyName": None},
        "tags": ["example"],
    }
    assert apply(original, patch) == {
        "title": "Hello!",
        "author": {"givenName": "John"},
        "tags": ["example"],
        "content": "This will be unchanged",
        "phoneNumber": "+01-123-456-7890",
    }


@given(values, documents)
def test_apply_changes_neither_input(target: Any, patch: dict[str, Any]) -> None:
    kept_target, kept_patch = copy.deepcopy(target), copy.deepcopy(patch)
    apply(target, patch)
    assert canonical(target) == canonical(kept_target)
    assert canonical(patch) == canonical(kept_patch)


def test_apply_does_not_change_the_maps_it_goes_into() -> None:
    target = {"a": {"b": {"c": 1, "d": 2}}, "e": {"f": 1}}
    patch = {"a": {"b": {"c": None, "g": {"h": None}}}}
    kept = copy.deepcopy((target, patch))
    assert apply(target, patch) == {"a": {"b": {"d": 2, "g": {}}}, "e": {"f": 1}}
    assert (target, patch) == kept


def test_apply_shares_what_it_leaves_alone() -> None:
    target = {"a": {"b": 1}, "c": 2}
    assert apply(target, {"c": 3})["a"] is target["a"]


# Differences of plain maps


@st.composite
def neighbours(draw: st.DrawFn) -> tuple[dict[str, Any], dict[str, Any]]:
    """Draw a document and a copy of it with a few changes somewhere within."""
    old = draw(documents)
    new: dict[str, Any] = again(old)
    for _ in range(draw(st.integers(1, 3))):
        _change(draw, new)
    return old, new


def _change(draw: st.DrawFn, document: dict[str, Any]) -> None:
    inner = [value for value in document.values() if isinstance(value, dict | list) and value]
    if draw(st.booleans()) and inner:
        chosen: Any = draw(st.sampled_from(inner))
        if isinstance(chosen, dict):
            _change(draw, chosen)
        else:
            chosen[draw(st.integers(0, len(chosen) - 1))] = draw(values)
    elif draw(st.booleans()) and document:
        del document[draw(st.sampled_from(sorted(document)))]
    else:
        document[draw(st.sampled_from(sorted(document)) if document else keys)] = draw(values)


def no_more_than_needed(old: dict[str, Any], patch: dict[str, Any]) -> bool:
    """Tell whether every entry of a patch changes something."""
    for key, value in patch.items():
        if key not in old:
            if value is None:
                return False
        elif isinstance(old[key], dict) and isinstance(value, dict):
            if not value or not no_more_than_needed(old[key], value):
                return False
        elif value is not None and canonical(old[key]) == canonical(value):
            return False
    return True


@given(documents, documents)
def test_a_difference_turns_one_document_into_another(
    old: dict[str, Any], new: dict[str, Any]
) -> None:
    assert_turns(old, new)


@given(neighbours())
def test_a_small_difference_turns_one_document_into_another(
    pair: tuple[dict[str, Any], dict[str, Any]],
) -> None:
    assert_turns(*pair)


@given(neighbours())
def test_a_difference_says_no_more_than_it_must(
    pair: tuple[dict[str, Any], dict[str, Any]],
) -> None:
    old, new = pair
    assert no_more_than_needed(old, diff(old, new))


@given(documents)
def test_a_document_does_not_differ_from_itself(document: dict[str, Any]) -> None:
    assert diff(document, document) == {}
    assert diff(document, again(document)) == {}


def test_equal_strings_and_numbers_need_not_be_the_same_object() -> None:
    document = {"a": "Nanna", "b": 2**40, "c": ["Nanna", {"d": -(2**40)}], "e": {"f": "Nanna"}}
    assert diff(document, again(document)) == {}


@given(neighbours())
def test_diff_changes_neither_input(pair: tuple[dict[str, Any], dict[str, Any]]) -> None:
    kept = copy.deepcopy(pair)
    diff(*pair)
    assert [canonical(each) for each in pair] == [canonical(each) for each in kept]


@pytest.mark.parametrize(
    ("old", "new", "patch"),
    [
        ({"a": 1}, {}, {"a": None}),
        ({}, {"a": 1}, {"a": 1}),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}, {}),
        ({"a": 1}, {"a": True}, {"a": True}),
        ({"a": False}, {"a": 0}, {"a": 0}),
        ({"a": [1, 0]}, {"a": [1, False]}, {"a": [1, False]}),
        ({"a": [[1], {"b": 1}]}, {"a": [[1], {"b": True}]}, {"a": [[1], {"b": True}]}),
        ({"a": [{"b": [1]}]}, {"a": [{"b": [1]}]}, {}),
        ({"a": [1, 2]}, {"a": [1]}, {"a": [1]}),
        ({"a": [{"b": 1}]}, {"a": [{"b": 1, "c": 2}]}, {"a": [{"b": 1, "c": 2}]}),
        ({"a": {"b": 1, "c": 2}}, {"a": {"b": 1, "c": 3}}, {"a": {"c": 3}}),
        ({"a": {"b": 1}}, {"a": {}}, {"a": {"b": None}}),
        ({"a": {"b": {"c": 1}}}, {"a": {"b": {}}}, {"a": {"b": {"c": None}}}),
        ({"a": 1}, {"a": {}}, {"a": {}}),
        ({}, {"a": {}}, {"a": {}}),
        ({"a": {}}, {}, {"a": None}),
        ({"a": {}}, {"a": []}, {"a": []}),
        ({"a": []}, {"a": {}}, {"a": {}}),
        ({"a": {"b": 1}}, {"a": "b"}, {"a": "b"}),
        ({"a": "1"}, {"a": 1}, {"a": 1}),
    ],
)
def test_a_difference_is_exact(
    old: dict[str, Any], new: dict[str, Any], patch: dict[str, Any]
) -> None:
    assert canonical(diff(old, new)) == canonical(patch)
    assert canonical(assert_turns(old, new)) == canonical(patch)


# Differences of structs

works = st.builds(
    Work,
    title=st.sampled_from(["Poet", "Nanna"]),
    holder=st.just(UNSET) | st.integers(0, 2),
    from_=st.just(UNSET) | st.sampled_from(["c01", "c02"]),
)
lasts = (
    st.just(UNSET)
    | st.builds(Sold, st.integers(0, 2), st.just(UNSET) | st.integers(0, 2))
    | st.builds(Passed, st.integers(0, 2), st.just(UNSET) | st.just("poor"))
)
rooms = st.builds(
    Room,
    works=st.dictionaries(st.sampled_from("abc"), works, max_size=3),
    order=st.lists(works, max_size=3).map(tuple),
    last=lasts,
    facts=st.just(UNSET) | st.dictionaries(keys, values, max_size=2),
    open_=st.booleans() | st.integers(0, 1),
)


@given(rooms, rooms)
def test_structs_differ_as_their_plain_maps_do(old: Room, new: Room) -> None:
    for one in (old, plain(old)):
        for other in (new, plain(new)):
            assert_turns(one, other)


@given(rooms, rooms)
def test_the_difference_of_structs_is_that_of_their_plain_maps(old: Room, new: Room) -> None:
    written = to_builtins(diff(old, new))
    assert canonical(apply(plain(old), written)) == canonical(
        apply(plain(old), diff(plain(old), plain(new)))
    )


@given(rooms)
def test_equal_structs_do_not_differ(room: Room) -> None:
    twin = convert(again(room), Room)
    assert diff(room, room) == {}
    assert diff(room, twin) == {}
    assert diff({"room": room}, {"room": twin}) == {}
    assert diff({"rooms": [room]}, {"rooms": [twin]}) == {}


def test_a_field_that_is_set_appears() -> None:
    old, new = Work(title="Poet"), Work(title="Poet", holder=2, from_="c01")
    assert assert_turns(old, new) == {"holder": 2, "from": "c01"}


def test_a_field_that_is_unset_disappears() -> None:
    old, new = Work(title="Poet", holder=2, from_="c01"), Work(title="Poet")
    assert assert_turns(old, new) == {"holder": None, "from": None}
    assert assert_turns({"work": old}, {"work": new}) == {"work": {"holder": None, "from": None}}


def test_a_struct_that_is_unset_disappears_and_appears() -> None:
    empty, room = Room(works={}), Room(works={}, last=Sold(1))
    assert assert_turns(empty, room) == {"last": {"event": "sold", "seat": 1}}
    assert assert_turns(room, empty) == {"last": None}


def test_a_struct_in_the_place_of_another_changes_its_tag() -> None:
    old, new = {"last": Sold(1, 5000)}, {"last": Passed(1, "poor")}
    assert assert_turns(old, new) == {"last": {"event": "passed", "why": "poor", "price": None}}


def test_a_struct_in_a_map_differs_by_its_fields_only() -> None:
    old = Room(works={"a": Work(title="Poet"), "b": Work(title="Nanna")})
    new = Room(works={"a": Work(title="Poet", holder=1), "b": Work(title="Nanna")})
    assert assert_turns(old, new) == {"works": {"a": {"holder": 1}}}


def test_a_list_of_structs_is_sent_whole_or_not_at_all() -> None:
    poet, nanna = Work(title="Poet"), Work(title="Nanna")
    old = Room(works={}, order=(poet, nanna))
    assert diff(old, Room(works={}, order=(Work(title="Poet"), Work(title="Nanna")))) == {}
    assert assert_turns(old, Room(works={}, order=(poet, Work(title="Nanna", holder=1)))) == {
        "order": ({"title": "Poet"}, {"title": "Nanna", "holder": 1})
    }


def test_a_struct_gives_way_to_a_scalar_and_back() -> None:
    assert_turns({"last": Sold(1, 2)}, {"last": 3})
    assert_turns({"last": 3}, {"last": Sold(1)})
    assert_turns({"last": [1]}, {"last": Sold(1)})
    assert_turns({"last": Sold(1)}, {"last": ["sold"]})


def test_a_struct_and_its_plain_map_do_not_differ() -> None:
    assert diff({"last": Sold(1, 2)}, {"last": {"event": "sold", "seat": 1, "price": 2}}) == {}
    assert diff({"event": "sold", "seat": 1}, Sold(1)) == {}


def test_an_unset_field_is_as_absent_as_one_that_is_not_there() -> None:
    assert diff(Sold(1), {"event": "sold", "seat": 1}) == {}
    assert diff({"last": Sold(1)}, {"last": Passed(1)}) == {"last": {"event": "passed"}}


def test_lists_of_structs_and_of_their_plain_maps_do_not_differ() -> None:
    assert diff({"log": [Sold(1)]}, {"log": [{"event": "sold", "seat": 1}]}) == {}


def test_a_tuple_and_a_list_do_not_differ() -> None:
    assert diff({"log": [1, [2]]}, {"log": (1, (2,))}) == {}


def test_true_in_the_place_of_1_is_a_difference_in_a_struct() -> None:
    old, new = Room(works={}, open_=1), Room(works={}, open_=True)
    assert canonical(assert_turns(old, new)) == canonical({"open": True})
