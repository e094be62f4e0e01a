"""`python -m saleroom_cli` is `saleroom`."""

from saleroom_cli.main import run

if __name__ == "__main__":
    run()
