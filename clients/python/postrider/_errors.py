"""Errors of requests: those that the service reports, and those of the network."""

import json
from collections.abc import Mapping
from datetime import datetime, timezone
from email.utils import parsedate_to_datetime
from typing import Any, Optional


class PostriderError(Exception):
    """A request that failed.

    status is that of the response, and 0 without one. code is that of the service, or "network_error", "timeout" or
    "unexpected_response". errors has the faults of the request, each with its field. retry_after is the number of seconds until a
    retry can succeed.
    """

    def __init__(
        self,
        status: int,
        code: str,
        detail: str,
        *,
        errors: Optional[list[dict[str, Any]]] = None,
        request_id: Optional[str] = None,
        retry_after: Optional[int] = None,
    ) -> None:
        super().__init__(f"{code}: {detail}")
        self.status = status
        self.code = code
        self.detail = detail
        self.errors = errors or []
        self.request_id = request_id
        self.retry_after = retry_after


def error_of(status: int, headers: Mapping[str, str], body: bytes) -> PostriderError:
    """The error that a response is."""
    problem = _problem_in(body)
    retry_after = problem.get("retry_after")
    return PostriderError(
        status,
        problem.get("code", "unexpected_response"),
        problem.get("detail", f"The server responded with status {status}."),
        errors=problem.get("errors"),
        request_id=problem.get("request_id", headers.get("X-Request-Id")),
        retry_after=_seconds_in(headers.get("Retry-After")) if retry_after is None else retry_after,
    )


def _problem_in(body: bytes) -> dict[str, Any]:
    """The problem in a body; empty if it has none, such as the page of a proxy."""
    try:
        problem = json.loads(body)
    except ValueError:
        return {}
    return problem if isinstance(problem, dict) and "code" in problem else {}


def _seconds_in(value: Optional[str]) -> Optional[int]:
    """Retry-After has seconds or a date."""
    if value is None:
        return None
    if value.isascii() and value.isdigit() and len(value) < 10:
        return int(value)
    try:
        at = parsedate_to_datetime(value)
    except ValueError:
        return None
    if at.tzinfo is None:
        at = at.replace(tzinfo=timezone.utc)
    return max(0, round((at - datetime.now(timezone.utc)).total_seconds()))
