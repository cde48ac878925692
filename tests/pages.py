"""Finished pages, and how tests bring them in."""

from tests.system import System


def page(slug: str, body: str, **fields: str) -> dict[str, str]:
    """One page as ingest takes it, with its frontmatter."""
    front = "".join(f"{name}: {value}\n" for name, value in {"source": "import:notes", **fields}.items())
    return {"slug": slug, "content": f"---\n{front}---\n\n{body}\n"}


def ingest(system: System, *pages: dict[str, str]) -> None:
    """Send the pages and let them be indexed."""
    system.post("ingest", {"pages": list(pages)})
    system.pump()
