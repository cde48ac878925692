"""The bench of consolidation, small: functions die at random calls and nothing is lost, doubled or torn."""

from tests.faults import consolidation
from tests.system import System


def test_forty_deaths_lose_double_and_tear_nothing(tenant: System) -> None:
    figures, detail = consolidation.run(tenant, kills=40, seed=7)
    assert figures["kills"] == 40
    assert {name: figures[name] for name in consolidation.FIGURES} == dict.fromkeys(consolidation.FIGURES, 0), (
        detail
    )
