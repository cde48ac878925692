"""The digest of a space, brought up to date by reading only what has changed; rebuilt whole when it cannot be."""

from remembrancer.core.digest import Digest
from remembrancer.core.digest_file import decode, encode
from remembrancer.core.entries import KINDS
from remembrancer.ports import Ports

NAME = "projections/entries.digest"
OVERLAP_MS = 10 * 60_000
"""Changes are read again so far back: the index that lists them lags, and clocks differ."""
MINUTE_MS = 60_000
DAY_MS = 86_400_000


def load(ports: Ports, space: str) -> Digest:
    """The digest as of now. Read whole, it is stored, so that the next reader does not read everything again."""
    stored = ports.pages.read(space, NAME)
    digest = decode(stored.body) if stored is not None else None
    now = ports.clock.now_ms()
    if digest is None or now - digest.made_ms > 7 * DAY_MS:
        return _rebuilt(ports, space, digest)
    for entry in ports.entries.changed(space, digest.read_ms - OVERLAP_MS):
        digest.take(entry)
    digest.read_ms = now
    # an index that lags looks the same as a lost row, but not for a whole hour
    if now - digest.made_ms > 60 * MINUTE_MS and not _complete(ports, space, digest):
        return _rebuilt(ports, space, digest)
    return digest


def save(ports: Ports, space: str, digest: Digest) -> None:
    """Keep it for the next run."""
    ports.pages.write(space, NAME, encode(digest), etag="*")


def _complete(ports: Ports, space: str, digest: Digest) -> bool:
    counts = ports.entries.counts(space)
    filed: int = sum(counts["active"].values()) - counts["pending"]
    return len(digest.rows) == filed


def _rebuilt(ports: Ports, space: str, before: Digest | None) -> Digest:
    now = ports.clock.now_ms()
    digest = Digest(made_ms=now, read_ms=now)
    for kind in KINDS:
        for entry in ports.entries.active(space, kind):
            digest.take(entry)
    digest.changed = (before.changed if before else set()) & digest.rows.keys()
    save(ports, space, digest)
    return digest
