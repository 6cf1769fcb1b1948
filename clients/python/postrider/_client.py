"""The client: its settings, and how it sends a call, with its retries."""

import http.client
import json
import re
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid
from collections.abc import Mapping
from typing import Any, Optional

from ._call import Call, Result
from ._errors import PostriderError, error_of
from ._operations import Operations
from ._retry import retry_delay


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """A redirect would carry the key to another address."""

    def redirect_request(self, *args: Any, **kwargs: Any) -> None:
        return None


class Postrider(Operations):
    """The client. Its methods are one for each operation of the API. Several threads can use it.

    timeout is the limit of each attempt in seconds; retries_max is the number of retries after 429, 502, 503, 504 and network errors.
    """

    def __init__(self, url: str, key: str, *, timeout: float = 30, retries_max: int = 4) -> None:
        if re.match(r"https?://[^/?#]", url) is None:
            raise ValueError(f"url must begin with http:// or https://: {url}")
        if not key or not key.isascii():
            raise ValueError("key must be an API key")
        self._url = url.rstrip("/")
        self._key = key
        self._timeout = timeout
        self._retries_max = retries_max
        self._opener = urllib.request.build_opener(_NoRedirects)

    def _call(self, call: Call) -> Any:
        retries_max = self._retries_max if call.retries_max is None else call.retries_max
        url = self._url + _path_of(call)
        data = _data_of(call)
        headers = self._headers_of(call)
        count = 0
        while True:
            try:
                return self._attempt(call, urllib.request.Request(url, data, headers, method=call.method))
            except PostriderError as error:
                delay = retry_delay(error, count, retries_max if call.is_retried else 0)
                if delay is None:
                    raise
            time.sleep(delay)
            count += 1

    def _headers_of(self, call: Call) -> dict[str, str]:
        headers = {"User-Agent": "postrider-python", "Accept": "application/json" if call.result == "json" else "*/*"}
        if call.needs_key:
            headers["Authorization"] = f"Bearer {self._key}"
        if call.body is not None:
            headers["Content-Type"] = call.type or "application/json"
        if call.method == "POST":
            headers["Idempotency-Key"] = call.idempotency_key or str(uuid.uuid4())
        if call.if_match is not None:
            headers["If-Match"] = call.if_match
        return headers

    def _attempt(self, call: Call, request: urllib.request.Request) -> Any:
        # A request with wait is held by the service for that time.
        limit = (self._timeout if call.timeout is None else call.timeout) + float(call.query.get("wait") or 0)
        try:
            with self._opener.open(request, timeout=limit) as response:
                return _result_of(call, response.status, response.headers, response.read())
        except urllib.error.HTTPError as error:
            with error:
                raise error_of(error.code, error.headers, _read(error)) from None
        except (OSError, http.client.HTTPException) as error:
            reason = getattr(error, "reason", error)
            if isinstance(reason, TimeoutError):
                raise PostriderError(0, "timeout", "No response within the time limit.") from error
            raise PostriderError(0, "network_error", f"The request failed: {reason}") from error


def _read(error: urllib.error.HTTPError) -> bytes:
    """The body of an error, as far as it arrived."""
    try:
        return error.read()
    except (OSError, http.client.HTTPException):
        return b""


def _path_of(call: Call) -> str:
    path = re.sub(r"\{(\w+)\}", lambda found: _segment_of(found[1], call.parameters[found[1]]), call.path)
    query = urllib.parse.urlencode({name: _text_of(value) for name, value in call.query.items() if value is not None})
    return f"{path}?{query}" if query else path


def _segment_of(name: str, value: str) -> str:
    """Proxies take "." and ".." as steps to another path."""
    if not isinstance(value, str) or value in ("", ".", ".."):
        raise ValueError(f'{name} must be a text other than "", "." and ".."')
    return urllib.parse.quote(value, safe="")


def _text_of(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _data_of(call: Call) -> Optional[bytes]:
    if call.body is None:
        return None
    if call.type is None:
        return json.dumps(call.body).encode()
    return call.body.encode() if isinstance(call.body, str) else bytes(call.body)


def _result_of(call: Call, status: int, headers: Mapping[str, str], body: bytes) -> Any:
    if call.result == "none":
        return None
    if call.result == "text":
        return body.decode()
    try:
        value = json.loads(body)
    except ValueError as error:
        detail = "The response is not JSON. Is the URL that of Postrider?"
        raise PostriderError(status, "unexpected_response", detail) from error
    if not isinstance(value, dict):
        return value
    result = Result(value)
    result.request_id = headers.get("X-Request-Id")
    result.etag = headers.get("ETag")
    result.is_replayed = headers.get("Idempotency-Replayed") == "true"
    return result
