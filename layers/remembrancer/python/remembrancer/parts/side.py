"""Threads that a process keeps: what one call reads side by side."""

from concurrent.futures import ThreadPoolExecutor

SIDE = ThreadPoolExecutor(32, "side")
"""For calls to ports only. A task that waits for another task of these threads could wait for ever."""
