"""The environment as one frozen model; nothing else reads it."""

import os
from collections.abc import Mapping

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from remembrancer.errors import RemembrancerError

PREFIX = "REMEMBRANCER_"


class Settings(BaseModel):
    """Where the parts are, as URLs, and what the deployment chose.

    Variables are the field names in capitals behind `REMEMBRANCER_`.
    """

    model_config = ConfigDict(frozen=True, extra="ignore")

    tenant: str = "local"
    memory: str = Field(description="dynamodb://TABLE, durable items")
    expiring: str = Field(description="dynamodb://TABLE, items that end by themselves")
    pages: str = Field(description="s3://BUCKET")
    search: str = Field(
        description="https://HOST[?prefix=NAME], http://HOST:PORT for a local node, or sqlite://PATH"
    )
    embedder: str = Field(default="onnx:///opt/embedder", description="onnx://FOLDER")
    consolidate: str = Field(default="", description="ARN of the state machine")
    bus: str = Field(default="", description="name of the event bus")
    tenant_zone: str = "UTC"
    version: str = "0.1.0"


def load(environ: Mapping[str, str] | None = None) -> Settings:
    """Read the settings; a bad environment is named whole, variable by variable."""
    source = os.environ if environ is None else environ
    values = {k.removeprefix(PREFIX).lower(): v for k, v in source.items() if k.startswith(PREFIX)}
    try:
        return Settings.model_validate(values)
    except ValidationError as error:
        names = "; ".join(f"{PREFIX}{str(e['loc'][0]).upper()}: {e['msg']}" for e in error.errors())
        raise RemembrancerError(f"bad environment: {names}") from error
