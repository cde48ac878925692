"""AwsSolutions rules that do not hold here, each with its reason. Everything else must."""

from aws_cdk import Acknowledgment, App, Stack, Validations
from cdk_nag import AwsSolutionsChecks

REASONS: dict[str, str] = {}


def check(app: App) -> None:
    """Have every stack of the app held against the rules; a finding ends the synth."""
    Validations.of(app).add_plugins(AwsSolutionsChecks(app))


def acknowledge(stack: Stack) -> None:
    """Say why the rules of `REASONS` do not hold."""
    found = [Acknowledgment(id=f"AwsSolutions::AwsSolutions-{rule}", reason=why) for rule, why in REASONS.items()]
    Validations.of(stack).acknowledge(*found)
