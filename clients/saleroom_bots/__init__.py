"""Strategies: from what a viewer may see to an action. They know no server and no socket."""
