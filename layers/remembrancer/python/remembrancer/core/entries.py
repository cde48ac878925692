"""What an entry is, and the rules for its text.

Shown text keeps NFC and its own spacing. Comparison (duplicate guard, exact rule, tombstones) works on the
normalised text: NFKC, casefold, white space runs to one space, trimmed (`NORM_V`).
"""

import hashlib
import re
import unicodedata
from dataclasses import dataclass, replace

from remembrancer.errors import Invalid, TooLarge

KINDS = ("semantic", "episodic", "procedural")
NORM_V = 1
MAX_CHARS = 16_000
MAX_BYTES = 64 * 1024
MAX_ITEMS = 100

_LINE_ENDS = re.compile("\r\n|[\r\v\f\x85\u2028\u2029]")
_SURROGATE = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Entry:
    """One remembered fact. Instants are UTC milliseconds; `zone` is an IANA name or a `±hh:mm` offset.

    `fence` is that of the run whose stamp made it superseded.
    """

    id: str
    text: str
    kind: str = "semantic"
    at_ms: int = 0
    zone: str = "UTC"
    remembered_ms: int = 0
    source: str = ""
    sources: tuple[str, ...] = ()
    session_id: str = ""
    speaker: str = ""
    category: str = ""
    importance: float | None = None
    tags: tuple[str, ...] = ()
    links: tuple[str, ...] = ()
    rev: int = 1
    last_confirmed_ms: int = 0
    filed_by: str = ""
    filed_to: tuple[str, ...] = ()
    superseded_by: str = ""
    fence: int = 0
    rule: str = ""
    score: float | None = None
    stamped_by: str = ""
    pinned: bool = False
    edited: bool = False
    conflicts: tuple[str, ...] = ()
    twins: tuple[str, ...] = ()

    @property
    def active(self) -> bool:
        """True until something supersedes it."""
        return not self.superseded_by

    def seen(self, frame: int) -> "Entry":
        """The entry as readers see it: a stamp counts once the frame of its fence is committed."""
        if self.fence <= frame:
            return self
        return replace(self, superseded_by="", rule="", score=None, stamped_by="", fence=0)

    @property
    def pending(self) -> bool:
        """True while it waits in the buffer."""
        return not self.filed_by

    @property
    def said_ms(self) -> int:
        """When it was said last: its own time, or that of a later confirmation."""
        return self.last_confirmed_ms if self.last_confirmed_ms > self.remembered_ms else self.at_ms

    @property
    def lines(self) -> int:
        """Non-empty lines of its text: what the buffer's size is counted in."""
        return sum(bool(line.strip()) for line in self.text.split("\n"))


def clean_text(text: str) -> str:
    """The text as it is stored: NFC, every line end LF, no blank edges. Lone surrogates are refused."""
    if _SURROGATE.search(text):
        raise Invalid("text holds a lone surrogate", field="content")
    cleaned = unicodedata.normalize("NFC", _LINE_ENDS.sub("\n", text)).strip()
    if len(cleaned) > MAX_CHARS or len(cleaned.encode()) > MAX_BYTES:
        raise TooLarge(f"an entry holds at most {MAX_CHARS} characters and {MAX_BYTES} bytes", field="content")
    return cleaned


def normalise(text: str) -> str:
    """The form in which two texts are the same fact."""
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


def text_hash(text: str) -> str:
    """Hex sha256 of the normalised text: key of the duplicate guard and of tombstones."""
    return hashlib.sha256(normalise(text).encode()).hexdigest()
