"""What every task of a consolidation run needs: its lease, its files, its record."""

import json
from collections.abc import Mapping
from typing import Any

from remembrancer.errors import LeaseLost
from remembrancer.ports import Lease, Ports

LEASE_S = 1_200
PURPOSE = "consolidation"


def held(ports: Ports, space: str, run: str) -> Lease:
    """The run's lease, renewed. Raises `LeaseLost` when another holder has it."""
    lease = ports.leases.current(space)
    if lease is None or lease.owner != run:
        raise LeaseLost("this run no longer holds the lease of its space")
    return ports.leases.renew(lease, seconds=LEASE_S)


def put_manifest(ports: Ports, space: str, run: str, name: str, value: Any) -> None:
    """Write one of the run's files; a retry of the task replaces it."""
    body = json.dumps(value, ensure_ascii=False, sort_keys=True).encode()
    ports.pages.write(space, f"runs/{run}/{name}.json", body, etag="*", run=run)


def get_manifest(ports: Ports, space: str, run: str, name: str) -> Any | None:
    """One of the run's files, or None."""
    stored = ports.pages.read(space, f"runs/{run}/{name}.json")
    return None if stored is None else json.loads(stored.body)


def progress(ports: Ports, lease: Lease, changes: Mapping[str, Any], *, run: str = "") -> dict[str, Any]:
    """Change fields of the holder's record, or of the `run` that it took over, and give it back."""
    space, run = lease.space, run or lease.owner
    record = {**(ports.runs.get(space, run) or {"run": run}), **changes}
    ports.runs.put(space, run, record, lease=lease)
    return record


def active_run(ports: Ports, space: str) -> Lease | None:
    """The lease of a consolidation that really goes on; a dead holder does not count."""
    lease = ports.leases.current(space)
    if lease is None or lease.purpose != PURPOSE or not ports.events.running(lease.owner):
        return None
    return lease
