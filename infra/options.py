"""What a deployment may choose: the context of the app. Every option has a default that works."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

TENANT = re.compile(r"[a-z][a-z0-9]{1,14}")
"""No hyphen: two tenants can then never have a name in common. 15 characters: names of domains end at 28."""


@dataclass(frozen=True)
class Options:
    """The choices for one tenant."""

    tenant: str
    search: str = "domain"
    """`domain` (made here), or the URL of an index that is there already."""
    search_instance: str = "t3.small.search"
    search_storage_gb: int = 10
    search_zones: int = 1
    """1, or 2 for a domain with a replica in a second availability zone."""
    zone: str = "UTC"
    """IANA zone of the nightly run, and of spaces that name none."""
    log_days: int = 30
    """7, 30, 90 or 365."""
    alarm_topic: str = ""
    """ARN of the SNS topic that alarms are sent to; without one they are only seen."""
    local: bool = False
    """The variant for an emulator: no domain, no layers, nothing retained."""

    def __post_init__(self) -> None:
        if not TENANT.fullmatch(self.tenant):
            raise ValueError(f"tenant '{self.tenant}': 2 to 15 of a-z and 0-9, a letter first")
        if self.search != "domain" and "://" not in self.search:
            raise ValueError(f"search '{self.search}': 'domain' or a URL")
        if self.search == "domain" and self.local:
            raise ValueError("an emulator has no domain: give search a URL")
        if self.search_zones not in (1, 2):
            raise ValueError("search_zones: 1 or 2")
        if self.log_days not in (7, 30, 90, 365):
            raise ValueError("log_days: 7, 30, 90 or 365")
        try:
            ZoneInfo(self.zone)
        except (ZoneInfoNotFoundError, ValueError):
            raise ValueError(f"zone '{self.zone}': an IANA zone, like Europe/Berlin") from None

    def name(self, part: str) -> str:
        """The physical name of a part."""
        return f"remembrancer-{self.tenant}-{part}"


def read(context: Mapping[str, Any]) -> list[Options]:
    """One set of options a tenant, in order. Raises `ValueError` for an option that there is not."""
    known = {field.name: field.type for field in fields(Options)}
    given = {key: value for key, value in context.items() if ":" not in key}
    if unknown := sorted(given.keys() - known.keys() - {"tenants"}):
        raise ValueError(f"no such option: {', '.join(unknown)} (there are: tenants, {', '.join(known)})")
    tenants = str(given.pop("tenants", given.get("tenant", ""))).split(",")
    if tenants == [""]:
        raise ValueError("name a tenant: -c tenant=acme, or several: -c tenants=acme,globex")
    if len(set(tenants)) < len(tenants):
        raise ValueError("a tenant is named twice")
    chosen = {key: _value(key, value) for key, value in given.items() if key != "tenant"}
    return [Options(tenant, **chosen) for tenant in tenants]


def _value(name: str, text: Any) -> Any:
    if name == "local":
        return str(text).lower() == "true"
    return int(text) if name in ("search_storage_gb", "search_zones", "log_days") else str(text)
