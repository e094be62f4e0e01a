"""Every setting of a server: one frozen struct, read in one place, each with what it is for.

A setting comes from a flag, else from the environment (`SALEROOM_` and the name in capitals; a
group's name before it, as in `SALEROOM_ROOM_GRACE_MS`), else it is the default here.
"""

from collections.abc import Iterator, Mapping
from functools import reduce
from ipaddress import ip_network
from pathlib import Path
from typing import Any, Literal, get_args, get_type_hints
from urllib.parse import urlsplit

import msgspec
from msgspec import Struct, field
from msgspec.structs import replace

from saleroom_protocol.games.record import Pace
from saleroom_protocol.limits import Limits
from saleroom_server.cluster.bus_limits import BusLimits
from saleroom_server.cluster.peer_limits import PeerLimits
from saleroom_server.door import DoorLimits
from saleroom_server.gateway.limits import GatewayLimits
from saleroom_server.http.limits import LobbyLimits
from saleroom_server.logs import Format
from saleroom_server.owner.advisers import AdviceLimits
from saleroom_server.owner.surroundings import OwnerLimits
from saleroom_server.rooms.limits import RoomLimits
from saleroom_server.store.redis_limits import NODE, RedisLimits
from saleroom_server.store.valkey import ValkeyLimits
from saleroom_server.workers.limits import WORKERS, WorkerLimits

PREFIX = "SALEROOM_"
PORTS = 65_535
BACKLOG = 2**31 - 1  # a number that fits into the call
STORES = ("redis", "rediss", "unix")  # schemes of URLs
MOST = 2**53 - 1  # a number any client can read


class Settings(Struct, frozen=True, kw_only=True):
    """How a server is run."""

    host: str = "127.0.0.1"
    port: int = 8000
    data: str = "saleroom-data"
    store: str = ""
    node: str = ""
    workers: int = 0
    log_level: Literal["debug", "info", "warning", "error"] = "info"
    log_format: Format = "console"
    metrics_host: str = "127.0.0.1"
    metrics_port: int = 0
    pulse_ms: int = 100
    pace: Pace = "standard"
    origins: str = "*"
    trust_proxy: str = ""
    token_lifetime_ms: int = 30 * 24 * 3_600_000
    drain_ms: int = 10_000
    probe_kept_ms: int = 1_000
    store_told_ms: int = 10_000
    message: Limits = field(default_factory=Limits)
    socket: GatewayLimits = field(default_factory=GatewayLimits)
    room: RoomLimits = field(default_factory=RoomLimits)
    owner: OwnerLimits = field(default_factory=OwnerLimits)
    advice: AdviceLimits = field(default_factory=AdviceLimits)
    lobby: LobbyLimits = field(default_factory=LobbyLimits)
    door: DoorLimits = field(default_factory=DoorLimits)
    bus: BusLimits = field(default_factory=BusLimits)
    peers: PeerLimits = field(default_factory=PeerLimits)
    redis: RedisLimits = field(default_factory=RedisLimits)
    valkey: ValkeyLimits = field(default_factory=ValkeyLimits)
    worker: WorkerLimits = field(default_factory=WorkerLimits)

    @property
    def directory(self) -> Path:
        """Where the store is, unless it is elsewhere."""
        return Path(self.data)

    @property
    def place(self) -> str:
        """Where the store is, as anybody may be told: of a URL neither password nor options."""
        parts = urlsplit(self.store)
        told = parts._replace(netloc=parts.netloc.rpartition("@")[2], query="", fragment="")
        return told.geturl() or self.data

    def __repr__(self) -> str:
        return f"<settings, changed: {', '.join(changed(self))}>"


class BadSetting(ValueError):
    """A setting that cannot be."""


