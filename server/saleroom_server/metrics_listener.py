"""Where metrics are read: a listener of its own, so that it need not be where players come."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from prometheus_client import CollectorRegistry, start_http_server

from saleroom_server.listening import url_at


@asynccontextmanager
async def metrics_listening(
    host: str, port: int, registry: CollectorRegistry
) -> AsyncIterator[str]:
    """Serve metrics meanwhile, from a thread; yield the URL, or "" if `port` is 0: then none are.

    Raises:
        OSError: the address cannot be listened on.
    """
    if not port:
        yield ""
        return
    try:
        server, thread = start_http_server(port, host, registry)
    except OSError as error:
        where = f"cannot listen on {host}, port {port}, for metrics: {error.strerror}"
        raise OSError(error.errno, where) from error
    try:
        yield f"{url_at(host, port)}/metrics"
    finally:
        await asyncio.to_thread(server.shutdown)
        server.server_close()
        thread.join()
