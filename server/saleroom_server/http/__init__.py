"""The lobby over HTTP."""
