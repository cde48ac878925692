"""Every deliberate error, with the HTTP status and the code that a caller sees.

::

    RemembrancerError 500
    ├── Invalid 400              the request breaks a rule; `field` names the place
    ├── Unauthorized 401         no token, or one that is not known
    ├── Forbidden 403            the token carries neither this space nor this scope
    ├── NotFound 404             no such thing in this space
    ├── Disabled 409             memory is off where a refusal is right
    ├── Conflict 409             somebody else holds the lease (`retry_after_s`)
    │   └── LeaseLost 409        this holder's fence is not the current one any more
    ├── DeletionBudget 409       a run would remove more of a space than it may
    ├── PreconditionFailed 412   the thing changed since the caller read it
    ├── TooLarge 413             over a limit of the service
    ├── Unsupported 415          not a JSON body
    ├── Throttled 429            too many requests (`retry_after_s`)
    └── Unavailable 503          a backend that the answer needs does not answer
"""


class RemembrancerError(Exception):
    """Root of the tree. `str(error)` is safe to show: it never holds memory text or a stack."""

    status = 500
    code = "internal"

    def __init__(self, message: str, *, field: str = "", retry_after_s: int = 0) -> None:
        super().__init__(message)
        self.message = message
        self.field = field
        self.retry_after_s = retry_after_s


class Invalid(RemembrancerError):
    """The request breaks a rule; nothing was changed."""

    status = 400
    code = "invalid"


class Disabled(RemembrancerError):
    """Memory is switched off for the space."""

    status = 409
    code = "disabled"


class Unauthorized(RemembrancerError):
    """No token, or one that is unknown, wrong or revoked."""

    status = 401
    code = "unauthorized"


class Forbidden(RemembrancerError):
    """The token is good but carries neither this space nor this scope."""

    status = 403
    code = "forbidden"


class NotFound(RemembrancerError):
    """There is no such thing in this space."""

    status = 404
    code = "not_found"


class Conflict(RemembrancerError):
    """The lease of the space is held; the message names its purpose and since when."""

    status = 409
    code = "conflict"


class LeaseLost(Conflict):
    """This holder's fence is not the current one any more: stop before the next write."""


class DeletionBudget(RemembrancerError):
    """A run would remove more of a space than it may: its pages are put back, a person has to look."""

    status = 409
    code = "deletion_budget"


class PreconditionFailed(RemembrancerError):
    """The stored thing is not the one the caller names."""

    status = 412
    code = "precondition_failed"


class TooLarge(RemembrancerError):
    """Over one of the documented limits."""

    status = 413
    code = "too_large"


class Unsupported(RemembrancerError):
    """The body is not JSON by its content type."""

    status = 415
    code = "unsupported"


class Throttled(RemembrancerError):
    """Too many requests; try again later."""

    status = 429
    code = "throttled"


class Unavailable(RemembrancerError):
    """A backend that the answer needs gave none."""

    status = 503
    code = "unavailable"