class Setting(Struct, frozen=True):
    """One setting, as it is listed for people.

    Attributes:
        variable: of the environment.
        default: what it is unless it is set.
        meaning: what it is for, in a line.
        path: where it is in `Settings`.
        least: how little it may be; of a text, how few characters.
        words: those it may be; if none, anything.
    """

    variable: str
    default: int | str
    meaning: str
    path: tuple[str, ...]
    least: int
    words: tuple[str, ...]

    @property
    def most(self) -> int:
        """How much it may be, if it is a number."""
        return _MOST.get(".".join(self.path), MOST)

    def value(self, settings: Settings) -> Any:
        """Return what it is in some settings."""
        return reduce(getattr, self.path, settings)


def known() -> Iterator[Setting]:
    """Yield every setting there is, groups after the others."""
    yield from _known(Settings(), ())


def changed(settings: Settings) -> list[str]:
    """Name the settings that are not what they are unless they are set."""
    return [setting.variable for setting in known() if setting.value(settings) != setting.default]


def read(environment: Mapping[str, str], flags: Mapping[str, Any]) -> Settings:
    """Return the settings of an environment, flags before it; a flag that is None is not given.

    Raises:
        BadSetting: a value cannot be, or `SALEROOM_` is followed by no setting's name.
    """
    variables = {setting.variable: setting for setting in known()}
    chosen: dict[str, Any] = {}
    for variable, text in environment.items():
        if variable.startswith(PREFIX) and variable not in _OTHERS:
            if variable not in variables:
                raise BadSetting(f"{variable} is no setting")
            _put(chosen, variables[variable], variable, text)
    for flag, given in flags.items():
        if given is not None:
            setting = variables[f"{PREFIX}{flag.upper()}"]
            _put(chosen, setting, f"--{flag.replace('_', '-')}", given)
    settings = msgspec.convert(chosen, Settings)
    _check_together(settings)
    return replace(settings, message=_told(settings))


def _check_together(settings: Settings) -> None:
    if settings.metrics_port + settings.workers - 1 > PORTS:
        raise BadSetting("each worker has a port for metrics of its own, and there are not so many")
    if settings.redis.replicas and not settings.store:  # it would be waited for without end
        raise BadSetting(f"{PREFIX}REDIS_REPLICAS is for a Redis with replicas: give --store")


def environment(settings: Settings) -> dict[str, str]:
    """Return the variables that `read` makes the same settings of."""
    return {
        setting.variable: str(setting.value(settings))
        for setting in known()
        if setting.value(settings) != setting.default
    }


def _told(settings: Settings) -> Limits:
    """Return what `welcome` tells: of rooms and sockets, what holds for them."""
    socket = settings.socket
    return replace(
        settings.message,
        said_kept=settings.room.said_kept,
        rooms_per_socket=socket.rooms_per_socket,
        requests_per_second=socket.requests_per_second,
        requests_at_once=socket.requests_at_once,
        says_per_second=socket.says_per_second,
        says_at_once=socket.says_at_once,
        anytime_ms=settings.room.anytime_ms,
        anytime_acts=settings.room.anytime_acts,
    )


def _known(group: Struct, path: tuple[str, ...]) -> Iterator[Setting]:
    hints = get_type_hints(type(group))
    groups = []
    for name in group.__struct_fields__:
        value, inner = getattr(group, name), (*path, name)
        if isinstance(value, Struct):
            groups.append((value, inner))
        elif ".".join(inner) not in _NOT_SET:
            variable = PREFIX + "_".join(inner).upper()
            least, meaning = _TABLE.get(".".join(inner), (0, ""))
            yield Setting(variable, value, meaning, inner, least, get_args(hints[name]))
    for value, inner in groups:
        yield from _known(value, inner)


def _put(chosen: dict[str, Any], setting: Setting, called: str, given: Any) -> None:
    """Choose a value; `called` is what whoever gave it calls the setting."""
    for name in setting.path[:-1]:
        chosen = chosen.setdefault(name, {})
    read = _number if isinstance(setting.default, int) else _text
    chosen[setting.path[-1]] = read(setting, called, given)


