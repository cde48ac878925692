"""Where the facts of a run go when no model decides: the rules of `core.place` with what the space holds."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from remembrancer.core.catalogue import PageHead, SpaceHead
from remembrancer.core.entries import Entry
from remembrancer.core.names import Cast
from remembrancer.core.place import MIN_ENTITY_ENTRIES, SECTIONS, Target, hinted, homes, place, words
from remembrancer.parts.retrieve import Filter, retrieve
from remembrancer.ports import Ports

PAGE_FLOOR = 0.55  # cosine below which no page is close enough to take a fact in
LOOK_S = 3.0


def places(
    ports: Ports, space: str, entries: Sequence[Entry], who: Cast, decided: Mapping[str, Target]
) -> dict[str, Target]:
    """A page for every entry. What has been `decided` stands; hints come first, so that others find them.

    `who` is all that the space's entries name.
    """
    named = {entry.id: who.of(entry) for entry in entries}
    asked = {slug for entry in entries for slug, _ in hinted(entry, {})}
    asked |= {slug for names in named.values() for name in names for slug in _homes(name)}
    asked |= {slug for entry in entries for slug in entry.filed_to}
    heads = {slug: head for slug, head in _heads(ports, space, asked).items() if not head.deleted}
    titles = {head.title.casefold(): slug for slug, head in heads.items()}
    existing = set(heads)
    space_head = ports.spaces.head(space)
    targets: dict[str, Target] = {}
    for entry in sorted(entries, key=lambda e: (not e.links, len(named[e.id]) != 1, e.at_ms, e.id)):
        if target := decided.get(entry.id) or _before(entry, heads):
            targets[entry.id] = target
            continue
        name, home = _home(entry, named[entry.id], who, existing)
        at_home = bool(hinted(entry, titles)) or home in existing
        match = None if at_home else _match(ports, space, space_head, entry)
        targets[entry.id] = place(
            entry, existing=existing, titles=titles, match=match, floor=PAGE_FLOOR, named=name, home=home
        )
        existing.add(targets[entry.id].slug)
    return _at_hubs(ports, space, targets)


def _heads(ports: Ports, space: str, slugs: set[str]) -> dict[str, PageHead]:
    return ports.catalogue.heads(space, sorted(slugs)) if slugs else {}


def _before(entry: Entry, heads: Mapping[str, PageHead]) -> Target | None:
    """The page that an entry stood on before it was restored."""
    for slug in entry.filed_to:
        if slug in heads:
            return Target(slug, words(slug), SECTIONS[entry.kind])
    return None


def _homes(name: str) -> list[str]:
    return [*homes(name), *homes(name.split()[0])]


def _home(entry: Entry, names: Sequence[str], who: Cast, existing: set[str]) -> tuple[str, str]:
    """Whom an entry is about, and the page about them: one that is there, or one to be made; empty when unclear.

    Of several who have a page it is the one with whom the text begins. A page is made for somebody whom enough
    entries name, for an entry that names nobody else.
    """
    there = {name: slug for name in names for slug in reversed(_homes(name)) if slug in existing}
    first = [name for name in there if entry.text.startswith(name.split()[0])]
    if chosen := list(there) if len(there) == 1 else first[:1]:
        return chosen[0], there[chosen[0]]
    name = names[0] if len(names) == 1 else ""
    known = who.counts[name] >= MIN_ENTITY_ENTRIES and who.person(name)
    return (name, homes(name)[0]) if name and known else ("", "")


def _match(ports: Ports, space: str, head: SpaceHead, entry: Entry) -> tuple[str, float] | None:
    """The page whose passage is closest to the entry, with the cosine; None when search does not answer.

    The pages of a month have no subject, so nothing belongs there because of its likeness.
    """
    found = retrieve(
        ports,
        space,
        head,
        entry.text,
        now_ms=entry.at_ms,
        zone=entry.zone,
        wanted=Filter(types=("passage",)),
        purpose="recall",
        timeout_s=LOOK_S,
    )
    near = [(r.hit.cosine, r.hit.unit.parent) for r in found.ranked if r.hit.cosine is not None]
    near = [pair for pair in near if not pair[1].startswith("notes/")]
    return (max(near)[1], max(near)[0]) if near else None


def _at_hubs(ports: Ports, space: str, targets: Mapping[str, Target]) -> dict[str, Target]:
    """What goes to a page below a hub goes to the hub, which passes it on by its kind."""
    above = {slug for target in targets.values() if (slug := target.slug.rpartition("/")[0])}
    heads = _heads(ports, space, above).values()
    hubs = {head.slug for head in heads if head.kind == "index" and not head.deleted}
    found = dict(targets)
    for entry_id, target in targets.items():
        if (up := target.slug.rpartition("/")[0]) in hubs:
            found[entry_id] = replace(target, slug=up, title=words(up))
    return found
