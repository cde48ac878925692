"""The rules of the memory: pure functions of their arguments."""
