"""`python -m tests.system.stranger`: a client by somebody who knows only the protocol plays here.

It is found through SALEROOM_STRANGER, else where it usually lies, and is given all options that are
not listed here. Nothing else depends on it.
"""

import argparse
import os
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from saleroom_rules.games import GAMES
from tests.support.servers import ServerProcess

USUAL = Path(__file__).parents[3] / "shared/tools/stranger.py"


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.system.stranger", description=__doc__)
    parser.add_argument("--games", nargs="+", default=[*GAMES])
    parser.add_argument("--seats", nargs="+", default=["4"])
    _, rest = chosen = parser.parse_known_args()
    stranger = Path(os.environ.get("SALEROOM_STRANGER", USUAL))
    if not stranger.is_file():
        print(f"There is no stranger at {stranger}. Say in SALEROOM_STRANGER where stranger.py is.")
        return 1
    with TemporaryDirectory() as folder, ServerProcess(Path(folder) / "data") as server:
        for game in chosen[0].games:
            for seats in chosen[0].seats:
                command = [sys.executable, str(stranger), "--url", server.url, "--game", game]
                print(f"{game}, {seats} seats: {' '.join(rest)}", flush=True)
                if subprocess.run([*command, "--seats", seats, *rest], check=False).returncode:
                    print(server.log())
                    return 1
        return server.stop()


if __name__ == "__main__":
    sys.exit(main())
