"""Which files are generated, and from what."""

from pathlib import Path

from saleroom_protocol import schema
from tests.golden import blocks, playthroughs, records, vectors

ROOT = Path(__file__).parents[2]
SCHEMAS = ROOT / "protocol" / "schemas"
MESSAGES = ROOT / "seeds" / "messages"
RECORDS = ROOT / "seeds" / "records"
PLAYTHROUGHS = ROOT / "seeds" / "playthroughs"
PROTOCOL = ROOT / "protocol" / "PROTOCOL.md"
OPERATING = ROOT / "server" / "OPERATING.md"


def generated() -> dict[Path, bytes]:
    """Return every generated file as it should be."""
    files = {SCHEMAS / name: content for name, content in schema.encoded().items()}
    files |= {MESSAGES / name: content for name, content in vectors.files().items()}
    files |= {RECORDS / name: content for name, content in records.files().items()}
    files |= {PLAYTHROUGHS / name: content for name, content in playthroughs.files().items()}
    for document in (PROTOCOL, OPERATING):
        text = document.read_text(encoding="utf-8")
        files[document] = blocks.renewed(text).encode()
    return files


def strays() -> list[Path]:
    """Return files that lie in a folder of generated files but are not."""
    wanted = generated()
    folders = (SCHEMAS, MESSAGES, RECORDS, PLAYTHROUGHS)
    found = (path for folder in folders for path in sorted(folder.glob("*")))
    return [path for path in found if path not in wanted]
