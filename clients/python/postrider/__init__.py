"""The client of Postrider. It needs the standard library alone."""

from ._call import Result
from ._client import Postrider
from ._errors import PostriderError
from .webhooks import WebhookVerificationError, verify_webhook

__all__ = ["Postrider", "PostriderError", "Result", "WebhookVerificationError", "verify_webhook"]
