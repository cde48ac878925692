"""`python -m infra.local up|down`: see `remembrancer up --help`."""

import argparse
import json
import shlex
import signal
import subprocess
from pathlib import Path

from infra.local import emulator, up
from infra.local.screen import console
from infra.local.state import ROOT, System


def _show(system: System, *, json_wanted: bool) -> None:
    if json_wanted:
        print(json.dumps({"url": system.url, "token": system.token, "search": system.search}), flush=True)
        return
    url, token = shlex.quote(system.url), shlex.quote(system.token)
    print(
        f"""
  URL     {system.url}
  token   {system.token}
  search  {system.search}
  data    {system.home}

  export REMEMBRANCER_URL={url} REMEMBRANCER_TOKEN={token}
  curl -sS "$REMEMBRANCER_URL/v1/memory/remember" -H "Authorization: Bearer $REMEMBRANCER_TOKEN" \\
    -H 'Content-Type: application/json' -d '{{"content": ["Ada takes her tea without milk"]}}'
""",
        flush=True,
    )


def _interrupt(*_: object) -> None:
    raise KeyboardInterrupt


def main() -> None:
    """Parse and do."""
    parser = argparse.ArgumentParser(prog="remembrancer")
    parser.add_argument("command", choices=("up", "down"))
    parser.add_argument("--home", type=Path, default=ROOT / ".remembrancer")
    parser.add_argument("--search", default="")
    parser.add_argument("--detach", action="store_true")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    home = options.home.resolve()
    if options.command == "down":
        print("stopped, everything saved" if up.down(home) else "nothing was running")
        return
    signal.signal(signal.SIGTERM, _interrupt)
    found = emulator.running(System.load(home))
    try:
        system = up.up(home, options.search)
    except BaseException as error:
        if not found:
            up.down(home)  # half a start is not left behind
        if isinstance(error, subprocess.CalledProcessError):
            raise SystemExit(f"{shlex.join(map(str, error.cmd))} has failed") from None
        if isinstance(error, KeyboardInterrupt):
            raise SystemExit(130) from None
        raise
    _show(system, json_wanted=options.json)
    if options.detach:
        return
    console.print("Ctrl-C stops the system and saves everything.")
    up.wait(system)


if __name__ == "__main__":
    main()
