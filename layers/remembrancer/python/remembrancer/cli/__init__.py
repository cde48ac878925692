"""The command line: `remembrancer`."""


def main() -> None:
    """Run the command that the arguments name."""
    from remembrancer.cli.app import app  # typer and rich take half a second: not for those who only import us

    app()
