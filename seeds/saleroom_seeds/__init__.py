"""Component data of the games: TOML files, their types, and the loader that checks them."""
