"""One request, as the generated methods describe it."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Optional


class Unset:
    """An argument that is not given. None is JSON's null."""

    def __repr__(self) -> str:
        return "UNSET"


UNSET = Unset()


class Result(dict[str, Any]):
    """An object that a method returned, with what its response said beside the body."""

    request_id: Optional[str] = None
    # For if_match of a change; None where the operation has none.
    etag: Optional[str] = None
    # Whether the response repeats that of an earlier request with the same idempotency key.
    is_replayed: bool = False


@dataclass(frozen=True)
class Call:
    method: str
    # With parameters in braces.
    path: str
    # "json", "text" or "none".
    result: str
    parameters: Mapping[str, str] = field(default_factory=dict)
    query: Mapping[str, Any] = field(default_factory=dict)
    # A dictionary; text or bytes with a type.
    body: Any = None
    type: Optional[str] = None
    needs_key: bool = True
    is_retried: bool = True
    idempotency_key: Optional[str] = None
    if_match: Optional[str] = None
    timeout: Optional[float] = None
    retries_max: Optional[int] = None


def given(values: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments that were given."""
    return {name: value for name, value in values.items() if value is not UNSET}


def iterate(
    read: Callable[[Any], Mapping[str, Any]],
    *,
    first: Any,
    items: str,
    next_: str,
    is_followed: bool,
    on_page: Optional[Callable[[Optional[str]], None]],
) -> Iterator[Any]:
    """Yields the items of all pages.

    A list ends where a page has no next cursor, or where it is empty and its cursor is the one that was asked with. A list that is
    followed goes on, since each request waits for items.
    """
    cursor = first
    while True:
        page = read(cursor)
        yield from page[items]
        following = page[next_]
        if on_page is not None:
            on_page(following)
        if following is None or (not page[items] and following == cursor and not is_followed):
            return
        cursor = following
