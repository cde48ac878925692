"""What the edges log of a call: never memory text, a space only as a hash."""

import hashlib
import traceback

from aws_lambda_powertools import Logger


def hashed(space: str) -> str:
    """A space's name as logs show it."""
    return hashlib.sha256(space.encode()).hexdigest()[:12]


def unexpected(logger: Logger, error: Exception) -> None:
    """Log an error by type and place: its message may hold memory text."""
    frames = [f"{f.filename.rsplit('/', 1)[-1]}:{f.lineno}" for f in traceback.extract_tb(error.__traceback__)]
    logger.error("unexpected", exc_info=False, error=type(error).__name__, frames=frames[-8:])
