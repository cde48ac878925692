"""Links in text and frontmatter."""

from collections.abc import Container, Iterable, Iterator, Mapping

from remembrancer.core.slugs import is_slug

_WHY = " \u2014 "


def _inner(text: str) -> Iterator[str]:
    """What stands between `[[` and `]]`; one pass, however many brackets stay open."""
    start = 0
    while (close := text.find("]", start)) >= 0:
        opened = text.find("[[", start, close)
        if opened >= 0 and close > opened + 2 and text.startswith("]]", close):
            yield text[opened + 2 : close]
            start = close + 2
        else:
            start = close + 1


def targets(text: str) -> list[str]:
    """Targets of `[[target]]`, `[[target|shown]]` and `[[target#part]]`, in order, repeats kept."""
    found = (inner.split("|")[0].split("#")[0].strip() for inner in _inner(text))
    return [target for target in found if target]


def wikilinks(text: str) -> list[str]:
    """Targets of the links in a text, in order, each once."""
    return list(dict.fromkeys(targets(text)))


def link_item(item: str) -> tuple[str, str]:
    """Target and reason of one item of `links:`: `target — why`."""
    target, _, why = item.partition(_WHY)
    return target.strip(), why.strip()


def references(links: Iterable[str], body: str, edges: Iterable[str]) -> list[tuple[str, str]]:
    """(target, kind) of every slug-shaped reference of a page, each once; kind is links, wikilink or edges."""
    found = [(link_item(item)[0], "links") for item in links]
    found += [(target, "wikilink") for target in targets(body)]
    found += [(target, "edges") for target in edges]
    return [pair for pair in dict.fromkeys(found) if is_slug(pair[0])]


def dangling(pages: Mapping[str, Iterable[tuple[str, str]]], known: Container[str]) -> list[tuple[str, str, str]]:
    """(from, to, kind) of references to pages that are not known, sorted; `pages` maps each slug to its own."""
    found = {(slug, to, kind) for slug, pairs in pages.items() for to, kind in pairs if to != slug}
    return sorted(row for row in found if row[1] not in known)
