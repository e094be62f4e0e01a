"""Where things are in Redis. All of one service are in one database, which has nothing else.

| key | what |
|---|---|
| `{room}:m` | hash: who owns the room, by which token, and its last entry |
| `{room}:log` | stream: the journal; an entry's id is `<entry>-<token>` |
| `{room}:head` | string |
| `{room}:record` | hash: head and packed record of a room that has ended; stays |
| `rooms` | sorted set: those that have a journal, by the token of their first owner |
| `tokens` | counter: the newest token of any room |
| `answer:…` | string: an answer, gone when its time is over |
| `secret:…` | string |
| `probe` | counter |
| `news` | sorted set: rooms by when their heads were last written, or went; only so many |
| `ticks` | counter: what `news` is sorted by |
| `trimmed` | the last of them that may be in `news` no more, as only so many are kept |
| `n:<node>:<incarnation>` | string: the lease of a node; gone soon after the node is |
| `drain:<node>:<incarnation>` | string: that node is asked to end; gone when nobody waits for it |
| `nodes` | set: `<node>:<incarnation>` of all that may have a lease |
| `arrivals` | counter: nodes that have come |
"""

ROOMS, TOKENS, PROBE, NODES, ARRIVALS = "rooms", "tokens", "probe", "nodes", "arrivals"
NEWS, TICKS, TRIMMED = "news", "ticks", "trimmed"


def meta(room: str) -> str:
    """Return the key of a room's owner and last entry."""
    return f"{{{room}}}:m"


def log(room: str) -> str:
    """Return the key of a room's journal."""
    return f"{{{room}}}:log"


def head(room: str) -> str:
    """Return the key of a room's head."""
    return f"{{{room}}}:head"


def record(room: str) -> str:
    """Return the key of what a room that has ended leaves."""
    return f"{{{room}}}:record"


def answer(player: str, key: str) -> str:
    """Return the key of an answer: no other player and key share it, whatever is in them."""
    return f"answer:{len(player)}:{player}:{key}"


def secret(name: str) -> str:
    """Return the key of a secret."""
    return f"secret:{name}"


def lease(owner: str) -> str:
    """Return the key of the lease of `<node>:<incarnation>`. The script that acquires knows it."""
    return f"n:{owner}"


def drain(owner: str) -> str:
    """Return the key of what asks `<node>:<incarnation>` to end."""
    return f"drain:{owner}"
