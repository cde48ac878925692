"""The commands. Exit codes: 0 done, 1 refused or failed, 2 wrong usage, 3 nothing there to talk to."""

import json
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated, Any

import typer

from remembrancer.cli import local
from remembrancer.cli.calls import Api, Refused

app = typer.Typer(no_args_is_help=True, pretty_exceptions_enable=False, help="Long-term memory for assistants.")
token = typer.Typer(no_args_is_help=True, help="API tokens.")
app.add_typer(token, name="token")
Json = Annotated[bool, typer.Option("--json", help="One JSON object on stdout and nothing else.")]


@contextmanager
def _explained() -> Iterator[None]:
    """Turn what can go wrong into one line and an exit code."""
    try:
        yield
    except local.NotHere as error:
        typer.echo(f"remembrancer: {error}", err=True)
        raise typer.Exit(3) from None
    except Refused as error:
        typer.echo(f"remembrancer: {error}", err=True)
        raise typer.Exit(1) from None


@app.command()
def up(
    search: Annotated[str, typer.Option(help="URL of an OpenSearch, `local` to start one, or `embedded`.")] = "",
    detach: Annotated[bool, typer.Option("--detach", help="Return when it is up.")] = False,
    as_json: Json = False,
) -> None:
    """Start the whole system on this machine, deployed from the real template."""
    chosen = [*(["--search", search] if search else []), *(["--detach"] if detach else [])]
    with _explained():
        local.become("up", *chosen, *(["--json"] if as_json else []))


@app.command()
def down() -> None:
    """Stop the local system and save everything."""
    with _explained():
        local.become("down")


@app.command()
def demo(as_json: Json = False) -> None:
    """Show the main job on sample text: remember, inject, ingest, recall, consolidate."""
    from remembrancer.cli.demo import run  # rich's panels and the sample: only for this command

    with _explained():
        if not run(as_json=as_json):
            raise typer.Exit(1)


@token.command()
def create(
    space: Annotated[list[str], typer.Option(help="A space that the token may use; may be repeated.")],
    scope: Annotated[list[str] | None, typer.Option(help="read, write or admin; default read and write.")] = None,
    label: Annotated[str, typer.Option(help="What it is for.")] = "",
    as_json: Json = False,
) -> None:
    """Make a token; its text is shown this once. Talks to REMEMBRANCER_URL, else to the local system."""
    with _explained():
        url, admin = _where()
        body = {"spaces": space, "scopes": scope or ["read", "write"], "label": label}
        with Api(url, admin) as api:
            made = api.post("/v1/tokens", body)
        _show({"token": made["token"], "id": made["id"], "url": url}, "token", as_json=as_json)


@token.command()
def first(
    memory: Annotated[str, typer.Option(help="The deployed memory table, as dynamodb://TABLE.")],
    space: Annotated[list[str] | None, typer.Option(help="Spaces of the token; default `default`.")] = None,
    as_json: Json = False,
) -> None:
    """Make the first token of a deployment, with the AWS rights of the caller."""
    from remembrancer.actions.tokens import SCOPES, create_token
    from remembrancer.settings import Settings
    from remembrancer.wiring import Wiring

    parts = Wiring(Settings(memory=memory, expiring="", pages="", search=""))
    made = create_token(parts, space or ["default"], SCOPES, label="first")
    _show({"token": made["token"], "id": made["id"]}, "token", as_json=as_json)


def _where() -> tuple[str, str]:
    """URL and token from the environment, or of the local system."""
    if url := os.environ.get("REMEMBRANCER_URL"):
        return url, os.environ.get("REMEMBRANCER_TOKEN", "")
    known = local.described()
    return str(known["url"]), str(known["token"])


def _show(made: dict[str, Any], main: str, *, as_json: bool) -> None:
    sys.stdout.write((json.dumps(made) if as_json else str(made[main])) + "\n")