def _text(setting: Setting, called: str, given: str) -> str:
    if setting.words and given not in setting.words:
        raise BadSetting(f"{called} is one of {', '.join(setting.words)}, not {given!r}")
    if len(given) < setting.least:
        raise BadSetting(f"{called} is empty")
    if setting.path == ("trust_proxy",):
        _check_proxies(called, given)
    if setting.path == ("store",) and given:
        _check_store(called, given)
    if setting.path == ("node",) and given:
        _check_node(called, given)
    return given


def _number(setting: Setting, called: str, given: Any) -> int:
    try:
        value = int(given)
    except ValueError:
        raise BadSetting(f"{called} is a whole number, not {given!r}") from None
    if not setting.least <= value <= setting.most:
        raise BadSetting(f"{called} is between {setting.least} and {setting.most}, not {value}")
    return value


def _check_proxies(called: str, listed: str) -> None:
    """Refuse what is no list: it would be trusted by nobody, and nobody would notice."""
    for proxy in filter(None, map(str.strip, listed.split(","))):
        try:
            if proxy != "*":
                ip_network(proxy)
        except ValueError:
            problem = f"{called} lists addresses and networks, and {proxy!r} is neither"
            raise BadSetting(problem) from None


def _check_store(called: str, url: str) -> None:
    """Refuse what is no URL of a Redis, without repeating it: it may hold a password."""
    try:
        scheme = urlsplit(url).scheme
    except ValueError:
        scheme = ""
    if scheme not in STORES:
        raise BadSetting(f"{called} is a URL: redis://HOST:PORT/DATABASE, rediss://… or unix://…")


def _check_node(called: str, name: str) -> None:
    """Refuse what is no node's name."""
    if not NODE.fullmatch(name):
        raise BadSetting(f"{called} is up to 100 letters, digits and . _ : -, not {name!r}")


# Variables that begin alike and belong to others: the tests, and the clients' commands.
_OTHERS = frozenset({"SALEROOM_STRANGER", "SALEROOM_URL", "SALEROOM_TOKEN"})

# Told to clients, but no settings: the protocol's own, the same on every server; and what is set
# for rooms and sockets.
_NOT_SET = frozenset(
    {
        "message.id_chars",
        "message.text_chars",
        "message.remembered_ids",
        "message.said_kept",
        "message.rooms_per_socket",
        "message.requests_per_second",
        "message.requests_at_once",
        "message.says_per_second",
        "message.says_at_once",
        "message.anytime_ms",
        "message.anytime_acts",
    }
)

# How much some may be; the others as much as a client can read.
_MOST = {"port": PORTS, "metrics_port": PORTS, "workers": WORKERS, "door.backlog": BACKLOG}

