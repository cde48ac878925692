"""GET /v1/memory/stats."""

from typing import Any

from remembrancer.actions.stats import stats
from remembrancer.http import Api
from remembrancer.wiring import wiring

handler = Api()


@handler.route("GET", "/v1/memory/stats", "read", operation_id="memory_stats_get", tags=["memory"])
def get() -> dict[str, Any]:
    return stats(wiring(), handler.space)
