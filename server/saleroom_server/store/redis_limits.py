"""How much at once, how long, how often: of a store in Redis; and what a node may be called."""

import re

from msgspec import Struct

NODE = re.compile(r"[\w.:-]{1,100}", re.ASCII)


class RedisLimits(Struct, frozen=True, kw_only=True):
    """What holds between a node and its Redis.

    Attributes:
        batch_calls: a round trip takes no more calls than so many.
        page: so many entries, or heads, are read at once.
        news_kept: of so many rooms it is kept when their heads were last written.
        answer_ms: a connection that brings no answer for so long is given up and made anew.
        ping_ms: an idle connection is tried so often.
        retry_ms: between two tries to connect.
        resend_ms: a call whose outcome is not known is sent again for so long.
        replicas: nothing is answered before so many replicas have what it rests on.
        replicas_ms: they are waited for so long before the call is sent again.
        lease_ms: a node is dead when it has not renewed its lease for so long.
        renew_ms: how often it does; one nobody hears is dead if it misses two.
        settling_ms: after Redis has started, nobody is taken for dead for so long.
    """

    batch_calls: int = 1_000
    page: int = 1_000
    news_kept: int = 10_000
    answer_ms: int = 5_000
    ping_ms: int = 2_000
    retry_ms: int = 100
    resend_ms: int = 8_000
    replicas: int = 0
    replicas_ms: int = 1_000
    lease_ms: int = 1_500
    renew_ms: int = 150
    settling_ms: int = 3_000
