"""One connection to a domain or a node, its failures in our words."""

import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import parse_qs, urlsplit

from opensearchpy import OpenSearch, Urllib3AWSV4SignerAuth, Urllib3HttpConnection
from opensearchpy.exceptions import ConnectionError as NoConnection
from opensearchpy.exceptions import NotFoundError, TransportError

from remembrancer.errors import RemembrancerError, Throttled, Unavailable

TIMEOUT_S = 10.0
_DOMAIN = re.compile(r"\.([a-z0-9-]+)\.es\.amazonaws\.com(?:\.cn)?$")


class Client:
    """`http(s)://HOST[:PORT][?prefix=NAME&engine=ENGINE]`; requests to an AWS domain are signed."""

    def __init__(self, url: str) -> None:
        parts = urlsplit(url)
        told = {key: values[0] for key, values in parse_qs(parts.query).items()}
        self.prefix = told.get("prefix", "remembrancer")
        self.engine = told.get("engine", "lucene")
        secure = parts.scheme == "https"
        port = parts.port or (443 if secure else 9200)
        self._client = OpenSearch(
            hosts=[{"host": parts.hostname, "port": port}],
            use_ssl=secure,
            verify_certs=secure,
            http_auth=_signer(parts.hostname or ""),
            http_compress=secure,
            connection_class=Urllib3HttpConnection,
            pool_maxsize=4,
            timeout=TIMEOUT_S,
            max_retries=1,  # a connection that slept with the function is dead
            retry_on_timeout=False,
        )
        self._legacy: bool | None = None

    def call(
        self,
        method: str,
        path: str,
        body: Any = None,
        *,
        params: Mapping[str, Any] | None = None,
        timeout_s: float = TIMEOUT_S,
    ) -> Any:
        """The parsed answer, or None for 404."""
        told = {**(params or {}), "request_timeout": timeout_s}
        try:
            return self._client.transport.perform_request(method, path, params=told, body=body)
        except NotFoundError:
            return None
        except TransportError as error:
            raise failure(error) from error

    def create(self, path: str, body: Any) -> None:
        """Create an index; nothing happens when another process was faster."""
        try:
            self._client.transport.perform_request("PUT", path, params={"request_timeout": TIMEOUT_S}, body=body)
        except TransportError as error:
            if reason(error) != "resource_already_exists_exception":
                raise failure(error) from error

    def bm25_factor(self, timeout_s: float) -> float:
        """What BM25 scores are divided by: a 2.x server multiplies them by k1 + 1. Asked once in a process."""
        if self._legacy is None:
            number = self.call("GET", "/", timeout_s=timeout_s)["version"]["number"]
            self._legacy = int(number.split(".")[0]) < 3
        return 2.2 if self._legacy else 1.0

    def close(self) -> None:
        """Give the connections back."""
        self._client.close()


def _signer(host: str) -> Any:
    """The signer of an AWS domain, with this process's credentials; None for any other host."""
    found = _DOMAIN.search(host)
    if not found:
        return None
    import boto3

    return Urllib3AWSV4SignerAuth(boto3.Session().get_credentials(), found[1], "es")


def failure(error: TransportError) -> RemembrancerError:
    """Never with the server's text: it may quote the document."""
    if isinstance(error, NoConnection):
        return Unavailable("the search index does not answer")
    if error.status_code == 429 or (error.status_code == 403 and "throttled" in str(error.info).lower()):
        return Throttled("the search index is busy", retry_after_s=1)
    return Unavailable(f"the search index answered {error.status_code} ({reason(error)})")


def reason(error: TransportError) -> str:
    """The kind of a server's error, for example `mapper_parsing_exception`."""
    told = error.info.get("error") if isinstance(error.info, dict) else None
    kind = told.get("type") if isinstance(told, dict) else None
    return str(kind or "unknown")
