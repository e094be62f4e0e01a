"""Whose budget a client is charged to, as far as its address tells.

Behind a proxy that address is the client's only if the proxy is trusted (`trust_proxy`); else
everybody shares the proxy's.
"""

from ipaddress import ip_address, ip_network

NETWORK_BITS = 64  # of IPv6: all in it may be one subscriber's


def payer_of(client: tuple[str, int] | None) -> str:
    """Return whose budget a client's requests are charged to; without an address, a common one.

    Args:
        client: address and port, as ASGI has it.
    """
    return payer(client[0]) if client else ""


def payer(host: str) -> str:
    """Return whose budget an address's requests are charged to: of IPv6, its network's."""
    try:
        address = ip_address(host)
    except ValueError:  # no address at all: a test, a socket file
        return host
    if address.version == 4:
        return host
    mapped = address.ipv4_mapped
    return str(mapped or ip_network(f"{host}/{NETWORK_BITS}", strict=False))
