"""The machine's clock and ULIDs."""

import time
from threading import Lock

from ulid import ULIDGenerator


class SystemClock:
    """See `ports.Clock`."""

    def __init__(self) -> None:
        self._ulids = ULIDGenerator()
        self._lock = Lock()
        self._last_ms = 0

    def now_ms(self) -> int:
        return time.time_ns() // 1_000_000

    def new_id(self) -> str:
        with self._lock:
            # the generator orders ids of one millisecond only; a clock that steps back must not undo the order
            self._last_ms = max(self._last_ms, self.now_ms())
            return str(self._ulids.generate(self._last_ms))
