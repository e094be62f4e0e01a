"""Protocol v1: every message, document and reason, typed. Nothing here knows a rule or a socket."""
