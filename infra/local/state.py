"""Where the local system keeps things: `.remembrancer/` beside the sources, and what is running there."""

import json
from dataclasses import asdict, dataclass, fields
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


@dataclass
class System:
    """One local system. Everything but `home` is kept in `system.json`, readable by its owner only."""

    home: Path
    port: int = 0
    """Of the emulated AWS."""
    api_port: int = 0
    """Of the deployed API."""
    pid: int = 0
    search: str = ""
    search_port: int = 0
    """Of an OpenSearch that was started for it; 0 when there is none."""
    token: str = ""
    deployed: str = ""
    """Hash of the deployed template."""

    @classmethod
    def load(cls, home: Path) -> "System":
        """The system of this folder; an empty one when there is none yet."""
        path = home / "system.json"
        known = {field.name for field in fields(cls)}
        stored = json.loads(path.read_text()) if path.exists() else {}
        return cls(home, **{key: value for key, value in stored.items() if key in known})

    def save(self) -> None:
        """Write it, whole or not at all."""
        self.home.mkdir(parents=True, exist_ok=True)
        draft = self.home / "system.json.new"
        known = {key: value for key, value in asdict(self).items() if key != "home"}
        text = json.dumps({**known, "url": self.url}, indent=2)
        draft.touch(mode=0o600)
        draft.write_text(text + "\n")
        draft.replace(self.home / "system.json")

    @property
    def endpoint(self) -> str:
        """Address of the emulated AWS."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def url(self) -> str:
        """Address of the API."""
        return f"http://127.0.0.1:{self.api_port}"
