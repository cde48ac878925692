"""Links in text and frontmatter."""

import re
from collections.abc import Iterable

from remembrancer.core.slugs import is_slug

_WIKILINK = re.compile(r"\[\[([^\]]+)\]\]")
_WHY = " \u2014 "


def targets(text: str) -> list[str]:
    """Targets of `[[target]]`, `[[target|shown]]` and `[[target#part]]`, in order, repeats kept."""
    found = (match.split("|")[0].split("#")[0].strip() for match in _WIKILINK.findall(text))
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
