"""The `saleroom` command."""
