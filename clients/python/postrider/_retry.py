"""Which errors are retried, and when."""

import random
from typing import Optional

from ._errors import PostriderError

# Without a response, rate limits, and a service or proxy that is not available.
_RETRIED = {0, 429, 502, 503, 504}
# A longer wait is the caller's decision.
_RETRY_AFTER_MAX = 60
_DELAY_MAX = 16.0


def retry_delay(error: PostriderError, count: int, retries_max: int) -> Optional[float]:
    """The seconds before the next attempt; None if the error is final. count is the number of retries so far."""
    if count >= retries_max or error.status not in _RETRIED:
        return None
    if error.retry_after is not None:
        return None if error.retry_after > _RETRY_AFTER_MAX else float(error.retry_after)
    # Clients that failed together do not retry together.
    return min(2.0**count, _DELAY_MAX) * random.uniform(0.5, 1)
