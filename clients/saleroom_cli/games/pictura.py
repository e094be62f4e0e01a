"""Museum Pictura for people: what is worked out for them."""

from saleroom_cli.games.look import Look
from saleroom_client import hints

LOOK = Look(found={"arrange": hints.arrangement})
