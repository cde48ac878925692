"""Third task of a run: file one batch into its pages."""

from typing import Any

from remembrancer.core.place import Target
from remembrancer.core.schedule import may_remove
from remembrancer.errors import DeletionBudget, LeaseLost
from remembrancer.parts.desk import Desk
from remembrancer.parts.rollback import note, removed, roll_back
from remembrancer.parts.run import get_manifest, held, put_manifest
from remembrancer.ports import Ports


def file_batch(ports: Ports, space: str, run: str, batch: int) -> dict[str, Any]:
    """Write the batch's pages; evidence goes to `filed-<batch>.json`: on which page each entry is cited now.

    A retry finds the evidence, or undoes what broke off and starts again. Raises `DeletionBudget`.
    """
    lease = held(ports, space, run)
    plan = get_manifest(ports, space, run, "plan")
    if plan is None:
        raise LeaseLost("the run has no plan")
    evidence = get_manifest(ports, space, run, f"filed-{batch}")
    if evidence is not None:
        return {"batch": batch, "filed": len(evidence), "pages": 0}
    roll_back(ports, space, run, batch, lease)
    work = plan["batches"][batch]
    entries = ports.entries.get(space, [entry_id for page in work for entry_id in page["entries"]])
    desk = Desk(ports, space, run, lease, conflicts=plan["outcome"]["conflicts"])
    for page in work:
        desk.take_off(page["slug"], page["leaving"])
        coming = [entries[entry_id] for entry_id in page["entries"] if entry_id in entries]
        if coming:
            desk.file(Target(**plan["targets"][coming[0].id]), coming)
    changes = desk.changes()
    note(ports, space, run, batch, changes, desk.removed())
    # every batch notes before it looks, so of two at once at least one sees both
    gone = removed(ports, space, run, len(plan["batches"]))
    if not may_remove(gone, plan["passages"]) or desk.emptied():
        raise DeletionBudget("the run would remove too much")
    written = desk.write(changes)
    evidence = {entry_id: slugs for entry_id, slugs in desk.cited().items() if entry_id in entries}
    evidence |= desk.moved()
    put_manifest(ports, space, run, f"filed-{batch}", evidence)
    return {"batch": batch, "filed": len(evidence), "pages": written}
