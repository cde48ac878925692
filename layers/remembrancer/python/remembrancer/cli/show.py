"""What the demo shows a person. Stored text is printed as it is, never read as markup."""

from typing import Any

from rich.console import Console
from rich.panel import Panel
from rich.text import Text


class Screen:
    """Panels on stdout; nothing at all when `quiet`."""

    def __init__(self, *, quiet: bool) -> None:
        self.console = Console(quiet=quiet, highlight=False)

    def step(self, step: dict[str, Any]) -> None:
        """One line a step, with what it took."""
        mark = "[green]✓[/green]" if step["ok"] else "[red]✗[/red]"
        self.console.print(f"{mark} {step['name']} [dim]{step['ms']} ms[/dim]")
        if step.get("error"):
            self.console.print(Text(f"  {step['error']}"))

    def blocks(self, message: str, blocks: dict[str, str]) -> None:
        """The blocks as an assistant would get them."""
        self.console.print(Text(f"\n? {message}", style="bold"))
        for text in blocks.values():
            self.console.print(Panel(Text(text), title="injected", title_align="left", border_style="cyan"))

    def answer(self, question: str, result: dict[str, Any]) -> None:
        """The best result of a recall."""
        self.console.print(Text(f"\n? {question}", style="bold"))
        self.console.print(Panel(Text(result["text"]), title=result["slug"], title_align="left"))

    def page(self, slug: str, text: str) -> None:
        """A stored page."""
        self.console.print(Panel(Text(text), title=f"{slug}.md", title_align="left", border_style="green"))

    def end(self, ok: bool, url: str, space: str) -> None:
        """How it went, and what goes on running."""
        self.console.print("\nEverything holds." if ok else "\n[red]A step failed.[/red]")
        self.console.print(Text(f"The system runs on at {url}, space {space}. `remembrancer down` stops it."))
