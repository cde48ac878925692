"""Links in text and frontmatter."""

from collections.abc import Callable, Container, Iterable, Iterator, Mapping

from remembrancer.core.slugs import is_slug

_WHY = " \u2014 "


def spans(text: str) -> Iterator[tuple[int, int, str]]:
    """Start, end and target of each link that has one; one pass, however many brackets stay open."""
    start = 0
    while (close := text.find("]", start)) >= 0:
        opened = text.find("[[", start, close)
        start = close + 1
        if opened >= 0 and text.startswith("]]", close):
            start = close + 2
            if target := text[opened + 2 : close].split("|")[0].split("#")[0].strip():
                yield opened, start, target


def targets(text: str) -> list[str]:
    """Targets of `[[target]]`, `[[target|shown]]` and `[[target#part]]`, in order, repeats kept."""
    return [target for _, _, target in spans(text)]


def wikilinks(text: str) -> list[str]:
    """Targets of the links in a text, in order, each once."""
    return list(dict.fromkeys(targets(text)))


def shown(text: str, name: Callable[[str], str]) -> str:
    """The text with every link replaced by what its target is called."""
    pieces, last = [], 0
    for start, end, target in spans(text):
        pieces += [text[last:start], name(target)]
        last = end
    return "".join([*pieces, text[last:]])


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
