"""Compare the generated files with what they should be, or renew them."""

import sys

from tests.golden.files import ROOT, generated, strays


def main(arguments: list[str]) -> int:
    renew = arguments == ["--renew"]
    if arguments and not renew:
        print("usage: python -m tests.golden [--renew]", file=sys.stderr)
        return 2
    stale = {
        path: content
        for path, content in generated().items()
        if not path.exists() or path.read_bytes() != content
    }
    extra = strays()
    for path in (*stale, *extra):
        print("renewed" if renew else "differs", path.relative_to(ROOT))
    if renew:
        for path, content in stale.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        for path in extra:
            path.unlink()
    return int(bool(stale or extra) and not renew)


sys.exit(main(sys.argv[1:]))
