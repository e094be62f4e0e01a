"""Nothing is heard twice, and nothing after what was sent later."""

from saleroom_server.cluster.stamps import Heard, Stamps


def bodies(stamps: Stamps, messages: list[bytes]) -> list[bytes]:
    """Return what is heard of messages that come in this order."""
    read = [stamps.read(message) for message in messages]
    return [heard.body for heard in read if heard is not None]


def test_what_comes_in_order_is_heard_even_if_some_of_it_is_lost() -> None:
    sender, hearer = Stamps(10), Stamps(10)
    one, _, three = (sender.stamp(body) for body in (b"1", b"2", b""))
    assert bodies(hearer, [one, three]) == [b"1", b""]


def test_what_comes_again_or_was_overtaken_is_not() -> None:
    sender, hearer = Stamps(10), Stamps(10)
    one, two, three = (sender.stamp(body) for body in (b"1", b"2", b"3"))
    assert bodies(hearer, [one, one, three, two, one, three]) == [b"1", b"3"]


def test_each_sender_counts_for_itself() -> None:
    a, b, hearer = Stamps(10), Stamps(10), Stamps(10)
    messages = [a.stamp(b"a"), a.stamp(b"a too"), b.stamp(b"b")]
    assert bodies(hearer, [*messages, *messages]) == [b"a", b"a too", b"b"]


def test_a_probe_is_known_as_one_and_counts_like_anything_else() -> None:
    sender, hearer = Stamps(10), Stamps(10)
    news, probe = sender.stamp(b"news"), sender.stamp(b"nonce", probe=True)
    assert hearer.read(probe) == Heard(True, b"nonce")
    assert hearer.read(news) is None
    assert hearer.read(sender.stamp(b"news")) == Heard(False, b"news")


def test_only_of_so_many_it_is_known_what_was_heard() -> None:
    hearer, senders = Stamps(2), [Stamps(2) for _ in range(3)]
    a, b, c = (sender.stamp(b"x") for sender in senders)
    assert len(bodies(hearer, [a, b, a, c])) == 3
    assert bodies(hearer, [a, c]) == [], "who was heard last is remembered"
    assert bodies(hearer, [b]) == [b"x"]
    assert len(hearer._heard) == 2


def test_what_is_no_message_is_not_heard() -> None:
    assert bodies(Stamps(10), [b"", b"a stamp is long"]) == []
