"""What closes a socket."""

from saleroom_protocol.errors import CloseCode
from tests.support.sockets import Socket


def assert_violated(socket: Socket, code: CloseCode) -> None:
    """Check that the last word was `error`, and the close code's name its reason."""
    assert socket.last["type"] == "error"
    assert socket.last["reason"] == code.name.lower()
    assert socket.last["message"]
    assert (socket.closed, socket.wire.reason) == (code, code.name.lower())
    count = len(socket.messages)
    socket.says(type="ping", id="late")
    assert len(socket.messages) == count, "a closed socket is told nothing"
