"""uvicorn's HTTP protocol, with a way to cut a connection off.

ASGI has none: a response that nobody reads could never be ended. Like `fanout`, this rests on an
internal module of uvicorn.
"""

from typing import Any, ClassVar

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol


class AbortableProtocol(HttpToolsProtocol):
    """Puts what aborts the connection into the scope of every request."""

    EXTENSION: ClassVar[str] = "saleroom.abort"

    def on_message_begin(self) -> None:
        """Offer it to the application."""
        super().on_message_begin()
        scope: Any = self.scope
        scope["extensions"] = {self.EXTENSION: self.transport.abort}
