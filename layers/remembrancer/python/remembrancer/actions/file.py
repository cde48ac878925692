"""Third task of a run: file one batch into its pages."""

from typing import Any

from remembrancer.core.place import Target
from remembrancer.errors import LeaseLost
from remembrancer.parts.desk import Desk
from remembrancer.parts.run import get_manifest, held, put_manifest
from remembrancer.ports import Ports


def file_batch(ports: Ports, space: str, run: str, batch: int) -> dict[str, Any]:
    """Write the batch's pages; evidence goes to `filed-<batch>.json`: on which page each entry is cited now."""
    lease = held(ports, space, run)
    plan = get_manifest(ports, space, run, "plan")
    if plan is None:
        raise LeaseLost("the run has no plan")
    work = plan["batches"][batch]
    entries = ports.entries.get(space, [entry_id for page in work for entry_id in page["entries"]])
    desk = Desk(ports, space, run, lease, conflicts=plan["outcome"]["conflicts"])
    for page in work:
        desk.take_off(page["slug"], page["leaving"])
        coming = [entries[entry_id] for entry_id in page["entries"] if entry_id in entries]
        if coming:
            desk.file(Target(**plan["targets"][coming[0].id]), coming)
    written = desk.write()
    ports.entries.stamp(space, desk.moved(), lease)
    evidence = {entry_id: slugs for entry_id, slugs in desk.cited().items() if entry_id in entries}
    put_manifest(ports, space, run, f"filed-{batch}", evidence)
    return {"batch": batch, "filed": len(evidence), "pages": written}
