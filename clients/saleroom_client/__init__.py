"""The Python SDK: follow rooms, mirror documents, act."""
