"""What the person who starts the system sees meanwhile; stdout is left to the result."""

import time
from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console

console = Console(stderr=True, highlight=False)


@contextmanager
def step(name: str) -> Iterator[None]:
    """Show a step while it runs, and what it took."""
    begin = time.monotonic()
    with console.status(name):
        yield
    console.print(f"[green]✓[/green] {name} [dim]{time.monotonic() - begin:.1f} s[/dim]")
