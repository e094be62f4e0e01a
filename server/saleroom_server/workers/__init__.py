"""Several processes of one server on one machine, and the one that starts them."""
