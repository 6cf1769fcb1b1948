# Generated from the OpenAPI document by `npm run clients`. Do not edit.
"""One method for each operation."""

from collections.abc import Callable, Iterator
from typing import Any, Literal, Optional, Union, cast

from . import types as t
from ._call import UNSET, Call, Unset, given, iterate


class Operations:
    def _call(self, call: Call) -> Any:
        raise NotImplementedError

    def send(
        self,
        *,
        from_: str,
        to: Union[str, list[str]],
        subject: str,
        cc: Union[Union[str, list[str], None], Unset] = UNSET,
        bcc: Union[Union[str, list[str], None], Unset] = UNSET,
        reply_to: Union[Union[str, list[str], None], Unset] = UNSET,
        html: Union[Union[str, Union[str, None]], Unset] = UNSET,
        text: Union[Union[Union[str, None], str], Unset] = UNSET,
        headers: Union[Union[dict[str, Union[str, None]], None], Unset] = UNSET,
        attachments: Union[Union[list[dict[str, Any]], None], Unset] = UNSET,
        tags: Union[Union[list[str], None], Unset] = UNSET,
        metadata: Union[Union[dict[str, Union[str, None]], None], Unset] = UNSET,
        expires_in: Union[Union[int, str, None], Unset] = UNSET,
        send_at: Union[Union[str, None], Unset] = UNSET,
        unsubscribe: Union[Union[bool, None], Unset] = UNSET,
        status_page: Union[Union[bool, None], Unset] = UNSET,
        idempotency_key: Optional[str] = None,
        timeout: Optional[float] = None,
        retries_max: Optional[int] = None,
    ) -> "t.Accepted":
        """
        Send a message.

        POST /api/sending/send

        from_: The sender: `a@b` or `Name <a@b>`.
        to: The recipients, each `a@b` or `Name <a@b>`. A recipient that is repeated, also in cc or bcc, counts once.
        subject: One line of text.
        cc: Recipients of a copy, shown in the message.
        bcc: Recipients of a copy, not shown in the message.
        reply_to: The addresses that replies go to.
        html: The HTML body. At least one of `html` and `text` is required. MESSAGE_BYTES_MAX limits the whole request.
        text: The plain text body. MESSAGE_BYTES_MAX limits the whole request.
        headers: Additional header fields, name to value. Fields that Postrider or mail servers write themselves are rejected.
        attachments: Files to attach. Their size in base64 counts towards MESSAGE_BYTES_MAX.
        tags: Labels to find the message by. They are not part of the message.
        metadata: Your strings, returned by the lookup. They are not part of the message.
        expires_in: Seconds, or `30s`, `10m`, `2h`, `7d`. Recipients not delivered by then fail with the reason `expired`. RETRY_MAX_AGE is the upper limit.
        send_at: When delivery begins (RFC 3339), at most 30 days ahead. At once if it is absent or in the past. Until then, recipients are pending with the reason `scheduled`.
        unsubscribe: If true, adds a link by which the recipient unsubscribes with one click (RFC 8058): the header fields `List-Unsubscribe` and `List-Unsubscribe-Post`. The message must have exactly one recipient.
        status_page: If true, the response has `status_url`, the address of a page that shows the recipient what happened to the message. The message must have exactly one recipient.
        """
        return cast(
            "t.Accepted",
            self._call(Call(
                method="POST",
                path="/api/sending/send",
                body=given({"from": from_, "to": to, "cc": cc, "bcc": bcc, "reply_to": reply_to, "subject": subject, "html": html, "text": text, "headers": headers, "attachments": attachments, "tags": tags, "metadata": metadata, "expires_in": expires_in, "send_at": send_at, "unsubscribe": unsubscribe, "status_page": status_page}),
                result="json",
                idempotency_key=idempotency_key,
                timeout=timeout,
                retries_max=retries_max,
            )),
        )

    def send_batch(
        self,
        *,
        messages: list[Union["t.BatchHtmlMessage", "t.BatchTextMessage"]],
        idempotency_key: Optional[str] = None,
        timeout: Optional[float] = None,
        retries_max: Optional[int] = None,
    ) -> "t.BatchResult":
        """
        Send several messages.

        Each message has its own result, in the order of the request. With an Idempotency-Key, the same batch sends nothing twice; a message with its own `idempotency_key` is repeated by that key instead. The response is an error if no message could be read, if the error is about the whole batch, or if no message is accepted and a retry may succeed.

        POST /api/sending/batch

        messages: Each message is accepted or rejected separately.
        """
        return cast(
            "t.BatchResult",
            self._call(Call(
                method="POST",
                path="/api/sending/batch",
                body=given({"messages": messages}),
                result="json",
                idempotency_key=idempotency_key,
                timeout=timeout,
                retries_max=retries_max,
            )),
        )

    def list_messages(
        self,
        *,
        recipient: Union[str, Unset] = UNSET,
        from_: Union[str, Unset] = UNSET,
        result: Union[Literal["delivered", "failed", "pending", "unknown"], Unset] = UNSET,
        category: Union[Literal["bad_address", "mailbox_full", "mailbox_disabled", "rate_limited", "reputation", "authentication", "content", "policy", "too_large", "greylisted", "network", "other"], Unset] = UNSET,
        tag: Union[str, Unset] = UNSET,
        subject: Union[str, Unset] = UNSET,
        since: Union[str, Unset] = UNSET,
        until: Union[str, Unset] = UNSET,
        limit: Union[int, Unset] = UNSET,
        cursor: Union[str, Unset] = UNSET,
        timeout: Optional[float] = None,
        retries_max: Optional[int] = None,
    ) -> "t.MessageList":
        """
        List the messages that the key may read, newest first.

        A key reads the messages that it has sent. A live key without the permission `send` reads those of all keys of its account. A key with domains reads only messages that were sent from them.

        GET /api/sending/messages

        recipient: The whole address of a recipient, as it was sent.
        from_: The whole address of the sender.
        result: The result of at least one recipient: delivered, failed, pending or unknown.
        category: The category of at least one recipient (one with the result, where both are given): bad_address, mailbox_full, mailbox_disabled, rate_limited, reputation, authentication, content, policy, too_large, greylisted, network, other.
        tag: A tag of the message.
        subject: Any part of the subject.
        since: A time by RFC 3339; messages accepted then or later are shown.
        until: A time by RFC 3339; messages accepted before are shown.
        limit: A whole number from 1 to 100.
        cursor: The next_cursor of the page before, asked for with the same key.
        """
        return cast(
            "t.MessageList",
            self._call(Call(
                method="GET",
                path="/api/sending/messages",
                query=given({"recipient": recipient, "from": from_, "result": result, "category": category, "tag": tag, "subject": subject, "since": since, "until": until, "limit": limit, "cursor": cursor}),
                result="json",
                timeout=timeout,
                retries_max=retries_max,
            )),
        )

    def iterate_messages(
        self,
        *,
        recipient: Union[str, Unset] = UNSET,
        from_: Union[str, Unset] = UNSET,
        result: Union[Literal["delivered", "failed", "pending", "unknown"], Unset] = UNSET,
        category: Union[Literal["bad_address", "mailbox_full", "mailbox_disabled", "rate_limited", "reputation", "authentication", "content", "policy", "too_large", "greylisted", "network", "other"], Unset] = UNSET,
        tag: Union[str, Unset] = UNSET,
        subject: Union[str, Unset] = UNSET,
        since: Union[str, Unset] = UNSET,
        until: Union[str, Unset] = UNSET,
        limit: Union[int, Unset] = UNSET,
        cursor: Union[str, Unset] = UNSET,
        on_page: Optional[Callable[[Optional[str]], None]] = None,
        timeout: Optional[float] = None,
        retries_max: Optional[int] = None,
    ) -> "Iterator[t.MessageSummary]":
        """List the messages that the key may read, newest first: every item, page by page."""
        return iterate(
            lambda cursor: cast("dict[str, Any]", self.list_messages(cursor=cursor, recipient=recipient, from_=from_, result=result, category=category, tag=tag, subject=subject, since=since, until=until, limit=limit, timeout=timeout, retries_max=retries_max)),
            first=cursor, items="messages", next_="next_cursor", is_followed=False, on_page=on_page,
        )

    def look_up_message(
        self,
        id: str,
        *,
        wait: Union[int, Unset] = UNSET,
        timeout: Optional[float] = None,
        retries_max: Optional[int] = None,
    ) -> "t.Message":
        """
        Look up a message that the key may read.

        With `wait`, the response is held until no recipient is pending or the time is over.

        GET /api/sending/messages/{id}

        wait: A whole number of seconds from 0 to 60.
        """
        return cast(
            "t.Message",
            self._call(Call(
                method="GET",
                path="/api/sending/messages/{id}",
                parameters={"id": id},
                query=given({"wait": wait}),
                result="json",
                timeout=timeout,
                retries_max=retries_max,
            )),
        )

    def change_message(
        self,
        id: str,
        *,
        send_at: str,
        timeout: Optional[float] = None,
        retries_max: Optional[int] = None,
    ) -> "t.Message":
        """
        Send a scheduled message at another time.

        As long as its time has not come. The key needs the permissions `send` and `read`, and must be one that reads the message.

        PATCH /api/sending/messages/{id}

        send_at: When delivery begins (RFC 3339), at most 30 days ahead; now if it is in the past.
        """
        return cast(
            "t.Message",
            self._call(Call(
                method="PATCH",
                path="/api/sending/messages/{id}",
                parameters={"id": id},
                body=given({"send_at": send_at}),
                result="json",
                timeout=timeout,
                retries_max=retries_max,
            )),
        )

    def cancel_message(
        self,
        id: str,
        *,
        idempotency_key: Optional[str] = None,
        timeout: Optional[float] = None,
        retries_max: Optional[int] = None,
    ) -> "t.Message":
        """
        Cancel the delivery of a message to its pending recipients.

        They fail with the reason `cancelled`. One that may have the message from an earlier attempt is `unknown`. The key needs the permissions `send` and `read`, and must be one that reads the message.

        POST /api/sending/messages/{id}/cancel
        """
        return cast(
            "t.Message",
            self._call(Call(
                method="POST",
                path="/api/sending/messages/{id}/cancel",
                parameters={"id": id},
                result="json",
                idempotency_key=idempotency_key,
                timeout=timeout,
                retries_max=retries_max,
            )),
        )

    def create_status_link(
        self,
        id: str,
        *,
        idempotency_key: Optional[str] = None,
        timeout: Optional[float] = None,
        retries_max: Optional[int] = None,
    ) -> "t.StatusLink":
        """
        Get the link to the status page of a message.

        For a message with one recipient, who may see what happened to it. It is the same each time, and ends with the results of the message. A key reads the messages that it has sent. A live key without the permission `send` reads those of all keys of its account. A key with domains reads only messages that were sent from them.

        POST /api/sending/messages/{id}/status-link
        """
        return cast(
            "t.StatusLink",
            self._call(Call(
                method="POST",
                path="/api/sending/messages/{id}/status-link",
                parameters={"id": id},
                result="json",
                idempotency_key=idempotency_key,
                timeout=timeout,
                retries_max=retries_max,
            )),
        )

    def read_status_page(
        self,
        token: str,
        *,
        wait: Union[int, Unset] = UNSET,
        lang: Union[str, Unset] = UNSET,
        timeout: Optional[float] = None,
        retries_max: Optional[int] = None,
    ) -> "t.StatusPage":
        """
        What happened to a message, for its recipient.

        The path of `status_url`. HTML unless `Accept` prefers JSON. Any site's page may read it. With `wait`, JSON is held until the state is not `pending` or the time is over.

        GET /status/{token}

        wait: A whole number of seconds from 0 to 60.
        lang: A language such as `de`; any other than those of the page stands for that of `Accept-Language`.
        """
        return cast(
            "t.StatusPage",
            self._call(Call(
                method="GET",
                path="/status/{token}",
                parameters={"token": token},
                query=given({"wait": wait, "lang": lang}),
                result="json",
                needs_key=False,
                timeout=timeout,
                retries_max=retries_max,
            )),
        )

    def list_events(
        self,
        *,
        after: Union[str, Unset] = UNSET,
        limit: Union[int, Unset] = UNSET,
        wait: Union[int, Unset] = UNSET,
        timeout: Optional[float] = None,
        retries_max: Optional[int] = None,
    ) -> "t.EventList":
        """
        List the events of the messages that the key may read, oldest first.

        Without `after`, from the oldest event that is kept. With `wait`, a response without events is held until one occurs or the time is over.

        GET /api/sending/events

        after: The next of an earlier response.
        limit: A whole number from 1 to 100.
        wait: A whole number of seconds from 0 to 60.
        """
        return cast(
            "t.EventList",
            self._call(Call(
                method="GET",
                path="/api/sending/events",
                query=given({"after": after, "limit": limit, "wait": wait}),
                result="json",
                timeout=timeout,
                retries_max=retries_max,
            )),
        )

    def iterate_events(
        self,
        *,
        after: Union[str, Unset] = UNSET,
        limit: Union[int, Unset] = UNSET,
        wait: Union[int, Unset] = UNSET,
        on_page: Optional[Callable[[Optional[str]], None]] = None,
        timeout: Optional[float] = None,
        retries_max: Optional[int] = None,
    ) -> "Iterator[t.Event]":
        """List the events of the messages that the key may read, oldest first: every item, page by page."""
        return iterate(
            lambda cursor: cast("dict[str, Any]", self.list_events(after=cursor, limit=limit, wait=wait, timeout=timeout, retries_max=retries_max)),
            first=after, items="events", next_="next", is_followed=isinstance(wait, int) and wait > 0, on_page=on_page,
        )

    def list_domains(
        self,
        *,
        limit: Union[int, Unset] = UNSET,
        after: Union[str, Unset] = UNSET,
        account: Union[str, Unset] = UNSET,
        timeout: Optional[float] = None,
        retries_max: Optional[int] = None,
    ) -> "t.ManagedDomainList":
        """
        List the account's domains, by name.

        Needs the permission `manage` or `operate`.

        GET /api/manage/domains

        limit: A whole number from 1 to 100.
        after: Next of the page before.
        account: The name or the id of another account, of a key with the permission operate.
        """
        return cast(
            "t.ManagedDomainList",
            self._call(Call(
                method="GET",
                path="/api/manage/domains",
                query=given({"limit": limit, "after": after, "account": account}),
                result="json",
                timeout=timeout,
                retries_max=retries_max,
            )),
        )

    def iterate_domains(
        self,
        *,
        limit: Union[int, Unset] = UNSET,
        after: Union[str, Unset] = UNSET,
        account: Union[str, Unset] = UNSET,
        on_page: Optional[Callable[[Optional[str]], None]] = None,
        timeout: Optional[float] = None,
        retries_max: Optional[int] = None,
    ) -> "Iterator[t.ManagedDomainEntry]":
        """List the account's domains, by name: every item, page by page."""
        return iterate(
            lambda cursor: cast("dict[str, Any]", self.list_domains(after=cursor, limit=limit, account=account, timeout=timeout, retries_max=retries_max)),
            first=after, items="data", next_="next", is_followed=False, on_page=on_page,
        )

    def add_domain(
        self,
        *,
        name: str,
        account: Union[str, Unset] = UNSET,
        idempotency_key: Optional[str] = None,
        timeout: Optional[float] = None,
        retries_max: Optional[int] = None,
    ) -> "t.ManagedDomain":
        """
        Add a domain, and get the records to publish.

        Needs the permission `manage` or `operate`.

        POST /api/manage/domains

        name: The domain, such as `example.com`.
        account: The name or the id of another account, of a key with the permission operate.
        """
        return cast(
            "t.ManagedDomain",
            self._call(Call(
                method="POST",
                path="/api/manage/domains",
                query=given({"account": account}),
                body=given({"name": name}),
                result="json",
                idempotency_key=idempotency_key,
                timeout=timeout,
                retries_max=retries_max,
            )),
        )

    def get_domain(
        self,
        name: str,
        *,
        account: Union[str, Unset] = UNSET,
        timeout: Optional[float] = None,
        retries_max: Optional[int] = None,
    ) -> "t.ManagedDomain":
        """
        Get a domain with its checks and records.

        Needs the permission `manage` or `operate`.

        GET /api/manage/domains/{name}

        account: The name or the id of another account, of a key with the permission operate.
        """
        return cast(
            "t.ManagedDomain",
            self._call(Call(
                method="GET",
                path="/api/manage/domains/{name}",
                parameters={"name": name},
                query=given({"account": account}),
                result="json",
                timeout=timeout,
                retries_max=retries_max,
            )),
        )

    def remove_domain(
        self,
        name: str,
        *,
        account: Union[str, Unset] = UNSET,
        if_match: Optional[str] = None,
        timeout: Optional[float] = None,
        retries_max: Optional[int] = None,
    ) -> "None":
        """
        Remove a domain: sends from it are rejected from now on.

        Messages that were accepted before the removal are still signed and delivered. Needs the permission `manage` or `operate`.

        DELETE /api/manage/domains/{name}

        account: The name or the id of another account, of a key with the permission operate.
        """
        return cast(
            "None",
            self._call(Call(
                method="DELETE",
                path="/api/manage/domains/{name}",
                parameters={"name": name},
                query=given({"account": account}),
                result="none",
                if_match=if_match,
                timeout=timeout,
                retries_max=retries_max,
            )),
        )

    def verify_domain(
        self,
        name: str,
        *,
        account: Union[str, Unset] = UNSET,
        idempotency_key: Optional[str] = None,
        timeout: Optional[float] = None,
        retries_max: Optional[int] = None,
    ) -> "t.ManagedDomain":
        """
        Check a domain's records now.

        It takes a few seconds. A new DKIM key whose record is published signs from then on. Needs the permission `manage` or `operate`.

        POST /api/manage/domains/{name}/verify

        account: The name or the id of another account, of a key with the permission operate.
        """
        return cast(
            "t.ManagedDomain",
            self._call(Call(
                method="POST",
                path="/api/manage/domains/{name}/verify",
                parameters={"name": name},
                query=given({"account": account}),
                result="json",
                idempotency_key=idempotency_key,
                timeout=timeout,
                retries_max=retries_max,
            )),
        )

    def set_return_path(
        self,
        name: str,
        *,
        enabled: bool,
        account: Union[str, Unset] = UNSET,
        if_match: Optional[str] = None,
        timeout: Optional[float] = None,
        retries_max: Optional[int] = None,
    ) -> "t.ManagedReturnPath":
        """
        Turn a domain's return path on or off.

        Needs the permission `manage` or `operate`.

        PUT /api/manage/domains/{name}/return-path

        enabled: Whether bounces of its messages come back to this service.
        account: The name or the id of another account, of a key with the permission operate.
        """
        return cast(
            "t.ManagedReturnPath",
            self._call(Call(
                method="PUT",
                path="/api/manage/domains/{name}/return-path",
                parameters={"name": name},
                query=given({"account": account}),
                body=given({"enabled": enabled}),
                result="json",
                if_match=if_match,
                timeout=timeout,
                retries_max=retries_max,
            )),
        )

    def rotate_dkim(
        self,
        name: str,
        *,
        account: Union[str, Unset] = UNSET,
        idempotency_key: Optional[str] = None,
        if_match: Optional[str] = None,
        timeout: Optional[float] = None,
        retries_max: Optional[int] = None,
    ) -> "t.ManagedDomain":
        """
        Make the next DKIM key of a domain.

        `new_dkim_record` of the response is to be published. The present key signs until the record is seen; an earlier new key is dropped. Needs the permission `manage` or `operate`.

        POST /api/manage/domains/{name}/dkim-rotation

        account: The name or the id of another account, of a key with the permission operate.
        """
        return cast(
            "t.ManagedDomain",
            self._call(Call(
                method="POST",
                path="/api/manage/domains/{name}/dkim-rotation",
                parameters={"name": name},
                query=given({"account": account}),
                result="json",
                idempotency_key=idempotency_key,
                if_match=if_match,
                timeout=timeout,
                retries_max=retries_max,
            )),
        )

    def cancel_dkim_rotation(
        self,
        name: str,
        *,
        account: Union[str, Unset] = UNSET,
        if_match: Optional[str] = None,
        timeout: Optional[float] = None,
        retries_max: Optional[int] = None,
    ) -> "None":
        """
        Drop the new DKIM key of a domain that waits for its record.

        Needs the permission `manage` or `operate`.

        DELETE /api/manage/domains/{name}/dkim-rotation

        account: The name or the id of another account, of a key with the permission operate.
        """
        return cast(
            "None",
            self._call(Call(
                method="DELETE",
                path="/api/manage/domains/{name}/dkim-rotation",
                parameters={"name": name},
                query=given({"account": account}),
                result="none",
                if_match=if_match,
                timeout=timeout,
                retries_max=retries_max,
            )),
        )

    def list_domain_changes(
        self,
        name: str,
        *,
        account: Union[str, Unset] = UNSET,
        timeout: Optional[float] = None,
        retries_max: Optional[int] = None,
    ) -> "t.ManagedCheckChangeList":
        """
        List how a domain's checks changed, the newest first.

        Needs the permission `manage` or `operate`.

        GET /api/manage/domains/{name}/history

        account: The name or the id of another account, of a key with the permission operate.
        """
        return cast(
            "t.ManagedCheckChangeList",
            self._call(Call(
                method="GET",
                path="/api/manage/domains/{name}/history",
                parameters={"name": name},
                query=given({"account": account}),
                result="json",
                timeout=timeout,
                retries_max=retries_max,
            )),
        )

    def get_domain_reports(
        self,
        name: str,
        *,
        week: Union[str, Unset] = UNSET,
        account: Union[str, Unset] = UNSET,
        timeout: Optional[float] = None,
        retries_max: Optional[int] = None,
    ) -> "t.DomainReports":
        """
        Get what receivers report about a domain in a week: DMARC and TLS.

        Needs the permission `manage` or `operate`.

        GET /api/manage/domains/{name}/reports

        week: A day of the week in UTC, such as 2026-03-02.
        account: The name or the id of another account, of a key with the permission operate.
        """
        return cast(
            "t.DomainReports",
            self._call(Call(
                method="GET",
                path="/api/manage/domains/{name}/reports",
                parameters={"name": name},
                query=given({"week": week, "account": account}),
                result="json",
                timeout=timeout,
                retries_max=retries_max,
            )),
        )

    def list_keys(
        self,
        *,
        limit: Union[int, Unset] = UNSET,
        after: Union[str, Unset] = UNSET,
        account: Union[str, Unset] = UNSET,
        timeout: Optional[float] = None,
        retries_max: Optional[int] = None,
    ) -> "t.ManagedKeyList":
        """
        List the account's API keys, the oldest first.

        Needs the permission `manage` or `operate`.

        GET /api/manage/keys

        limit: A whole number from 1 to 100.
        after: Next of the page before.
        account: The name or the id of another account, of a key with the permission operate.
        """
        return cast(
            "t.ManagedKeyList",
            self._call(Call(
                method="GET",
                path="/api/manage/keys",
                query=given({"limit": limit, "after": after, "account": account}),
                result="json",
                timeout=timeout,
                retries_max=retries_max,
            )),
        )

    def iterate_keys(
        self,
        *,
        limit: Union[int, Unset] = UNSET,
        after: Union[str, Unset] = UNSET,
        account: Union[str, Unset] = UNSET,
        on_page: Optional[Callable[[Optional[str]], None]] = None,
        timeout: Optional[float] = None,
        retries_max: Optional[int] = None,
    ) -> "Iterator[t.ManagedKey]":
        """List the account's API keys, the oldest first: every item, page by page."""
        return iterate(
            lambda cursor: cast("dict[str, Any]", self.list_keys(after=cursor, limit=limit, account=account, timeout=timeout, retries_max=retries_max)),
            first=after, items="data", next_="next", is_followed=False, on_page=on_page,
        )

    def create_key(
        self,
        *,
        name: str,
        permissions: Union[list[Literal["send", "read", "manage", "operate"]], Unset] = UNSET,
        domains: Union[list[str], Unset] = UNSET,
        networks: Union[list[str], Unset] = UNSET,
        expires_at: Union[str, Unset] = UNSET,
        test: Union[bool, Unset] = UNSET,
        account: Union[str, Unset] = UNSET,
        idempotency_key: Optional[str] = None,
        timeout: Optional[float] = None,
        retries_max: Optional[int] = None,
    ) -> "t.CreatedKey":
        """
        Create an API key.

        `key` of the response is shown only this once. A key that may not operate creates none that may. Needs the permission `manage` or `operate`.

        POST /api/manage/keys

        name: The app that uses it, such as `website`.
        permissions: What it may do; `send` and `read` if absent.
        domains: The domains that the key may send from and read the messages of; all if absent.
        networks: The networks that it may be used from, such as `192.0.2.0/24`; any if absent.
        expires_at: When it stops being active; never if absent.
        test: Whether it is a test key: nothing that it sends leaves this server.
        account: The name or the id of another account, of a key with the permission operate.
        """
        return cast(
            "t.CreatedKey",
            self._call(Call(
                method="POST",
                path="/api/manage/keys",
                query=given({"account": account}),
                body=given({"name": name, "permissions": permissions, "domains": domains, "networks": networks, "expires_at": expires_at, "test": test}),
                result="json",
                idempotency_key=idempotency_key,
                timeout=timeout,
                retries_max=retries_max,
            )),
        )

    def get_key(
        self,
        id: str,
        *,
        account: Union[str, Unset] = UNSET,
        timeout: Optional[float] = None,
        retries_max: Optional[int] = None,
    ) -> "t.ManagedKey":
        """
        Get an API key, without its text.

        Needs the permission `manage` or `operate`.

        GET /api/manage/keys/{id}

        account: The name or the id of another account, of a key with the permission operate.
        """
        return cast(
            "t.ManagedKey",
            self._call(Call(
                method="GET",
                path="/api/manage/keys/{id}",
                parameters={"id": id},
                query=given({"account": account}),
                result="json",
                timeout=timeout,
                retries_max=retries_max,
            )),
        )

    def change_key(
        self,
        id: str,
        *,
        name: Union[str, Unset] = UNSET,
        permissions: Union[list[Literal["send", "read", "manage", "operate"]], Unset] = UNSET,
        domains: Union[list[str], Unset] = UNSET,
        networks: Union[list[str], Unset] = UNSET,
        expires_at: Union[str, Unset] = UNSET,
        account: Union[str, Unset] = UNSET,
        if_match: Optional[str] = None,
        timeout: Optional[float] = None,
        retries_max: Optional[int] = None,
    ) -> "t.ManagedKey":
        """
        Change an API key's name, or what it may do, from where, and how long.

        An absent field is unchanged. An empty list removes the restriction. Needs the permission `manage` or `operate`.

        PATCH /api/manage/keys/{id}

        name: The app that uses it, such as `website`.
        permissions: What it may do; `send` and `read` if absent.
        domains: The domains that the key may send from and read the messages of; all if absent.
        networks: The networks that it may be used from, such as `192.0.2.0/24`; any if absent.
        expires_at: A time by RFC 3339, or `never`.
        account: The name or the id of another account, of a key with the permission operate.
        """
        return cast(
            "t.ManagedKey",
            self._call(Call(
                method="PATCH",
                path="/api/manage/keys/{id}",
                parameters={"id": id},
                query=given({"account": account}),
                body=given({"name": name, "permissions": permissions, "domains": domains, "networks": networks, "expires_at": expires_at}),
                result="json",
                if_match=if_match,
                timeout=timeout,
                retries_max=retries_max,
            )),
        )

    def revoke_key(
        self,
        id: str,
        *,
        account: Union[str, Unset] = UNSET,
        if_match: Optional[str] = None,
        timeout: Optional[float] = None,
        retries_max: Optional[int] = None,
    ) -> "None":
        """
        Revoke an API key: requests with it are rejected from now on.

        A key that is revoked already stays so. Needs the permission `manage` or `operate`.

        DELETE /api/manage/keys/{id}

        account: The name or the id of another account, of a key with the permission operate.
        """
        return cast(
            "None",
            self._call(Call(
                method="DELETE",
                path="/api/manage/keys/{id}",
                parameters={"id": id},
                query=given({"account": account}),
                result="none",
                if_match=if_match,
                timeout=timeout,
                retries_max=retries_max,
            )),
        )

    def set_key_fuse(
        self,
        id: str,
        *,
        limit: Union[int, Unset] = UNSET,
        off: Union[bool, Unset] = UNSET,
        account: Union[str, Unset] = UNSET,
        if_match: Optional[str] = None,
        timeout: Optional[float] = None,
        retries_max: Optional[int] = None,
    ) -> "t.ManagedKey":
        """
        Set when an API key is held; without a field, if it sends far above what it normally does.

        A key that is held already stays so until it is released. Needs the permission `manage` or `operate`.

        PUT /api/manage/keys/{id}/fuse

        limit: Recipients in ten minutes above which it is held.
        off: Whether it is never held. Goes without a limit.
        account: The name or the id of another account, of a key with the permission operate.
        """
        return cast(
            "t.ManagedKey",
            self._call(Call(
                method="PUT",
                path="/api/manage/keys/{id}/fuse",
                parameters={"id": id},
                query=given({"account": account}),
                body=given({"limit": limit, "off": off}),
                result="json",
                if_match=if_match,
                timeout=timeout,
                retries_max=retries_max,
            )),
        )

    def release_key(
        self,
        id: str,
        *,
        account: Union[str, Unset] = UNSET,
        idempotency_key: Optional[str] = None,
        timeout: Optional[float] = None,
        retries_max: Optional[int] = None,
    ) -> "t.ActedKey":
        """
        Let a held API key send again, and try its held mail now.

        Needs the permission `manage` or `operate`.

        POST /api/manage/keys/{id}/release

        account: The name or the id of another account, of a key with the permission operate.
        """
        return cast(
            "t.ActedKey",
            self._call(Call(
                method="POST",
                path="/api/manage/keys/{id}/release",
                parameters={"id": id},
                query=given({"account": account}),
                result="json",
                idempotency_key=idempotency_key,
                timeout=timeout,
                retries_max=retries_max,
            )),
        )

    def cancel_held_mail(
        self,
        id: str,
        *,
        account: Union[str, Unset] = UNSET,
        idempotency_key: Optional[str] = None,
        timeout: Optional[float] = None,
        retries_max: Optional[int] = None,
    ) -> "t.ActedKey":
        """
        Cancel the mail that waits because its key is held.

        Needs the permission `manage` or `operate`.

        POST /api/manage/keys/{id}/cancel-held

        account: The name or the id of another account, of a key with the permission operate.
        """
        return cast(
            "t.ActedKey",
            self._call(Call(
                method="POST",
                path="/api/manage/keys/{id}/cancel-held",
                parameters={"id": id},
                query=given({"account": account}),
                result="json",
                idempotency_key=idempotency_key,
                timeout=timeout,
                retries_max=retries_max,
            )),
        )

    def list_webhooks(
        self,
        *,
        limit: Union[int, Unset] = UNSET,
        after: Union[str, Unset] = UNSET,
        account: Union[str, Unset] = UNSET,
        timeout: Optional[float] = None,
        retries_max: Optional[int] = None,
    ) -> "t.ManagedWebhookList":
        """
        List the account's webhook endpoints, the oldest first.

        Needs the permission `manage` or `operate`.

        GET /api/manage/webhooks

        limit: A whole number from 1 to 100.
        after: Next of the page before.
        account: The name or the id of another account, of a key with the permission operate.
        """
        return cast(
            "t.ManagedWebhookList",
            self._call(Call(
                method="GET",
                path="/api/manage/webhooks",
                query=given({"limit": limit, "after": after, "account": account}),
                result="json",
                timeout=timeout,
                retries_max=retries_max,
            )),
        )

    def iterate_webhooks(
        self,
        *,
        limit: Union[int, Unset] = UNSET,
        after: Union[str, Unset] = UNSET,
        account: Union[str, Unset] = UNSET,
        on_page: Optional[Callable[[Optional[str]], None]] = None,
        timeout: Optional[float] = None,
        retries_max: Optional[int] = None,
    ) -> "Iterator[t.ManagedWebhook]":
        """List the account's webhook endpoints, the oldest first: every item, page by page."""
        return iterate(
            lambda cursor: cast("dict[str, Any]", self.list_webhooks(after=cursor, limit=limit, account=account, timeout=timeout, retries_max=retries_max)),
            first=after, items="data", next_="next", is_followed=False, on_page=on_page,
        )

    def create_webhook(
        self,
        *,
        url: str,
        events: Union[list[Literal["message.accepted", "recipient.delivered", "recipient.deferred", "recipient.failed", "recipient.unknown", "recipient.suppressed", "recipient.bounced", "recipient.complained", "recipient.unsubscribed", "domain.verified", "domain.failing", "domain.lost"]], Unset] = UNSET,
        keys: Union[list[str], Unset] = UNSET,
        domains: Union[list[str], Unset] = UNSET,
        account: Union[str, Unset] = UNSET,
        idempotency_key: Optional[str] = None,
        timeout: Optional[float] = None,
        retries_max: Optional[int] = None,
    ) -> "t.CreatedWebhook":
        """
        Create a webhook endpoint.

        `secret` of the response is shown only this once. Needs the permission `manage` or `operate`.

        POST /api/manage/webhooks

        url: Where events are posted.
        events: The types of events that are posted; all if absent.
        keys: Ids of API keys: only events of their messages; all if absent.
        domains: Only events of these domains; all if absent.
        account: The name or the id of another account, of a key with the permission operate.
        """
        return cast(
            "t.CreatedWebhook",
            self._call(Call(
                method="POST",
                path="/api/manage/webhooks",
                query=given({"account": account}),
                body=given({"url": url, "events": events, "keys": keys, "domains": domains}),
                result="json",
                idempotency_key=idempotency_key,
                timeout=timeout,
                retries_max=retries_max,
            )),
        )

    def get_webhook(
        self,
        id: str,
        *,
        account: Union[str, Unset] = UNSET,
        timeout: Optional[float] = None,
        retries_max: Optional[int] = None,
    ) -> "t.ManagedWebhook":
        """
        Get a webhook endpoint, without its secret.

        Needs the permission `manage` or `operate`.

        GET /api/manage/webhooks/{id}

        account: The name or the id of another account, of a key with the permission operate.
        """
        return cast(
            "t.ManagedWebhook",
            self._call(Call(
                method="GET",
                path="/api/manage/webhooks/{id}",
                parameters={"id": id},
                query=given({"account": account}),
                result="json",
                timeout=timeout,
                retries_max=retries_max,
            )),
        )

    def change_webhook(
        self,
        id: str,
        *,
        url: Union[str, Unset] = UNSET,
        events: Union[list[Literal["message.accepted", "recipient.delivered", "recipient.deferred", "recipient.failed", "recipient.unknown", "recipient.suppressed", "recipient.bounced", "recipient.complained", "recipient.unsubscribed", "domain.verified", "domain.failing", "domain.lost"]], Unset] = UNSET,
        keys: Union[list[str], Unset] = UNSET,
        domains: Union[list[str], Unset] = UNSET,
        paused: Union[bool, Unset] = UNSET,
        account: Union[str, Unset] = UNSET,
        if_match: Optional[str] = None,
        timeout: Optional[float] = None,
        retries_max: Optional[int] = None,
    ) -> "t.ManagedWebhook":
        """
        Change a webhook endpoint, pause it, or resume it.

        An absent field is unchanged. An empty list removes the filter. Needs the permission `manage` or `operate`.

        PATCH /api/manage/webhooks/{id}

        url: Where events are posted.
        events: The types of events that are posted; all if absent.
        keys: Ids of API keys: only events of their messages; all if absent.
        domains: Only events of these domains; all if absent.
        paused: Whether its events wait. False enables a disabled endpoint too.
        account: The name or the id of another account, of a key with the permission operate.
        """
        return cast(
            "t.ManagedWebhook",
            self._call(Call(
                method="PATCH",
                path="/api/manage/webhooks/{id}",
                parameters={"id": id},
                query=given({"account": account}),
                body=given({"url": url, "events": events, "keys": keys, "domains": domains, "paused": paused}),
                result="json",
                if_match=if_match,
                timeout=timeout,
                retries_max=retries_max,
            )),
        )

    def remove_webhook(
        self,
        id: str,
        *,
        account: Union[str, Unset] = UNSET,
        if_match: Optional[str] = None,
        timeout: Optional[float] = None,
        retries_max: Optional[int] = None,
    ) -> "None":
        """
        Remove a webhook endpoint and its pending events.

        Needs the permission `manage` or `operate`.

        DELETE /api/manage/webhooks/{id}

        account: The name or the id of another account, of a key with the permission operate.
        """
        return cast(
            "None",
            self._call(Call(
                method="DELETE",
                path="/api/manage/webhooks/{id}",
                parameters={"id": id},
                query=given({"account": account}),
                result="none",
                if_match=if_match,
                timeout=timeout,
                retries_max=retries_max,
            )),
        )

    def test_webhook(
        self,
        id: str,
        *,
        account: Union[str, Unset] = UNSET,
        idempotency_key: Optional[str] = None,
        timeout: Optional[float] = None,
        retries_max: Optional[int] = None,
    ) -> "t.WebhookTest":
        """
        Post a test event to a webhook endpoint now.

        Needs the permission `manage` or `operate`.

        POST /api/manage/webhooks/{id}/test

        account: The name or the id of another account, of a key with the permission operate.
        """
        return cast(
            "t.WebhookTest",
            self._call(Call(
                method="POST",
                path="/api/manage/webhooks/{id}/test",
                parameters={"id": id},
                query=given({"account": account}),
                result="json",
                idempotency_key=idempotency_key,
                timeout=timeout,
                retries_max=retries_max,
            )),
        )

    def rotate_webhook(
        self,
        id: str,
        *,
        account: Union[str, Unset] = UNSET,
        idempotency_key: Optional[str] = None,
        timeout: Optional[float] = None,
        retries_max: Optional[int] = None,
    ) -> "t.CreatedWebhook":
        """
        Replace the secret of a webhook endpoint.

        `secret` of the response is shown only this once. The former secret stays valid for 24 hours: until then, requests are signed with both. Needs the permission `manage` or `operate`.

        POST /api/manage/webhooks/{id}/rotate

        account: The name or the id of another account, of a key with the permission operate.
        """
        return cast(
            "t.CreatedWebhook",
            self._call(Call(
                method="POST",
                path="/api/manage/webhooks/{id}/rotate",
                parameters={"id": id},
                query=given({"account": account}),
                result="json",
                idempotency_key=idempotency_key,
                timeout=timeout,
                retries_max=retries_max,
            )),
        )

    def replay_webhook(
        self,
        id: str,
        *,
        since: str,
        account: Union[str, Unset] = UNSET,
        idempotency_key: Optional[str] = None,
        timeout: Optional[float] = None,
        retries_max: Optional[int] = None,
    ) -> "t.WebhookReplay":
        """
        Post the events again that happened since a time, the oldest first.

        Needs the permission `manage` or `operate`.

        POST /api/manage/webhooks/{id}/replay

        since: From when on. A receiver knows repeated events by their id.
        account: The name or the id of another account, of a key with the permission operate.
        """
        return cast(
            "t.WebhookReplay",
            self._call(Call(
                method="POST",
                path="/api/manage/webhooks/{id}/replay",
                parameters={"id": id},
                query=given({"account": account}),
                body=given({"since": since}),
                result="json",
                idempotency_key=idempotency_key,
                timeout=timeout,
                retries_max=retries_max,
            )),
        )

    def list_webhook_deliveries(
        self,
        id: str,
        *,
        limit: Union[int, Unset] = UNSET,
        after: Union[str, Unset] = UNSET,
        result: Union[Literal["failed"], Unset] = UNSET,
        account: Union[str, Unset] = UNSET,
        timeout: Optional[float] = None,
        retries_max: Optional[int] = None,
    ) -> "t.WebhookDeliveryList":
        """
        List the attempts to post to a webhook endpoint, the newest first.

        Needs the permission `manage` or `operate`.

        GET /api/manage/webhooks/{id}/deliveries

        limit: A whole number from 1 to 100.
        after: Next of the page before.
        result: Failed: without those that succeeded.
        account: The name or the id of another account, of a key with the permission operate.
        """
        return cast(
            "t.WebhookDeliveryList",
            self._call(Call(
                method="GET",
                path="/api/manage/webhooks/{id}/deliveries",
                parameters={"id": id},
                query=given({"limit": limit, "after": after, "result": result, "account": account}),
                result="json",
                timeout=timeout,
                retries_max=retries_max,
            )),
        )

    def iterate_webhook_deliveries(
        self,
        id: str,
        *,
        limit: Union[int, Unset] = UNSET,
        after: Union[str, Unset] = UNSET,
        result: Union[Literal["failed"], Unset] = UNSET,
        account: Union[str, Unset] = UNSET,
        on_page: Optional[Callable[[Optional[str]], None]] = None,
        timeout: Optional[float] = None,
        retries_max: Optional[int] = None,
    ) -> "Iterator[t.WebhookDelivery]":
        """List the attempts to post to a webhook endpoint, the newest first: every item, page by page."""
        return iterate(
            lambda cursor: cast("dict[str, Any]", self.list_webhook_deliveries(id, after=cursor, limit=limit, result=result, account=account, timeout=timeout, retries_max=retries_max)),
            first=after, items="data", next_="next", is_followed=False, on_page=on_page,
        )

    def replay_webhook_event(
        self,
        id: str,
        number: str,
        *,
        account: Union[str, Unset] = UNSET,
        idempotency_key: Optional[str] = None,
        timeout: Optional[float] = None,
        retries_max: Optional[int] = None,
    ) -> "t.WebhookEventReplay":
        """
        Post one event again.

        Needs the permission `manage` or `operate`.

        POST /api/manage/webhooks/{id}/deliveries/{number}/replay

        account: The name or the id of another account, of a key with the permission operate.
        """
        return cast(
            "t.WebhookEventReplay",
            self._call(Call(
                method="POST",
                path="/api/manage/webhooks/{id}/deliveries/{number}/replay",
                parameters={"id": id, "number": number},
                query=given({"account": account}),
                result="json",
                idempotency_key=idempotency_key,
                timeout=timeout,
                retries_max=retries_max,
            )),
        )

    def list_suppressions(
        self,
        *,
        limit: Union[int, Unset] = UNSET,
        after: Union[str, Unset] = UNSET,
        cause: Union[Literal["refusals", "bounce", "manual", "unsubscribed", "complaint"], Unset] = UNSET,
        search: Union[str, Unset] = UNSET,
        account: Union[str, Unset] = UNSET,
        timeout: Optional[float] = None,
        retries_max: Optional[int] = None,
    ) -> "t.SuppressionList":
        """
        List the suppressed addresses: first those with a set cause, the newest first.

        A page of a search may have no addresses and be followed by another. Needs the permission `manage` or `operate`.

        GET /api/manage/suppressions

        limit: A whole number from 1 to 100.
        after: Next of the page before.
        cause: The cause: refusals, bounce, manual, unsubscribed, complaint.
        search: A part of the address.
        account: The name or the id of another account, of a key with the permission operate.
        """
        return cast(
            "t.SuppressionList",
            self._call(Call(
                method="GET",
                path="/api/manage/suppressions",
                query=given({"limit": limit, "after": after, "cause": cause, "search": search, "account": account}),
                result="json",
                timeout=timeout,
                retries_max=retries_max,
            )),
        )

    def iterate_suppressions(
        self,
        *,
        limit: Union[int, Unset] = UNSET,
        after: Union[str, Unset] = UNSET,
        cause: Union[Literal["refusals", "bounce", "manual", "unsubscribed", "complaint"], Unset] = UNSET,
        search: Union[str, Unset] = UNSET,
        account: Union[str, Unset] = UNSET,
        on_page: Optional[Callable[[Optional[str]], None]] = None,
        timeout: Optional[float] = None,
        retries_max: Optional[int] = None,
    ) -> "Iterator[t.Suppression]":
        """List the suppressed addresses: first those with a set cause, the newest first: every item, page by page."""
        return iterate(
            lambda cursor: cast("dict[str, Any]", self.list_suppressions(after=cursor, limit=limit, cause=cause, search=search, account=account, timeout=timeout, retries_max=retries_max)),
            first=after, items="data", next_="next", is_followed=False, on_page=on_page,
        )

    def add_suppressions(
        self,
        *,
        emails: list[str],
        cause: Union[Literal["bounce", "manual", "unsubscribed", "complaint"], Unset] = UNSET,
        until: Union[str, Unset] = UNSET,
        account: Union[str, Unset] = UNSET,
        idempotency_key: Optional[str] = None,
        timeout: Optional[float] = None,
        retries_max: Optional[int] = None,
    ) -> "t.AddedSuppressions":
        """
        Suppress up to 10000 addresses.

        An address that is suppressed already keeps the stronger cause: `complaint`, `unsubscribed`, `manual`, `bounce`. Of the same cause, the new end counts. Needs the permission `manage` or `operate`.

        POST /api/manage/suppressions

        emails: The addresses.
        cause: Why; `manual` if absent.
        until: When they end; never if absent.
        account: The name or the id of another account, of a key with the permission operate.
        """
        return cast(
            "t.AddedSuppressions",
            self._call(Call(
                method="POST",
                path="/api/manage/suppressions",
                query=given({"account": account}),
                body=given({"emails": emails, "cause": cause, "until": until}),
                result="json",
                idempotency_key=idempotency_key,
                timeout=timeout,
                retries_max=retries_max,
            )),
        )

    def get_suppression(
        self,
        email: str,
        *,
        account: Union[str, Unset] = UNSET,
        timeout: Optional[float] = None,
        retries_max: Optional[int] = None,
    ) -> "t.Suppression":
        """
        Test whether an address is suppressed, and why.

        Needs the permission `manage` or `operate`.

        GET /api/manage/suppressions/{email}

        account: The name or the id of another account, of a key with the permission operate.
        """
        return cast(
            "t.Suppression",
            self._call(Call(
                method="GET",
                path="/api/manage/suppressions/{email}",
                parameters={"email": email},
                query=given({"account": account}),
                result="json",
                timeout=timeout,
                retries_max=retries_max,
            )),
        )

    def remove_suppression(
        self,
        email: str,
        *,
        account: Union[str, Unset] = UNSET,
        timeout: Optional[float] = None,
        retries_max: Optional[int] = None,
    ) -> "None":
        """
        Allow an address again, and delete its refusals.

        Needs the permission `manage` or `operate`.

        DELETE /api/manage/suppressions/{email}

        account: The name or the id of another account, of a key with the permission operate.
        """
        return cast(
            "None",
            self._call(Call(
                method="DELETE",
                path="/api/manage/suppressions/{email}",
                parameters={"email": email},
                query=given({"account": account}),
                result="none",
                timeout=timeout,
                retries_max=retries_max,
            )),
        )

    def import_suppressions(
        self,
        body: Union[str, bytes],
        *,
        cause: Union[Literal["bounce", "manual", "unsubscribed", "complaint"], Unset] = UNSET,
        until: Union[str, Unset] = UNSET,
        dry_run: Union[Literal["true", "false"], Unset] = UNSET,
        account: Union[str, Unset] = UNSET,
        type: Literal["text/csv", "application/x-ndjson", "text/plain", "application/json"] = "text/csv",
        idempotency_key: Optional[str] = None,
        timeout: Optional[float] = None,
        retries_max: Optional[int] = None,
    ) -> "t.ImportedSuppressions":
        """
        Import suppressed addresses from a file.

        The exports of Postmark, Amazon SES, SendGrid, Resend and Postrider are recognised by their columns; a list of one address a line too. `stopped` says why a file was not read to its end. Needs the permission `manage` or `operate`.

        POST /api/manage/suppression-imports

        cause: The cause of all; that of the file if absent.
        until: When all end; as the file says if absent.
        dry_run: True: nothing is added.
        account: The name or the id of another account, of a key with the permission operate.
        """
        return cast(
            "t.ImportedSuppressions",
            self._call(Call(
                method="POST",
                path="/api/manage/suppression-imports",
                query=given({"cause": cause, "until": until, "dry_run": dry_run, "account": account}),
                body=body,
                type=type,
                result="json",
                idempotency_key=idempotency_key,
                timeout=timeout,
                retries_max=retries_max,
            )),
        )

    def export_suppressions(
        self,
        *,
        cause: Union[Literal["refusals", "bounce", "manual", "unsubscribed", "complaint"], Unset] = UNSET,
        search: Union[str, Unset] = UNSET,
        format: Union[Literal["csv", "ndjson"], Unset] = UNSET,
        account: Union[str, Unset] = UNSET,
        timeout: Optional[float] = None,
        retries_max: Optional[int] = None,
    ) -> "str":
        """
        Export the suppressed addresses, as CSV or NDJSON.

        Needs the permission `manage` or `operate`.

        GET /api/manage/suppression-exports

        cause: The cause: refusals, bounce, manual, unsubscribed, complaint.
        search: A part of the address.
        format: Csv or ndjson; csv if absent.
        account: The name or the id of another account, of a key with the permission operate.
        """
        return cast(
            "str",
            self._call(Call(
                method="GET",
                path="/api/manage/suppression-exports",
                query=given({"cause": cause, "search": search, "format": format, "account": account}),
                result="text",
                timeout=timeout,
                retries_max=retries_max,
            )),
        )

    def cancel_recipients(
        self,
        id: str,
        *,
        recipient: Union[str, Unset] = UNSET,
        account: Union[str, Unset] = UNSET,
        idempotency_key: Optional[str] = None,
        timeout: Optional[float] = None,
        retries_max: Optional[int] = None,
    ) -> "t.Message":
        """
        Cancel the delivery to a message's pending recipients, or to one of them.

        Needs the permission `manage` or `operate`.

        POST /api/manage/messages/{id}/cancel

        recipient: The address of one recipient; all of the message if absent.
        account: The name or the id of another account, of a key with the permission operate.
        """
        return cast(
            "t.Message",
            self._call(Call(
                method="POST",
                path="/api/manage/messages/{id}/cancel",
                parameters={"id": id},
                query=given({"account": account}),
                body=given({"recipient": recipient}),
                result="json",
                idempotency_key=idempotency_key,
                timeout=timeout,
                retries_max=retries_max,
            )),
        )

    def retry_recipients(
        self,
        id: str,
        *,
        recipient: Union[str, Unset] = UNSET,
        results: Union[list[Literal["pending", "failed", "unknown"]], Unset] = UNSET,
        account: Union[str, Unset] = UNSET,
        idempotency_key: Optional[str] = None,
        timeout: Optional[float] = None,
        retries_max: Optional[int] = None,
    ) -> "t.Message":
        """
        Try a message's recipients now, or one of them.

        Pending and failed ones, unless `results` says so. An unknown recipient may get the message twice, so it is sent again only if `results` has `unknown`. Needs the permission `manage` or `operate`.

        POST /api/manage/messages/{id}/retry

        recipient: The address of one recipient; all of the message if absent.
        results: Which recipients are tried.
        account: The name or the id of another account, of a key with the permission operate.
        """
        return cast(
            "t.Message",
            self._call(Call(
                method="POST",
                path="/api/manage/messages/{id}/retry",
                parameters={"id": id},
                query=given({"account": account}),
                body=given({"recipient": recipient, "results": results}),
                result="json",
                idempotency_key=idempotency_key,
                timeout=timeout,
                retries_max=retries_max,
            )),
        )

    def resolve_recipients(
        self,
        id: str,
        *,
        as_: Literal["delivered", "failed"],
        recipient: Union[str, Unset] = UNSET,
        account: Union[str, Unset] = UNSET,
        idempotency_key: Optional[str] = None,
        timeout: Optional[float] = None,
        retries_max: Optional[int] = None,
    ) -> "t.Message":
        """
        Decide what a message's unknown recipients are, or one of them.

        Needs the permission `manage` or `operate`.

        POST /api/manage/messages/{id}/resolve

        as_: What the recipients are from now on.
        recipient: The address of one recipient; all of the message if absent.
        account: The name or the id of another account, of a key with the permission operate.
        """
        return cast(
            "t.Message",
            self._call(Call(
                method="POST",
                path="/api/manage/messages/{id}/resolve",
                parameters={"id": id},
                query=given({"account": account}),
                body=given({"as": as_, "recipient": recipient}),
                result="json",
                idempotency_key=idempotency_key,
                timeout=timeout,
                retries_max=retries_max,
            )),
        )

    def discard_message(
        self,
        id: str,
        *,
        idempotency_key: Optional[str] = None,
        timeout: Optional[float] = None,
        retries_max: Optional[int] = None,
    ) -> "t.DiscardedMessage":
        """
        Discard a quarantined message: its recipients without a final result fail.

        Needs the permission `operate`.

        POST /api/manage/messages/{id}/discard
        """
        return cast(
            "t.DiscardedMessage",
            self._call(Call(
                method="POST",
                path="/api/manage/messages/{id}/discard",
                parameters={"id": id},
                result="json",
                idempotency_key=idempotency_key,
                timeout=timeout,
                retries_max=retries_max,
            )),
        )

    def act_on_messages(
        self,
        *,
        action: Literal["cancel", "retry", "resolve"],
        filter: Union[dict[str, Any], Unset] = UNSET,
        result: Union[Literal["failed", "pending", "unknown"], Unset] = UNSET,
        as_: Union[Literal["delivered", "failed"], Unset] = UNSET,
        dry_run: Union[bool, Unset] = UNSET,
        account: Union[str, Unset] = UNSET,
        idempotency_key: Optional[str] = None,
        timeout: Optional[float] = None,
        retries_max: Optional[int] = None,
    ) -> "t.ActionOnMessages":
        """
        Cancel, send again or mark all recipients that a filter selects.

        At most 25,000 recipients, the newest first, and for at most 20 seconds: while `complete` is false, the same request covers the rest. With `dry_run`, nothing changes. Needs the permission `manage` or `operate`.

        POST /api/manage/messages/actions

        action: The action to perform on each selected recipient.
        filter: What selects the recipients; all of the account if absent.
        result: Of `retry`: which recipients. `pending` if absent. Unknown ones may get the message twice.
        as_: Of `resolve`: what the recipients are from now on.
        dry_run: Whether the recipients are only counted.
        account: The name or the id of another account, of a key with the permission operate.
        """
        return cast(
            "t.ActionOnMessages",
            self._call(Call(
                method="POST",
                path="/api/manage/messages/actions",
                query=given({"account": account}),
                body=given({"action": action, "filter": filter, "result": result, "as": as_, "dry_run": dry_run}),
                result="json",
                idempotency_key=idempotency_key,
                timeout=timeout,
                retries_max=retries_max,
            )),
        )

    def get_usage(
        self,
        *,
        account: Union[str, Unset] = UNSET,
        timeout: Optional[float] = None,
        retries_max: Optional[int] = None,
    ) -> "t.Usage":
        """
        Get what the account uses, and its limits.

        Needs the permission `manage` or `operate`.

        GET /api/manage/usage

        account: The name or the id of another account, of a key with the permission operate.
        """
        return cast(
            "t.Usage",
            self._call(Call(
                method="GET",
                path="/api/manage/usage",
                query=given({"account": account}),
                result="json",
                timeout=timeout,
                retries_max=retries_max,
            )),
        )

    def list_audit(
        self,
        *,
        limit: Union[int, Unset] = UNSET,
        after: Union[str, Unset] = UNSET,
        action: Union[str, Unset] = UNSET,
        by: Union[str, Unset] = UNSET,
        target: Union[str, Unset] = UNSET,
        since: Union[str, Unset] = UNSET,
        until: Union[str, Unset] = UNSET,
        account: Union[str, Unset] = UNSET,
        timeout: Optional[float] = None,
        retries_max: Optional[int] = None,
    ) -> "t.AuditList":
        """
        List the entries of the audit trail, the newest first.

        With a key that may operate and without `account`: in all accounts, and in the installation. Needs the permission `manage` or `operate`.

        GET /api/manage/audit

        limit: A whole number from 1 to 100.
        after: Next of the page before.
        action: The beginning of an action, such as domain.
        by: A part of the name of who changed something.
        target: A part of the name or id of the changed object.
        since: A time by RFC 3339; changes then or later.
        until: A time by RFC 3339; changes before.
        account: The name or the id of another account, of a key with the permission operate.
        """
        return cast(
            "t.AuditList",
            self._call(Call(
                method="GET",
                path="/api/manage/audit",
                query=given({"limit": limit, "after": after, "action": action, "by": by, "target": target, "since": since, "until": until, "account": account}),
                result="json",
                timeout=timeout,
                retries_max=retries_max,
            )),
        )

    def iterate_audit(
        self,
        *,
        limit: Union[int, Unset] = UNSET,
        after: Union[str, Unset] = UNSET,
        action: Union[str, Unset] = UNSET,
        by: Union[str, Unset] = UNSET,
        target: Union[str, Unset] = UNSET,
        since: Union[str, Unset] = UNSET,
        until: Union[str, Unset] = UNSET,
        account: Union[str, Unset] = UNSET,
        on_page: Optional[Callable[[Optional[str]], None]] = None,
        timeout: Optional[float] = None,
        retries_max: Optional[int] = None,
    ) -> "Iterator[t.AuditEntry]":
        """List the entries of the audit trail, the newest first: every item, page by page."""
        return iterate(
            lambda cursor: cast("dict[str, Any]", self.list_audit(after=cursor, limit=limit, action=action, by=by, target=target, since=since, until=until, account=account, timeout=timeout, retries_max=retries_max)),
            first=after, items="data", next_="next", is_followed=False, on_page=on_page,
        )

    def run_command(
        self,
        body: Union[str, bytes],
        *,
        account: Union[str, Unset] = UNSET,
        type: Literal["application/octet-stream"] = "application/octet-stream",
        idempotency_key: Optional[str] = None,
        timeout: Optional[float] = None,
        retries_max: Optional[int] = None,
    ) -> "str":
        """
        Run a command of the command line.

        The command line uses it where it does not run on the host. The first line of the body is `{"arguments":[…]}`, with `"confirmed":true` once the user has confirmed what the command asks; what follows is the command's input. The response has a JSON object a line: `part` and `out` for its output, `working` while there is none, and at the end `result`, `confirm` or `refused`. A command on the installation needs a key with the permission `operate`. Needs the permission `manage` or `operate`.

        POST /api/manage/commands

        account: The name or the id of another account, of a key with the permission operate.
        """
        return cast(
            "str",
            self._call(Call(
                method="POST",
                path="/api/manage/commands",
                query=given({"account": account}),
                body=body,
                type=type,
                result="text",
                idempotency_key=idempotency_key,
                timeout=timeout,
                retries_max=retries_max,
            )),
        )

    def list_accounts(
        self,
        *,
        limit: Union[int, Unset] = UNSET,
        after: Union[str, Unset] = UNSET,
        timeout: Optional[float] = None,
        retries_max: Optional[int] = None,
    ) -> "t.AccountList":
        """
        List the accounts, by name.

        Needs the permission `operate`.

        GET /api/manage/accounts

        limit: A whole number from 1 to 100.
        after: Next of the page before.
        """
        return cast(
            "t.AccountList",
            self._call(Call(
                method="GET",
                path="/api/manage/accounts",
                query=given({"limit": limit, "after": after}),
                result="json",
                timeout=timeout,
                retries_max=retries_max,
            )),
        )

    def iterate_accounts(
        self,
        *,
        limit: Union[int, Unset] = UNSET,
        after: Union[str, Unset] = UNSET,
        on_page: Optional[Callable[[Optional[str]], None]] = None,
        timeout: Optional[float] = None,
        retries_max: Optional[int] = None,
    ) -> "Iterator[t.Account]":
        """List the accounts, by name: every item, page by page."""
        return iterate(
            lambda cursor: cast("dict[str, Any]", self.list_accounts(after=cursor, limit=limit, timeout=timeout, retries_max=retries_max)),
            first=after, items="data", next_="next", is_followed=False, on_page=on_page,
        )

    def create_account(
        self,
        *,
        name: str,
        idempotency_key: Optional[str] = None,
        timeout: Optional[float] = None,
        retries_max: Optional[int] = None,
    ) -> "t.Account":
        """
        Create an account, with its own domains, keys and messages.

        Needs the permission `operate`.

        POST /api/manage/accounts

        name: A name of 1 to 63 characters of a-z, 0-9, - and _.
        """
        return cast(
            "t.Account",
            self._call(Call(
                method="POST",
                path="/api/manage/accounts",
                body=given({"name": name}),
                result="json",
                idempotency_key=idempotency_key,
                timeout=timeout,
                retries_max=retries_max,
            )),
        )

    def get_account(
        self,
        name: str,
        *,
        timeout: Optional[float] = None,
        retries_max: Optional[int] = None,
    ) -> "t.Account":
        """
        Get an account, by its name or id.

        Needs the permission `operate`.

        GET /api/manage/accounts/{name}
        """
        return cast(
            "t.Account",
            self._call(Call(
                method="GET",
                path="/api/manage/accounts/{name}",
                parameters={"name": name},
                result="json",
                timeout=timeout,
                retries_max=retries_max,
            )),
        )

    def delete_account(
        self,
        name: str,
        *,
        if_match: Optional[str] = None,
        timeout: Optional[float] = None,
        retries_max: Optional[int] = None,
    ) -> "t.DeletedAccount":
        """
        Delete an account: its API keys are rejected at once.

        Until `restorable_until` it can be restored. Then all that belongs to it is removed. Needs the permission `operate`.

        DELETE /api/manage/accounts/{name}
        """
        return cast(
            "t.DeletedAccount",
            self._call(Call(
                method="DELETE",
                path="/api/manage/accounts/{name}",
                parameters={"name": name},
                result="json",
                if_match=if_match,
                timeout=timeout,
                retries_max=retries_max,
            )),
        )

    def set_quota(
        self,
        name: str,
        *,
        daily: Union[int, Unset] = UNSET,
        if_match: Optional[str] = None,
        timeout: Optional[float] = None,
        retries_max: Optional[int] = None,
    ) -> "t.Account":
        """
        Set the recipients that an account may address in a UTC day.

        Needs the permission `operate`.

        PUT /api/manage/accounts/{name}/quota

        daily: The number of recipients; 0 for no limit, QUOTA_DAILY if absent.
        """
        return cast(
            "t.Account",
            self._call(Call(
                method="PUT",
                path="/api/manage/accounts/{name}/quota",
                parameters={"name": name},
                body=given({"daily": daily}),
                result="json",
                if_match=if_match,
                timeout=timeout,
                retries_max=retries_max,
            )),
        )

    def set_status_pages(
        self,
        name: str,
        *,
        enabled: bool,
        if_match: Optional[str] = None,
        timeout: Optional[float] = None,
        retries_max: Optional[int] = None,
    ) -> "t.Account":
        """
        Allow status pages of an account's messages, or end them.

        Needs the permission `operate`.

        PUT /api/manage/accounts/{name}/status-pages

        enabled: Whether messages may have status pages; if not, links made before show nothing.
        """
        return cast(
            "t.Account",
            self._call(Call(
                method="PUT",
                path="/api/manage/accounts/{name}/status-pages",
                parameters={"name": name},
                body=given({"enabled": enabled}),
                result="json",
                if_match=if_match,
                timeout=timeout,
                retries_max=retries_max,
            )),
        )

    def restore_account(
        self,
        name: str,
        *,
        idempotency_key: Optional[str] = None,
        timeout: Optional[float] = None,
        retries_max: Optional[int] = None,
    ) -> "t.Account":
        """
        Restore a deleted account.

        Needs the permission `operate`.

        POST /api/manage/accounts/{name}/restore
        """
        return cast(
            "t.Account",
            self._call(Call(
                method="POST",
                path="/api/manage/accounts/{name}/restore",
                parameters={"name": name},
                result="json",
                idempotency_key=idempotency_key,
                timeout=timeout,
                retries_max=retries_max,
            )),
        )

    def list_users(
        self,
        *,
        limit: Union[int, Unset] = UNSET,
        after: Union[str, Unset] = UNSET,
        name: Union[str, Unset] = UNSET,
        timeout: Optional[float] = None,
        retries_max: Optional[int] = None,
    ) -> "t.UserList":
        """
        List the users, by email address.

        Needs the permission `operate`.

        GET /api/manage/users

        limit: A whole number from 1 to 100.
        after: Next of the page before.
        name: The name or the id of an account.
        """
        return cast(
            "t.UserList",
            self._call(Call(
                method="GET",
                path="/api/manage/users",
                query=given({"limit": limit, "after": after, "name": name}),
                result="json",
                timeout=timeout,
                retries_max=retries_max,
            )),
        )

    def iterate_users(
        self,
        *,
        limit: Union[int, Unset] = UNSET,
        after: Union[str, Unset] = UNSET,
        name: Union[str, Unset] = UNSET,
        on_page: Optional[Callable[[Optional[str]], None]] = None,
        timeout: Optional[float] = None,
        retries_max: Optional[int] = None,
    ) -> "Iterator[t.User]":
        """List the users, by email address: every item, page by page."""
        return iterate(
            lambda cursor: cast("dict[str, Any]", self.list_users(after=cursor, limit=limit, name=name, timeout=timeout, retries_max=retries_max)),
            first=after, items="data", next_="next", is_followed=False, on_page=on_page,
        )

    def remove_user(
        self,
        email: str,
        *,
        name: Union[str, Unset] = UNSET,
        timeout: Optional[float] = None,
        retries_max: Optional[int] = None,
    ) -> "None":
        """
        Remove a user: their sessions end at once.

        With `name`, only from that account; a user of no other account is removed as a whole. Needs the permission `operate`.

        DELETE /api/manage/users/{email}

        name: The name or the id of an account.
        """
        return cast(
            "None",
            self._call(Call(
                method="DELETE",
                path="/api/manage/users/{email}",
                parameters={"email": email},
                query=given({"name": name}),
                result="none",
                timeout=timeout,
                retries_max=retries_max,
            )),
        )

    def list_invitations(
        self,
        name: str,
        *,
        limit: Union[int, Unset] = UNSET,
        after: Union[str, Unset] = UNSET,
        timeout: Optional[float] = None,
        retries_max: Optional[int] = None,
    ) -> "t.InvitationList":
        """
        List the open invitations to an account, the oldest first.

        Needs the permission `operate`.

        GET /api/manage/accounts/{name}/invitations

        limit: A whole number from 1 to 100.
        after: Next of the page before.
        """
        return cast(
            "t.InvitationList",
            self._call(Call(
                method="GET",
                path="/api/manage/accounts/{name}/invitations",
                parameters={"name": name},
                query=given({"limit": limit, "after": after}),
                result="json",
                timeout=timeout,
                retries_max=retries_max,
            )),
        )

    def iterate_invitations(
        self,
        name: str,
        *,
        limit: Union[int, Unset] = UNSET,
        after: Union[str, Unset] = UNSET,
        on_page: Optional[Callable[[Optional[str]], None]] = None,
        timeout: Optional[float] = None,
        retries_max: Optional[int] = None,
    ) -> "Iterator[t.Invitation]":
        """List the open invitations to an account, the oldest first: every item, page by page."""
        return iterate(
            lambda cursor: cast("dict[str, Any]", self.list_invitations(name, after=cursor, limit=limit, timeout=timeout, retries_max=retries_max)),
            first=after, items="data", next_="next", is_followed=False, on_page=on_page,
        )

    def invite_user(
        self,
        name: str,
        *,
        email: str,
        role: Union[Literal["owner", "developer", "viewer"], Unset] = UNSET,
        idempotency_key: Optional[str] = None,
        timeout: Optional[float] = None,
        retries_max: Optional[int] = None,
    ) -> "t.InvitedUser":
        """
        Invite a person to an account.

        `link` of the response is shown only this once. It is sent if the account has a verified domain. A user of another account joins this one with it. Needs the permission `operate`.

        POST /api/manage/accounts/{name}/invitations

        email: The person's email address.
        role: What the user may do in the account; `owner` if absent.
        """
        return cast(
            "t.InvitedUser",
            self._call(Call(
                method="POST",
                path="/api/manage/accounts/{name}/invitations",
                parameters={"name": name},
                body=given({"email": email, "role": role}),
                result="json",
                idempotency_key=idempotency_key,
                timeout=timeout,
                retries_max=retries_max,
            )),
        )

    def revoke_invitation(
        self,
        name: str,
        id: str,
        *,
        timeout: Optional[float] = None,
        retries_max: Optional[int] = None,
    ) -> "None":
        """
        Revoke an open invitation: its link ends.

        Needs the permission `operate`.

        DELETE /api/manage/accounts/{name}/invitations/{id}
        """
        return cast(
            "None",
            self._call(Call(
                method="DELETE",
                path="/api/manage/accounts/{name}/invitations/{id}",
                parameters={"name": name, "id": id},
                result="none",
                timeout=timeout,
                retries_max=retries_max,
            )),
        )

    def list_receivers(
        self,
        *,
        limit: Union[int, Unset] = UNSET,
        after: Union[str, Unset] = UNSET,
        timeout: Optional[float] = None,
        retries_max: Optional[int] = None,
    ) -> "t.ReceiverList":
        """
        List who takes mail, by name: limits, and whether they accept it now.

        Needs the permission `operate`.

        GET /api/manage/receivers

        limit: A whole number from 1 to 100.
        after: Next of the page before.
        """
        return cast(
            "t.ReceiverList",
            self._call(Call(
                method="GET",
                path="/api/manage/receivers",
                query=given({"limit": limit, "after": after}),
                result="json",
                timeout=timeout,
                retries_max=retries_max,
            )),
        )

    def iterate_receivers(
        self,
        *,
        limit: Union[int, Unset] = UNSET,
        after: Union[str, Unset] = UNSET,
        on_page: Optional[Callable[[Optional[str]], None]] = None,
        timeout: Optional[float] = None,
        retries_max: Optional[int] = None,
    ) -> "Iterator[t.Receiver]":
        """List who takes mail, by name: limits, and whether they accept it now: every item, page by page."""
        return iterate(
            lambda cursor: cast("dict[str, Any]", self.list_receivers(after=cursor, limit=limit, timeout=timeout, retries_max=retries_max)),
            first=after, items="data", next_="next", is_followed=False, on_page=on_page,
        )

    def get_receiver(
        self,
        name: str,
        *,
        timeout: Optional[float] = None,
        retries_max: Optional[int] = None,
    ) -> "t.Receiver":
        """
        Get a receiver.

        Needs the permission `operate`.

        GET /api/manage/receivers/{name}
        """
        return cast(
            "t.Receiver",
            self._call(Call(
                method="GET",
                path="/api/manage/receivers/{name}",
                parameters={"name": name},
                result="json",
                timeout=timeout,
                retries_max=retries_max,
            )),
        )

    def set_receiver_limits(
        self,
        name: str,
        *,
        connections: Union[int, Unset] = UNSET,
        messages_per_connection: Union[int, Unset] = UNSET,
        messages_per_minute: Union[int, Unset] = UNSET,
        pause_seconds: Union[int, Unset] = UNSET,
        if_match: Optional[str] = None,
        timeout: Optional[float] = None,
        retries_max: Optional[int] = None,
    ) -> "t.Receiver":
        """
        Set limits of a receiver; those that are absent stay as they are.

        Delivery follows within 10 seconds, on every node. Needs the permission `operate`.

        PUT /api/manage/receivers/{name}/limits

        connections: Connections at one time, of all nodes.
        messages_per_connection: Messages before a connection is ended.
        messages_per_minute: Messages in a minute, of all nodes.
        pause_seconds: How long nothing is sent after a reply about the rate that does not say how long.
        """
        return cast(
            "t.Receiver",
            self._call(Call(
                method="PUT",
                path="/api/manage/receivers/{name}/limits",
                parameters={"name": name},
                body=given({"connections": connections, "messages_per_connection": messages_per_connection, "messages_per_minute": messages_per_minute, "pause_seconds": pause_seconds}),
                result="json",
                if_match=if_match,
                timeout=timeout,
                retries_max=retries_max,
            )),
        )

    def reset_receiver_limits(
        self,
        name: str,
        *,
        if_match: Optional[str] = None,
        timeout: Optional[float] = None,
        retries_max: Optional[int] = None,
    ) -> "None":
        """
        Remove the limits that were set for a receiver.

        Needs the permission `operate`.

        DELETE /api/manage/receivers/{name}/limits
        """
        return cast(
            "None",
            self._call(Call(
                method="DELETE",
                path="/api/manage/receivers/{name}/limits",
                parameters={"name": name},
                result="none",
                if_match=if_match,
                timeout=timeout,
                retries_max=retries_max,
            )),
        )

    def get_queue(
        self,
        *,
        timeout: Optional[float] = None,
        retries_max: Optional[int] = None,
    ) -> "t.Queue":
        """
        List waiting recipients of all accounts, by recipient domain.

        Needs the permission `operate`.

        GET /api/manage/queue
        """
        return cast(
            "t.Queue",
            self._call(Call(
                method="GET",
                path="/api/manage/queue",
                result="json",
                timeout=timeout,
                retries_max=retries_max,
            )),
        )

    def pause_destination(
        self,
        domain: str,
        *,
        idempotency_key: Optional[str] = None,
        timeout: Optional[float] = None,
        retries_max: Optional[int] = None,
    ) -> "t.PausedDestination":
        """
        Make no attempt at a recipient domain until it is resumed.

        Needs the permission `operate`.

        POST /api/manage/destinations/{domain}/pause
        """
        return cast(
            "t.PausedDestination",
            self._call(Call(
                method="POST",
                path="/api/manage/destinations/{domain}/pause",
                parameters={"domain": domain},
                result="json",
                idempotency_key=idempotency_key,
                timeout=timeout,
                retries_max=retries_max,
            )),
        )

    def resume_destination(
        self,
        domain: str,
        *,
        idempotency_key: Optional[str] = None,
        timeout: Optional[float] = None,
        retries_max: Optional[int] = None,
    ) -> "t.PausedDestination":
        """
        Go on with attempts at a recipient domain.

        Needs the permission `operate`.

        POST /api/manage/destinations/{domain}/resume
        """
        return cast(
            "t.PausedDestination",
            self._call(Call(
                method="POST",
                path="/api/manage/destinations/{domain}/resume",
                parameters={"domain": domain},
                result="json",
                idempotency_key=idempotency_key,
                timeout=timeout,
                retries_max=retries_max,
            )),
        )

    def retry_destination(
        self,
        domain: str,
        *,
        idempotency_key: Optional[str] = None,
        timeout: Optional[float] = None,
        retries_max: Optional[int] = None,
    ) -> "t.RetriedDestination":
        """
        Try all pending recipients at a domain now.

        Needs the permission `operate`.

        POST /api/manage/destinations/{domain}/retry
        """
        return cast(
            "t.RetriedDestination",
            self._call(Call(
                method="POST",
                path="/api/manage/destinations/{domain}/retry",
                parameters={"domain": domain},
                result="json",
                idempotency_key=idempotency_key,
                timeout=timeout,
                retries_max=retries_max,
            )),
        )

    def list_nodes(
        self,
        *,
        limit: Union[int, Unset] = UNSET,
        after: Union[str, Unset] = UNSET,
        timeout: Optional[float] = None,
        retries_max: Optional[int] = None,
    ) -> "t.NodeList":
        """
        List the nodes that share the database, by name; none where the spool belongs to one service.

        Needs the permission `operate`.

        GET /api/manage/nodes

        limit: A whole number from 1 to 100.
        after: Next of the page before.
        """
        return cast(
            "t.NodeList",
            self._call(Call(
                method="GET",
                path="/api/manage/nodes",
                query=given({"limit": limit, "after": after}),
                result="json",
                timeout=timeout,
                retries_max=retries_max,
            )),
        )

    def iterate_nodes(
        self,
        *,
        limit: Union[int, Unset] = UNSET,
        after: Union[str, Unset] = UNSET,
        on_page: Optional[Callable[[Optional[str]], None]] = None,
        timeout: Optional[float] = None,
        retries_max: Optional[int] = None,
    ) -> "Iterator[t.Node]":
        """List the nodes that share the database, by name; none where the spool belongs to one service: every item, page by page."""
        return iterate(
            lambda cursor: cast("dict[str, Any]", self.list_nodes(after=cursor, limit=limit, timeout=timeout, retries_max=retries_max)),
            first=after, items="data", next_="next", is_followed=False, on_page=on_page,
        )

    def drain_node(
        self,
        name: str,
        *,
        idempotency_key: Optional[str] = None,
        timeout: Optional[float] = None,
        retries_max: Optional[int] = None,
    ) -> "t.DrainedNode":
        """
        Drain a node: it completes its messages and takes no new ones.

        `state` in the list of nodes is `drained` once it has. Needs the permission `operate`.

        POST /api/manage/nodes/{name}/drain
        """
        return cast(
            "t.DrainedNode",
            self._call(Call(
                method="POST",
                path="/api/manage/nodes/{name}/drain",
                parameters={"name": name},
                result="json",
                idempotency_key=idempotency_key,
                timeout=timeout,
                retries_max=retries_max,
            )),
        )

    def resume_node(
        self,
        name: str,
        *,
        idempotency_key: Optional[str] = None,
        timeout: Optional[float] = None,
        retries_max: Optional[int] = None,
    ) -> "t.ResumedNode":
        """
        Let a draining node claim again.

        Needs the permission `operate`.

        POST /api/manage/nodes/{name}/resume
        """
        return cast(
            "t.ResumedNode",
            self._call(Call(
                method="POST",
                path="/api/manage/nodes/{name}/resume",
                parameters={"name": name},
                result="json",
                idempotency_key=idempotency_key,
                timeout=timeout,
                retries_max=retries_max,
            )),
        )

    def get_doctor(
        self,
        *,
        timeout: Optional[float] = None,
        retries_max: Optional[int] = None,
    ) -> "t.Findings":
        """
        Get what stops or hurts delivery from the host of this node, as last examined.

        Needs the permission `operate`.

        GET /api/manage/doctor
        """
        return cast(
            "t.Findings",
            self._call(Call(
                method="GET",
                path="/api/manage/doctor",
                result="json",
                timeout=timeout,
                retries_max=retries_max,
            )),
        )

    def run_doctor(
        self,
        *,
        idempotency_key: Optional[str] = None,
        timeout: Optional[float] = None,
        retries_max: Optional[int] = None,
    ) -> "t.Findings":
        """
        Examine the host of this node now.

        It takes up to 30 seconds. Needs the permission `operate`.

        POST /api/manage/doctor
        """
        return cast(
            "t.Findings",
            self._call(Call(
                method="POST",
                path="/api/manage/doctor",
                result="json",
                idempotency_key=idempotency_key,
                timeout=timeout,
                retries_max=retries_max,
            )),
        )

    def run_preflight(
        self,
        *,
        address: Union[str, Unset] = UNSET,
        receiver: Union[str, Unset] = UNSET,
        idempotency_key: Optional[str] = None,
        timeout: Optional[float] = None,
        retries_max: Optional[int] = None,
    ) -> "t.Preflight":
        """
        See whether large receivers take mail from the addresses of this node.

        A session with each of them, in which nothing is sent. It takes up to 20 seconds, and each receiver is tried once an hour at most. Needs the permission `operate`.

        POST /api/manage/preflight

        address: The sending address; all of the host if absent.
        receiver: The name of one receiver with a profile.
        """
        return cast(
            "t.Preflight",
            self._call(Call(
                method="POST",
                path="/api/manage/preflight",
                query=given({"address": address, "receiver": receiver}),
                result="json",
                idempotency_key=idempotency_key,
                timeout=timeout,
                retries_max=retries_max,
            )),
        )

    def list_addresses(
        self,
        *,
        limit: Union[int, Unset] = UNSET,
        after: Union[str, Unset] = UNSET,
        timeout: Optional[float] = None,
        retries_max: Optional[int] = None,
    ) -> "t.SendingAddressList":
        """
        List the sending addresses; without one, mail leaves from what the system chooses.

        Needs the permission `operate`.

        GET /api/manage/addresses

        limit: A whole number from 1 to 100.
        after: Next of the page before.
        """
        return cast(
            "t.SendingAddressList",
            self._call(Call(
                method="GET",
                path="/api/manage/addresses",
                query=given({"limit": limit, "after": after}),
                result="json",
                timeout=timeout,
                retries_max=retries_max,
            )),
        )

    def iterate_addresses(
        self,
        *,
        limit: Union[int, Unset] = UNSET,
        after: Union[str, Unset] = UNSET,
        on_page: Optional[Callable[[Optional[str]], None]] = None,
        timeout: Optional[float] = None,
        retries_max: Optional[int] = None,
    ) -> "Iterator[t.SendingAddressEntry]":
        """List the sending addresses; without one, mail leaves from what the system chooses: every item, page by page."""
        return iterate(
            lambda cursor: cast("dict[str, Any]", self.list_addresses(after=cursor, limit=limit, timeout=timeout, retries_max=retries_max)),
            first=after, items="data", next_="next", is_followed=False, on_page=on_page,
        )

    def add_address(
        self,
        *,
        address: str,
        name: str,
        bind: Union[str, Unset] = UNSET,
        pool: Union[str, Unset] = UNSET,
        warm_up: Union[bool, Unset] = UNSET,
        idempotency_key: Optional[str] = None,
        timeout: Optional[float] = None,
        retries_max: Optional[int] = None,
    ) -> "t.SendingAddress":
        """
        Add a sending address.

        Delivery follows within 10 seconds, on every node that has the address. Needs the permission `operate`.

        POST /api/manage/addresses

        address: The IP address as receivers see it.
        name: The name for EHLO, such as `mail1.example.com`.
        bind: The local address that connections leave from, where a provider translates it to the address.
        pool: The pool; `default` if absent.
        warm_up: Whether it begins with few messages a day.
        """
        return cast(
            "t.SendingAddress",
            self._call(Call(
                method="POST",
                path="/api/manage/addresses",
                body=given({"address": address, "name": name, "bind": bind, "pool": pool, "warm_up": warm_up}),
                result="json",
                idempotency_key=idempotency_key,
                timeout=timeout,
                retries_max=retries_max,
            )),
        )

    def get_address(
        self,
        address: str,
        *,
        timeout: Optional[float] = None,
        retries_max: Optional[int] = None,
    ) -> "t.SendingAddress":
        """
        Get a sending address, and how far it is warmed up at each receiver.

        Needs the permission `operate`.

        GET /api/manage/addresses/{address}
        """
        return cast(
            "t.SendingAddress",
            self._call(Call(
                method="GET",
                path="/api/manage/addresses/{address}",
                parameters={"address": address},
                result="json",
                timeout=timeout,
                retries_max=retries_max,
            )),
        )

    def change_address(
        self,
        address: str,
        *,
        paused: bool,
        if_match: Optional[str] = None,
        timeout: Optional[float] = None,
        retries_max: Optional[int] = None,
    ) -> "t.SendingAddress":
        """
        Pause or resume a sending address.

        Attempts in progress from it complete. Delivery follows within 10 seconds. Needs the permission `operate`.

        PATCH /api/manage/addresses/{address}

        paused: Whether nothing more may leave from it.
        """
        return cast(
            "t.SendingAddress",
            self._call(Call(
                method="PATCH",
                path="/api/manage/addresses/{address}",
                parameters={"address": address},
                body=given({"paused": paused}),
                result="json",
                if_match=if_match,
                timeout=timeout,
                retries_max=retries_max,
            )),
        )

    def remove_address(
        self,
        address: str,
        *,
        if_match: Optional[str] = None,
        timeout: Optional[float] = None,
        retries_max: Optional[int] = None,
    ) -> "None":
        """
        Remove a sending address; attempts in progress from it complete.

        Needs the permission `operate`.

        DELETE /api/manage/addresses/{address}
        """
        return cast(
            "None",
            self._call(Call(
                method="DELETE",
                path="/api/manage/addresses/{address}",
                parameters={"address": address},
                result="none",
                if_match=if_match,
                timeout=timeout,
                retries_max=retries_max,
            )),
        )

    def set_warm_up(
        self,
        address: str,
        *,
        day: Union[Union[int, str], Unset] = UNSET,
        receiver: Union[str, Unset] = UNSET,
        schedule: Union[Union[list[int], str], Unset] = UNSET,
        off: Union[bool, Unset] = UNSET,
        if_match: Optional[str] = None,
        timeout: Optional[float] = None,
        retries_max: Optional[int] = None,
    ) -> "t.SendingAddress":
        """
        Begin, change or end the warm-up of a sending address; what is absent stays as it is.

        Needs the permission `operate`.

        PUT /api/manage/addresses/{address}/warm-up

        day: The day of the schedule, from 1 on; `end` for no limit.
        receiver: The name of the receiver that `day` is for; all if absent.
        schedule: Messages of each day, none fewer than the day before; `default` for the default schedule.
        off: Whether the warm-up ends. Goes with no other field.
        """
        return cast(
            "t.SendingAddress",
            self._call(Call(
                method="PUT",
                path="/api/manage/addresses/{address}/warm-up",
                parameters={"address": address},
                body=given({"day": day, "receiver": receiver, "schedule": schedule, "off": off}),
                result="json",
                if_match=if_match,
                timeout=timeout,
                retries_max=retries_max,
            )),
        )

    def list_pools(
        self,
        *,
        limit: Union[int, Unset] = UNSET,
        after: Union[str, Unset] = UNSET,
        timeout: Optional[float] = None,
        retries_max: Optional[int] = None,
    ) -> "t.SendingPoolList":
        """
        List the pools, by name, with their addresses and whose mail leaves from them.

        Needs the permission `operate`.

        GET /api/manage/pools

        limit: A whole number from 1 to 100.
        after: Next of the page before.
        """
        return cast(
            "t.SendingPoolList",
            self._call(Call(
                method="GET",
                path="/api/manage/pools",
                query=given({"limit": limit, "after": after}),
                result="json",
                timeout=timeout,
                retries_max=retries_max,
            )),
        )

    def iterate_pools(
        self,
        *,
        limit: Union[int, Unset] = UNSET,
        after: Union[str, Unset] = UNSET,
        on_page: Optional[Callable[[Optional[str]], None]] = None,
        timeout: Optional[float] = None,
        retries_max: Optional[int] = None,
    ) -> "Iterator[t.SendingPool]":
        """List the pools, by name, with their addresses and whose mail leaves from them: every item, page by page."""
        return iterate(
            lambda cursor: cast("dict[str, Any]", self.list_pools(after=cursor, limit=limit, timeout=timeout, retries_max=retries_max)),
            first=after, items="data", next_="next", is_followed=False, on_page=on_page,
        )

    def create_pool(
        self,
        *,
        name: str,
        idempotency_key: Optional[str] = None,
        timeout: Optional[float] = None,
        retries_max: Optional[int] = None,
    ) -> "t.SendingPool":
        """
        Create a pool.

        Needs the permission `operate`.

        POST /api/manage/pools

        name: Its name: 1 to 32 lower-case letters, digits and hyphens, beginning with a letter.
        """
        return cast(
            "t.SendingPool",
            self._call(Call(
                method="POST",
                path="/api/manage/pools",
                body=given({"name": name}),
                result="json",
                idempotency_key=idempotency_key,
                timeout=timeout,
                retries_max=retries_max,
            )),
        )

    def get_pool(
        self,
        name: str,
        *,
        timeout: Optional[float] = None,
        retries_max: Optional[int] = None,
    ) -> "t.SendingPool":
        """
        Get a pool.

        Needs the permission `operate`.

        GET /api/manage/pools/{name}
        """
        return cast(
            "t.SendingPool",
            self._call(Call(
                method="GET",
                path="/api/manage/pools/{name}",
                parameters={"name": name},
                result="json",
                timeout=timeout,
                retries_max=retries_max,
            )),
        )

    def remove_pool(
        self,
        name: str,
        *,
        if_match: Optional[str] = None,
        timeout: Optional[float] = None,
        retries_max: Optional[int] = None,
    ) -> "None":
        """
        Remove a pool without addresses: its mail is of the default pool from then on.

        Needs the permission `operate`.

        DELETE /api/manage/pools/{name}
        """
        return cast(
            "None",
            self._call(Call(
                method="DELETE",
                path="/api/manage/pools/{name}",
                parameters={"name": name},
                result="none",
                if_match=if_match,
                timeout=timeout,
                retries_max=retries_max,
            )),
        )

    def assign_pool(
        self,
        name: str,
        *,
        account: Union[str, Unset] = UNSET,
        tag: Union[str, Unset] = UNSET,
        domain: Union[str, Unset] = UNSET,
        if_match: Optional[str] = None,
        timeout: Optional[float] = None,
        retries_max: Optional[int] = None,
    ) -> "t.SendingPool":
        """
        Let the mail of an account, of a tag of an account, or of a sender domain leave from a pool.

        It leaves from no other pool then. The pool `default` ends an assignment. Needs the permission `operate`.

        PUT /api/manage/pools/{name}/assignments

        account: The name or the id of an account.
        tag: A tag of messages of the account.
        domain: A sender domain, in place of an account.
        """
        return cast(
            "t.SendingPool",
            self._call(Call(
                method="PUT",
                path="/api/manage/pools/{name}/assignments",
                parameters={"name": name},
                body=given({"account": account, "tag": tag, "domain": domain}),
                result="json",
                if_match=if_match,
                timeout=timeout,
                retries_max=retries_max,
            )),
        )

    def health(
        self,
        *,
        timeout: Optional[float] = None,
        retries_max: Optional[int] = None,
    ) -> "t.Health":
        """
        Liveness.

        GET /healthz
        """
        return cast(
            "t.Health",
            self._call(Call(
                method="GET",
                path="/healthz",
                result="json",
                needs_key=False,
                timeout=timeout,
                retries_max=retries_max,
            )),
        )

    def readiness(
        self,
        *,
        timeout: Optional[float] = None,
        retries_max: Optional[int] = None,
    ) -> "t.Readiness":
        """
        Readiness.

        GET /readyz
        """
        return cast(
            "t.Readiness",
            self._call(Call(
                method="GET",
                path="/readyz",
                result="json",
                needs_key=False,
                is_retried=False,
                timeout=timeout,
                retries_max=retries_max,
            )),
        )

    def metrics(
        self,
        *,
        timeout: Optional[float] = None,
        retries_max: Optional[int] = None,
    ) -> "str":
        """
        Metrics for Prometheus.

        GET /metrics
        """
        return cast(
            "str",
            self._call(Call(
                method="GET",
                path="/metrics",
                result="text",
                needs_key=False,
                timeout=timeout,
                retries_max=retries_max,
            )),
        )

    def open_api(
        self,
        *,
        timeout: Optional[float] = None,
        retries_max: Optional[int] = None,
    ) -> "Any":
        """
        This document.

        GET /openapi.json
        """
        return cast(
            "Any",
            self._call(Call(
                method="GET",
                path="/openapi.json",
                result="json",
                needs_key=False,
                timeout=timeout,
                retries_max=retries_max,
            )),
        )
