"""Verifies webhooks: the signatures of Standard Webhooks, version 1 (HMAC-SHA256)."""

import base64
import binascii
import hashlib
import hmac
import json
import re
import time
from collections.abc import Mapping, Sequence
from typing import Optional, Union, cast

from . import types as t

_TOLERANCE = 300
_PREFIX = "whsec_"
_VERSION = "v1,"
_SIGNATURES_MAX = 16


class WebhookVerificationError(Exception):
    """A request that is not, or not any more, from Postrider."""


def verify_webhook(
    body: Union[str, bytes],
    headers: Mapping[str, str],
    secret: Union[str, Sequence[str]],
    *,
    tolerance: float = _TOLERANCE,
    now: Optional[float] = None,
) -> "t.Webhook":
    """Returns the webhook. Raises WebhookVerificationError if no signature is right or the timestamp is off.

    body is the body as it arrived: JSON that was parsed and written again has other bytes. secret is that of the endpoint, whsec_…;
    during a rotation perhaps two. tolerance is in seconds.
    """
    lower = {name.lower(): value for name, value in headers.items()}
    id_, timestamp, signatures = (_header_of(lower, f"webhook-{name}") for name in ("id", "timestamp", "signature"))
    if re.fullmatch(r"[0-9]{1,12}", timestamp) is None:
        raise WebhookVerificationError("webhook-timestamp is not a number of seconds.")
    if abs((time.time() if now is None else now) - int(timestamp)) > tolerance:
        raise WebhookVerificationError(f"webhook-timestamp is more than {tolerance} seconds off.")
    content = body.encode() if isinstance(body, str) else bytes(body)
    signed = f"{id_}.{timestamp}.".encode() + content
    keys = [_key_of(each) for each in ([secret] if isinstance(secret, str) else secret)]
    if not keys:
        raise ValueError("secret must have at least one secret")
    right = [base64.b64encode(hmac.digest(key, signed, hashlib.sha256)) for key in keys]
    for signature in signatures.split(" ")[:_SIGNATURES_MAX]:
        if not signature.startswith(_VERSION):
            continue
        # compare_digest compares in constant time.
        if any(hmac.compare_digest(signature.removeprefix(_VERSION).encode(), each) for each in right):
            return cast("t.Webhook", _parse(content))
    raise WebhookVerificationError("No signature is right: the secret is another one, or the body was changed.")


def _header_of(headers: Mapping[str, str], name: str) -> str:
    value = headers.get(name)
    if not value:
        raise WebhookVerificationError(f"The header field {name} is missing.")
    return value


def _key_of(secret: str) -> bytes:
    try:
        key = base64.b64decode(secret.removeprefix(_PREFIX), validate=True) if secret.startswith(_PREFIX) else b""
    except binascii.Error:
        key = b""
    if not key:
        # The error does not contain the secret.
        raise ValueError("secret must be whsec_ and base64")
    return key


def _parse(content: bytes) -> object:
    try:
        return json.loads(content)
    except ValueError as error:
        raise WebhookVerificationError("The body is not JSON.") from error