# How little each may be (of a text: how few characters), and what it is for.
_TABLE: dict[str, tuple[int, str]] = {
    "host": (1, "address to listen on"),
    "port": (0, "port to listen on; 0: any that is free"),
    "data": (1, "directory of the store; made if there is none"),
    "store": (0, "URL of a Redis or Valkey to use instead of it; may hold a password"),
    "node": (0, "name of this node among those that share it; else the machine's name and port"),
    "workers": (0, "processes that serve, on the store or a Valkey of their own; 0: one, alone"),
    "log_level": (1, "how much is logged: debug, info, warning, error"),
    "log_format": (1, "how it is written: console, for people; json, an object a line"),
    "metrics_host": (1, "address to serve metrics on"),
    "metrics_port": (0, "port to serve metrics on, of each worker the next one; 0: none"),
    "pulse_ms": (1, "between two looks at how late the event loop is"),
    "pace": (1, "of rooms whose makers do not say: relaxed, standard, quick, untimed"),
    "trust_proxy": (0, "addresses or networks of proxies whose X-Forwarded-For counts, by commas"),
    "origins": (0, "whose pages may call and open sockets, separated by commas; *: any"),
    "token_lifetime_ms": (1, "a token is good for so long"),
    "drain_ms": (0, "when told to end: until requests in hand are given up"),
    "probe_kept_ms": (0, "/readyz tries the store no more often"),
    "store_told_ms": (0, "that the store fails is logged no more often"),
    "message.client_message_bytes": (1, "the largest message or body a client may send"),
    "message.server_message_bytes": (1, "the largest message clients are promised"),
    "message.message_depth": (1, "containers within containers of a client's message"),
    "message.container_items": (1, "entries of one list or map of a client's message"),
    "message.message_values": (1, "keys, values and containers of a client's message"),
    "message.hello_ms": (1, "a socket must say hello within so long"),
    "socket.heartbeat_ms": (1, "between two pings to a socket; well below its silence"),
    "socket.silence_ms": (1, "a socket is closed after so long without a message"),
    "socket.sweep_ms": (1, "sockets and rooms are looked after so often"),
    "socket.sockets": (1, "sockets at once; more are answered 503"),
    "socket.sockets_per_address": (1, "sockets of one address at once; more are answered 429"),
    "socket.opened_per_second": (1, "sockets one address may open, in the long run"),
    "socket.opened_at_once": (1, "sockets one address may open before that begins to count"),
    "socket.rooms_per_socket": (1, "rooms one socket may follow"),
    "socket.requests_per_second": (1, "requests of one player, in the long run"),
    "socket.requests_at_once": (1, "requests of one player before that begins to count"),
    "socket.requests_refused": (1, "rate-limited requests of a socket; then it is closed"),
    "socket.anonymous_requests_per_second": (
        1,
        "requests of all at one address who have no token, in the long run",
    ),
    "socket.anonymous_requests_at_once": (1, "such requests before that begins to count"),
    "socket.says_per_second": (1, "what one player says, in the long run"),
    "socket.says_at_once": (1, "what one player says before that begins to count"),
    "socket.allowances": (1, "players, and addresses, whose requests are counted at once"),
    "socket.fragments": (1, "parts a client may send one message in"),
    "socket.idle_frames_per_second": (1, "pings and pongs of the WebSocket itself, of one socket"),
    "socket.idle_frames_at_once": (1, "such frames before that begins to count"),
    "socket.frames_per_turn": (1, "frames of clients read at once; then others have their turn"),
    "socket.sockets_per_turn": (
        1,
        "spectators written to at a stretch; then others have their turn",
    ),
    "socket.waiting_packets": (
        1,
        "frames that wait for a room's spectators; with more they skip to a later view",
    ),
    "socket.behind_bytes": (1, "a spectator who leaves so much unread skips to a later view"),
    "socket.behind_ms": (1, "a spectator who reads nothing for so long is closed as too slow"),
    "socket.backlogs_bytes": (1, "what all clients may leave unread; then the slowest are closed"),
    "socket.backlog_bytes": (1, "a client that leaves so much unread is closed as too slow"),
    "socket.comment_ms": (1, "between two comments to a reader of server-sent events"),
    "socket.retry_ms": (0, "such a reader comes back so long after its stream broke"),
    "socket.closing_spread_ms": (0, "clients come back spread over so long after a restart"),
    "socket.farewell_ms": (
        0,
        "when told to end: for clients to answer the close; below a worker's stop",
    ),
    "room.grace_ms": (0, "an answer counts so long after its window closes"),
    "room.shortened_ms": (0, "a window that waits only for players who are away lasts so long"),
    "room.presence_ms": (0, "until a lost connection is told, and between two such flips"),
    "room.spectators_ms": (0, "the number of spectators is told no more often"),
    "room.start_delay_ms": (0, "from a full room to its start"),
    "room.waiting_ms": (1, "a room nobody starts is closed after so long"),
    "room.pause_after_ms": (1, "a room no player is connected to is paused after so long"),
    "room.abandoned_after_ms": (1, "and closed when it has been paused for so long"),
    "room.kept_ms": (0, "a room that has ended can be joined for so long"),
    "room.ring_updates": (0, "updates a room keeps for those who resume"),
    "room.ring_bytes": (0, "bytes of updates a room keeps for those who resume"),
    "room.said_kept": (0, "sayings a room keeps for those who join, per viewer"),
    "room.speakers": (10, "players whose sayings a room knows again if they are sent twice"),
    "room.spectators": (0, "spectators of one room; more are refused"),
    "room.watchers_say_per_second": (1, "what a room's spectators say together, in the long run"),
    "room.watchers_say_at_once": (1, "what they say before that begins to count"),
    "room.anytime_ms": (0, "between two actions of a player that answer no window"),
    "room.anytime_acts": (1, "such actions of one player in one game"),
    "room.muted": (1, "players a host may mute; with more, the first is heard again"),
    "room.entries": (1, "entries of one room's journal; then it is closed"),
    "room.house_bot_ms": (0, "a house bot takes at least so long to answer"),
    "room.house_bot_spread_ms": (0, "and up to so much longer"),
    "room.house_bot_patience_ms": (
        0,
        "a house bot waits so long for others to answer what it said",
    ),
    "owner.inbox": (1, "commands that may wait for one room; more are refused"),
    "owner.busy_retry_ms": (1, "clients are told to wait so long for what is busy or full"),
    "owner.late_bell_ms": (0, "a window's end that comes later than this waits once more"),
    "owner.retry_ms": (1, "between two tries when the store has failed"),
    "owner.patience_ms": (0, "a command is refused when the store has failed for so long"),
    "owner.rooms": (1, "rooms of this server, those that have just ended too"),
    "owner.rooms_per_player": (1, "unfinished rooms one player may have made"),
    "owner.rooms_per_address": (1, "unfinished rooms made from one address"),
    "owner.load_pause_ms": (0, "between two rooms read back after a start"),
    "owner.entries_per_turn": (
        1,
        "entries of a journal that are read back at once; then others have a turn",
    ),
    "owner.released_at_once": (1, "rooms left to other nodes at once, when told to end"),
    "lobby.page": (1, "rooms a list has unless asked otherwise"),
    "lobby.page_most": (1, "rooms a list has at most"),
    "lobby.page_searched": (1, "rooms a list looks through for one page; then it is shorter"),
    "lobby.replays": (1, "records that may wait for their draws to be worked out"),
    "lobby.key_chars": (0, "characters of an Idempotency-Key"),
    "lobby.key_kept_ms": (0, "a POST is answered alike for its Idempotency-Key for so long"),
    "lobby.token_grace_ms": (0, "a seat's holder may renew a token so long after its end"),
    "lobby.retry_ms": (
        1,
        "clients are told to wait so long when the store fails or replays wait",
    ),
    "lobby.requests_per_second": (1, "requests of one address, in the long run"),
    "lobby.requests_at_once": (1, "requests of one address before that begins to count"),
    "lobby.guests_per_second": (1, "new guests of one address, in the long run"),
    "lobby.guests_at_once": (1, "new guests of one address before that begins to count"),
    "lobby.acts_per_second": (1, "what one player asks to be done, in the long run"),
    "lobby.acts_at_once": (1, "what one player asks to be done before that begins to count"),
    "lobby.keys_per_second": (1, "new Idempotency-Keys of one address, in the long run"),
    "lobby.keys_at_once": (1, "new Idempotency-Keys of one address before that begins to count"),
    "lobby.budgets": (1, "addresses, and players, whose requests are counted at once"),
    "advice.processes": (0, "processes that search for what beats a default; 0: none is sought"),
    "advice.waiting": (1, "searches that may wait for them; for more the default is played"),
    "advice.answer_ms": (1, "a process that searches for so long is killed"),
    "advice.restart_ms": (
        0,
        "when it has ended another one is started so soon; each time twice as late",
    ),
    "advice.restart_most_ms": (1, "but never later than this"),
    "door.connections_per_address": (1, "connections of one address at once, sockets too"),
    "door.connections_beside": (1, "connections at once, besides the sockets there may be"),
    "door.request_ms": (1, "a request must have come whole within so long"),
    "door.unread_ms": (1, "a client that leaves a response unread for so long is hung up on"),
    "door.head_bytes": (1, "the largest head of a request: its address and headers"),
    "door.headers": (1, "headers of a request"),
    "door.requests_per_turn": (1, "requests that begin at once; then others have their turn"),
    "door.pipelined": (0, "requests a client may send before the last response has come"),
    "door.backlog": (1, "connections that may wait at a socket; the system may allow fewer"),
    "peers.resend_ms": (1, "what the owner of a room does not answer is asked again after so long"),
    "peers.known_ms": (0, "until all nodes know of a new room its maker waits so long at most"),
    "peers.beat_ms": (1, "between two looks at which nodes are alive"),
    "peers.settling_ms": (0, "after Redis was away nobody is taken for dead for so long"),
    "peers.sure_ms": (1, "without such a look a node is sure of its rooms for so long"),
    "peers.forget_ms": (0, "a dead node that lives after all is known again for so long"),
    "peers.news_ms": (1, "between two looks at what has become of other nodes' rooms"),
    "peers.not_here_ms": (1, "after which it is looked up again which node owns a room"),
    "peers.answers": (1, "answers to other nodes that are kept, lest something be done twice"),
    "bus.waiting_messages": (1, "what may wait for the other nodes; with more, the oldest is lost"),
    "bus.waiting_bytes": (1, "how much of it; with more, the oldest is lost"),
    "bus.group_messages": (1, "messages for other nodes sent to Redis at once"),
    "bus.group_bytes": (1, "how much is sent to Redis at once"),
    "bus.messages_per_turn": (1, "messages of other nodes taken at once; then others have a turn"),
    "bus.senders": (1, "nodes, each start of one counts, that may not be heard twice"),
    "bus.answer_ms": (1, "Redis must answer within so long"),
    "bus.ping_ms": (1, "between two pings to a Redis that says nothing"),
    "bus.silence_ms": (1, "a connection on which nothing comes for so long is given up"),
    "bus.retry_ms": (1, "a connection that failed is tried again after so long, then after more"),
    "bus.retry_most_ms": (1, "and after so long at most"),
    "bus.probe_ms": (1, "what a node sends itself through Redis must come back within so long"),
    "bus.flush_ms": (0, "when told to end: until what waits for other nodes is given up"),
    "redis.batch_calls": (1, "a round trip takes no more calls than so many"),
    "redis.page": (1, "entries, or heads of rooms, that are read at once"),
    "redis.news_kept": (1, "of so many rooms nodes can still be told what has become of them"),
    "redis.answer_ms": (1, "a connection that brings no answer for so long is made anew"),
    "redis.ping_ms": (1, "an idle connection is tried so often"),
    "redis.retry_ms": (0, "between two tries to connect"),
    "redis.resend_ms": (0, "a call whose outcome is not known is sent again for so long"),
    "redis.replicas": (0, "nothing is acknowledged before so many replicas of Redis have it"),
    "redis.replicas_ms": (1, "they are waited for so long; then what was asked is sent again"),
    "redis.lease_ms": (1, "a node that renews its lease no more is dead after so long"),
    "redis.renew_ms": (1, "between two renewals; a node nobody hears is dead if it misses two"),
    "redis.settling_ms": (0, "after Redis has started no node is dead for so long"),
    "valkey.start_ms": (1, "our own Valkey must have read all it kept, and answer, within so long"),
    "valkey.restart_ms": (
        1,
        "when it has ended it is started again so soon; each time twice as late",
    ),
    "valkey.restart_most_ms": (1, "but never later than this"),
    "valkey.stop_ms": (0, "when told to end it is killed after so long"),
    "worker.start_ms": (1, "a worker that has been started must serve within so long"),
    "worker.restart_ms": (
        1,
        "when it has ended it is started again so soon; each time twice as late",
    ),
    "worker.restart_most_ms": (1, "but never later than this"),
    "worker.stop_ms": (0, "when told to end it is killed so long after the time to drain"),
    "worker.help_ms": (1, "between two looks at whether others leave connections waiting"),
    "worker.helped_at_once": (1, "connections taken at a look from where another lets them wait"),
}
