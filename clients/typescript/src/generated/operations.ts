// Generated from the OpenAPI document by `npm run clients`. Do not edit.

import type { Call, ChangeOptions, IterationOptions, RequestOptions } from "../call.js";
import { iterate } from "../pages.js";
import type * as T from "./types.js";

/** One method for each operation. */
export abstract class Operations {
  protected abstract call<R>(call: Call): Promise<R>;

  /**
   * Send a message.
   * `POST /api/sending/send`
   */
  send(body: T.SendRequest, options: RequestOptions = {}): Promise<T.Accepted> {
    return this.call<T.Accepted>({
      method: "POST",
      path: "/api/sending/send",
      body,
      result: "json",
      options,
    });
  }

  /**
   * Send several messages.
   * Each message has its own result, in the order of the request. With an Idempotency-Key, the same batch sends nothing twice; a message with its own `idempotency_key` is repeated by that key instead. The response is an error if no message could be read, if the error is about the whole batch, or if no message is accepted and a retry may succeed.
   * `POST /api/sending/batch`
   */
  sendBatch(body: T.BatchRequest, options: RequestOptions = {}): Promise<T.BatchResult> {
    return this.call<T.BatchResult>({
      method: "POST",
      path: "/api/sending/batch",
      body,
      result: "json",
      options,
    });
  }

  /**
   * List the messages that the key may read, newest first.
   * A key reads the messages that it has sent. A live key without the permission `send` reads those of all keys of its account. A key with domains reads only messages that were sent from them.
   * `GET /api/sending/messages`
   * @param options.recipient The whole address of a recipient, as it was sent.
   * @param options.from The whole address of the sender.
   * @param options.result The result of at least one recipient: delivered, failed, pending or unknown.
   * @param options.category The category of at least one recipient (one with the result, where both are given): bad_address, mailbox_full, mailbox_disabled, rate_limited, reputation, authentication, content, policy, too_large, greylisted, network, other.
   * @param options.tag A tag of the message.
   * @param options.subject Any part of the subject.
   * @param options.since A time by RFC 3339; messages accepted then or later are shown.
   * @param options.until A time by RFC 3339; messages accepted before are shown.
   * @param options.limit A whole number from 1 to 100.
   * @param options.cursor The next_cursor of the page before, asked for with the same key.
   */
  listMessages(options: RequestOptions & { recipient?: string | undefined; from?: string | undefined; result?: "delivered" | "failed" | "pending" | "unknown" | undefined; category?: "bad_address" | "mailbox_full" | "mailbox_disabled" | "rate_limited" | "reputation" | "authentication" | "content" | "policy" | "too_large" | "greylisted" | "network" | "other" | undefined; tag?: string | undefined; subject?: string | undefined; since?: string | undefined; until?: string | undefined; limit?: number | undefined; cursor?: string | undefined } = {}): Promise<T.MessageList> {
    return this.call<T.MessageList>({
      method: "GET",
      path: "/api/sending/messages",
      query: ["recipient", "from", "result", "category", "tag", "subject", "since", "until", "limit", "cursor"],
      result: "json",
      options,
    });
  }

  /** List the messages that the key may read, newest first: every item, page by page. */
  iterateMessages(options: RequestOptions & { recipient?: string | undefined; from?: string | undefined; result?: "delivered" | "failed" | "pending" | "unknown" | undefined; category?: "bad_address" | "mailbox_full" | "mailbox_disabled" | "rate_limited" | "reputation" | "authentication" | "content" | "policy" | "too_large" | "greylisted" | "network" | "other" | undefined; tag?: string | undefined; subject?: string | undefined; since?: string | undefined; until?: string | undefined; limit?: number | undefined; cursor?: string | undefined } & IterationOptions = {}): AsyncGenerator<T.MessageSummary, void, undefined> {
    return iterate((cursor) => this.listMessages({ ...options, cursor: cursor }), {
      first: options.cursor,
      isFollowed: false,
      itemsOf: (page) => page.messages,
      nextOf: (page) => page.next_cursor,
      onPage: options.onPage,
    });
  }

  /**
   * Look up a message that the key may read.
   * With `wait`, the response is held until no recipient is pending or the time is over.
   * `GET /api/sending/messages/{id}`
   * @param options.wait A whole number of seconds from 0 to 60.
   */
  lookUpMessage(id: string, options: RequestOptions & { wait?: number | undefined } = {}): Promise<T.Message> {
    return this.call<T.Message>({
      method: "GET",
      path: "/api/sending/messages/{id}",
      parameters: { id },
      query: ["wait"],
      result: "json",
      options,
    });
  }

  /**
   * Send a scheduled message at another time.
   * As long as its time has not come. The key needs the permissions `send` and `read`, and must be one that reads the message.
   * `PATCH /api/sending/messages/{id}`
   */
  changeMessage(id: string, body: T.MessageChange, options: RequestOptions = {}): Promise<T.Message> {
    return this.call<T.Message>({
      method: "PATCH",
      path: "/api/sending/messages/{id}",
      parameters: { id },
      body,
      result: "json",
      options,
    });
  }

  /**
   * Cancel the delivery of a message to its pending recipients.
   * They fail with the reason `cancelled`. One that may have the message from an earlier attempt is `unknown`. The key needs the permissions `send` and `read`, and must be one that reads the message.
   * `POST /api/sending/messages/{id}/cancel`
   */
  cancelMessage(id: string, options: RequestOptions = {}): Promise<T.Message> {
    return this.call<T.Message>({
      method: "POST",
      path: "/api/sending/messages/{id}/cancel",
      parameters: { id },
      result: "json",
      options,
    });
  }

  /**
   * Get the link to the status page of a message.
   * For a message with one recipient, who may see what happened to it. It is the same each time, and ends with the results of the message. A key reads the messages that it has sent. A live key without the permission `send` reads those of all keys of its account. A key with domains reads only messages that were sent from them.
   * `POST /api/sending/messages/{id}/status-link`
   */
  createStatusLink(id: string, options: RequestOptions = {}): Promise<T.StatusLink> {
    return this.call<T.StatusLink>({
      method: "POST",
      path: "/api/sending/messages/{id}/status-link",
      parameters: { id },
      result: "json",
      options,
    });
  }

  /**
   * What happened to a message, for its recipient.
   * The path of `status_url`. HTML unless `Accept` prefers JSON. Any site's page may read it. With `wait`, JSON is held until the state is not `pending` or the time is over.
   * `GET /status/{token}`
   * @param options.wait A whole number of seconds from 0 to 60.
   * @param options.lang A language such as `de`; any other than those of the page stands for that of `Accept-Language`.
   */
  readStatusPage(token: string, options: RequestOptions & { wait?: number | undefined; lang?: string | undefined } = {}): Promise<T.StatusPage> {
    return this.call<T.StatusPage>({
      method: "GET",
      path: "/status/{token}",
      parameters: { token },
      query: ["wait", "lang"],
      result: "json",
      needsKey: false,
      options,
    });
  }

  /**
   * List the events of the messages that the key may read, oldest first.
   * Without `after`, from the oldest event that is kept. With `wait`, a response without events is held until one occurs or the time is over.
   * `GET /api/sending/events`
   * @param options.after The next of an earlier response.
   * @param options.limit A whole number from 1 to 100.
   * @param options.wait A whole number of seconds from 0 to 60.
   */
  listEvents(options: RequestOptions & { after?: string | undefined; limit?: number | undefined; wait?: number | undefined } = {}): Promise<T.EventList> {
    return this.call<T.EventList>({
      method: "GET",
      path: "/api/sending/events",
      query: ["after", "limit", "wait"],
      result: "json",
      options,
    });
  }

  /** List the events of the messages that the key may read, oldest first: every item, page by page. */
  iterateEvents(options: RequestOptions & { after?: string | undefined; limit?: number | undefined; wait?: number | undefined } & IterationOptions = {}): AsyncGenerator<T.Event, void, undefined> {
    return iterate((cursor) => this.listEvents({ ...options, after: cursor }), {
      first: options.after,
      isFollowed: (options.wait ?? 0) > 0,
      itemsOf: (page) => page.events,
      nextOf: (page) => page.next,
      onPage: options.onPage,
    });
  }

  /**
   * List the account's domains, by name.
   * Needs the permission `manage` or `operate`.
   * `GET /api/manage/domains`
   * @param options.limit A whole number from 1 to 100.
   * @param options.after Next of the page before.
   * @param options.account The name or the id of another account, of a key with the permission operate.
   */
  listDomains(options: RequestOptions & { limit?: number | undefined; after?: string | undefined; account?: string | undefined } = {}): Promise<T.ManagedDomainList> {
    return this.call<T.ManagedDomainList>({
      method: "GET",
      path: "/api/manage/domains",
      query: ["limit", "after", "account"],
      result: "json",
      options,
    });
  }

  /** List the account's domains, by name: every item, page by page. */
  iterateDomains(options: RequestOptions & { limit?: number | undefined; after?: string | undefined; account?: string | undefined } & IterationOptions = {}): AsyncGenerator<T.ManagedDomainEntry, void, undefined> {
    return iterate((cursor) => this.listDomains({ ...options, after: cursor }), {
      first: options.after,
      isFollowed: false,
      itemsOf: (page) => page.data,
      nextOf: (page) => page.next,
      onPage: options.onPage,
    });
  }

  /**
   * Add a domain, and get the records to publish.
   * Needs the permission `manage` or `operate`.
   * `POST /api/manage/domains`
   * @param options.account The name or the id of another account, of a key with the permission operate.
   */
  addDomain(body: T.AddDomainBody, options: RequestOptions & { account?: string | undefined } = {}): Promise<T.ManagedDomain> {
    return this.call<T.ManagedDomain>({
      method: "POST",
      path: "/api/manage/domains",
      query: ["account"],
      body,
      result: "json",
      options,
    });
  }

  /**
   * Get a domain with its checks and records.
   * Needs the permission `manage` or `operate`.
   * `GET /api/manage/domains/{name}`
   * @param options.account The name or the id of another account, of a key with the permission operate.
   */
  getDomain(name: string, options: RequestOptions & { account?: string | undefined } = {}): Promise<T.ManagedDomain> {
    return this.call<T.ManagedDomain>({
      method: "GET",
      path: "/api/manage/domains/{name}",
      parameters: { name },
      query: ["account"],
      result: "json",
      options,
    });
  }

  /**
   * Remove a domain: sends from it are rejected from now on.
   * Messages that were accepted before the removal are still signed and delivered. Needs the permission `manage` or `operate`.
   * `DELETE /api/manage/domains/{name}`
   * @param options.account The name or the id of another account, of a key with the permission operate.
   */
  removeDomain(name: string, options: ChangeOptions & { account?: string | undefined } = {}): Promise<undefined> {
    return this.call<undefined>({
      method: "DELETE",
      path: "/api/manage/domains/{name}",
      parameters: { name },
      query: ["account"],
      result: "none",
      options,
    });
  }

  /**
   * Check a domain's records now.
   * It takes a few seconds. A new DKIM key whose record is published signs from then on. Needs the permission `manage` or `operate`.
   * `POST /api/manage/domains/{name}/verify`
   * @param options.account The name or the id of another account, of a key with the permission operate.
   */
  verifyDomain(name: string, options: RequestOptions & { account?: string | undefined } = {}): Promise<T.ManagedDomain> {
    return this.call<T.ManagedDomain>({
      method: "POST",
      path: "/api/manage/domains/{name}/verify",
      parameters: { name },
      query: ["account"],
      result: "json",
      options,
    });
  }

  /**
   * Turn a domain's return path on or off.
   * Needs the permission `manage` or `operate`.
   * `PUT /api/manage/domains/{name}/return-path`
   * @param options.account The name or the id of another account, of a key with the permission operate.
   */
  setReturnPath(name: string, body: T.SetReturnPathBody, options: ChangeOptions & { account?: string | undefined } = {}): Promise<T.ManagedReturnPath> {
    return this.call<T.ManagedReturnPath>({
      method: "PUT",
      path: "/api/manage/domains/{name}/return-path",
      parameters: { name },
      query: ["account"],
      body,
      result: "json",
      options,
    });
  }

  /**
   * Make the next DKIM key of a domain.
   * `new_dkim_record` of the response is to be published. The present key signs until the record is seen; an earlier new key is dropped. Needs the permission `manage` or `operate`.
   * `POST /api/manage/domains/{name}/dkim-rotation`
   * @param options.account The name or the id of another account, of a key with the permission operate.
   */
  rotateDkim(name: string, options: ChangeOptions & { account?: string | undefined } = {}): Promise<T.ManagedDomain> {
    return this.call<T.ManagedDomain>({
      method: "POST",
      path: "/api/manage/domains/{name}/dkim-rotation",
      parameters: { name },
      query: ["account"],
      result: "json",
      options,
    });
  }

  /**
   * Drop the new DKIM key of a domain that waits for its record.
   * Needs the permission `manage` or `operate`.
   * `DELETE /api/manage/domains/{name}/dkim-rotation`
   * @param options.account The name or the id of another account, of a key with the permission operate.
   */
  cancelDkimRotation(name: string, options: ChangeOptions & { account?: string | undefined } = {}): Promise<undefined> {
    return this.call<undefined>({
      method: "DELETE",
      path: "/api/manage/domains/{name}/dkim-rotation",
      parameters: { name },
      query: ["account"],
      result: "none",
      options,
    });
  }

  /**
   * List how a domain's checks changed, the newest first.
   * Needs the permission `manage` or `operate`.
   * `GET /api/manage/domains/{name}/history`
   * @param options.account The name or the id of another account, of a key with the permission operate.
   */
  listDomainChanges(name: string, options: RequestOptions & { account?: string | undefined } = {}): Promise<T.ManagedCheckChangeList> {
    return this.call<T.ManagedCheckChangeList>({
      method: "GET",
      path: "/api/manage/domains/{name}/history",
      parameters: { name },
      query: ["account"],
      result: "json",
      options,
    });
  }

  /**
   * Get what receivers report about a domain in a week: DMARC and TLS.
   * Needs the permission `manage` or `operate`.
   * `GET /api/manage/domains/{name}/reports`
   * @param options.week A day of the week in UTC, such as 2026-03-02.
   * @param options.account The name or the id of another account, of a key with the permission operate.
   */
  getDomainReports(name: string, options: RequestOptions & { week?: string | undefined; account?: string | undefined } = {}): Promise<T.DomainReports> {
    return this.call<T.DomainReports>({
      method: "GET",
      path: "/api/manage/domains/{name}/reports",
      parameters: { name },
      query: ["week", "account"],
      result: "json",
      options,
    });
  }

  /**
   * List the account's API keys, the oldest first.
   * Needs the permission `manage` or `operate`.
   * `GET /api/manage/keys`
   * @param options.limit A whole number from 1 to 100.
   * @param options.after Next of the page before.
   * @param options.account The name or the id of another account, of a key with the permission operate.
   */
  listKeys(options: RequestOptions & { limit?: number | undefined; after?: string | undefined; account?: string | undefined } = {}): Promise<T.ManagedKeyList> {
    return this.call<T.ManagedKeyList>({
      method: "GET",
      path: "/api/manage/keys",
      query: ["limit", "after", "account"],
      result: "json",
      options,
    });
  }

  /** List the account's API keys, the oldest first: every item, page by page. */
  iterateKeys(options: RequestOptions & { limit?: number | undefined; after?: string | undefined; account?: string | undefined } & IterationOptions = {}): AsyncGenerator<T.ManagedKey, void, undefined> {
    return iterate((cursor) => this.listKeys({ ...options, after: cursor }), {
      first: options.after,
      isFollowed: false,
      itemsOf: (page) => page.data,
      nextOf: (page) => page.next,
      onPage: options.onPage,
    });
  }

  /**
   * Create an API key.
   * `key` of the response is shown only this once. A key that may not operate creates none that may. Needs the permission `manage` or `operate`.
   * `POST /api/manage/keys`
   * @param options.account The name or the id of another account, of a key with the permission operate.
   */
  createKey(body: T.CreateKeyBody, options: RequestOptions & { account?: string | undefined } = {}): Promise<T.CreatedKey> {
    return this.call<T.CreatedKey>({
      method: "POST",
      path: "/api/manage/keys",
      query: ["account"],
      body,
      result: "json",
      options,
    });
  }

  /**
   * Get an API key, without its text.
   * Needs the permission `manage` or `operate`.
   * `GET /api/manage/keys/{id}`
   * @param options.account The name or the id of another account, of a key with the permission operate.
   */
  getKey(id: string, options: RequestOptions & { account?: string | undefined } = {}): Promise<T.ManagedKey> {
    return this.call<T.ManagedKey>({
      method: "GET",
      path: "/api/manage/keys/{id}",
      parameters: { id },
      query: ["account"],
      result: "json",
      options,
    });
  }

  /**
   * Change an API key's name, or what it may do, from where, and how long.
   * An absent field is unchanged. An empty list removes the restriction. Needs the permission `manage` or `operate`.
   * `PATCH /api/manage/keys/{id}`
   * @param options.account The name or the id of another account, of a key with the permission operate.
   */
  changeKey(id: string, body: T.ChangeKeyBody, options: ChangeOptions & { account?: string | undefined } = {}): Promise<T.ManagedKey> {
    return this.call<T.ManagedKey>({
      method: "PATCH",
      path: "/api/manage/keys/{id}",
      parameters: { id },
      query: ["account"],
      body,
      result: "json",
      options,
    });
  }

  /**
   * Revoke an API key: requests with it are rejected from now on.
   * A key that is revoked already stays so. Needs the permission `manage` or `operate`.
   * `DELETE /api/manage/keys/{id}`
   * @param options.account The name or the id of another account, of a key with the permission operate.
   */
  revokeKey(id: string, options: ChangeOptions & { account?: string | undefined } = {}): Promise<undefined> {
    return this.call<undefined>({
      method: "DELETE",
      path: "/api/manage/keys/{id}",
      parameters: { id },
      query: ["account"],
      result: "none",
      options,
    });
  }

  /**
   * Set when an API key is held; without a field, if it sends far above what it normally does.
   * A key that is held already stays so until it is released. Needs the permission `manage` or `operate`.
   * `PUT /api/manage/keys/{id}/fuse`
   * @param options.account The name or the id of another account, of a key with the permission operate.
   */
  setKeyFuse(id: string, body: T.SetKeyFuseBody, options: ChangeOptions & { account?: string | undefined } = {}): Promise<T.ManagedKey> {
    return this.call<T.ManagedKey>({
      method: "PUT",
      path: "/api/manage/keys/{id}/fuse",
      parameters: { id },
      query: ["account"],
      body,
      result: "json",
      options,
    });
  }

  /**
   * Let a held API key send again, and try its held mail now.
   * Needs the permission `manage` or `operate`.
   * `POST /api/manage/keys/{id}/release`
   * @param options.account The name or the id of another account, of a key with the permission operate.
   */
  releaseKey(id: string, options: RequestOptions & { account?: string | undefined } = {}): Promise<T.ActedKey> {
    return this.call<T.ActedKey>({
      method: "POST",
      path: "/api/manage/keys/{id}/release",
      parameters: { id },
      query: ["account"],
      result: "json",
      options,
    });
  }

  /**
   * Cancel the mail that waits because its key is held.
   * Needs the permission `manage` or `operate`.
   * `POST /api/manage/keys/{id}/cancel-held`
   * @param options.account The name or the id of another account, of a key with the permission operate.
   */
  cancelHeldMail(id: string, options: RequestOptions & { account?: string | undefined } = {}): Promise<T.ActedKey> {
    return this.call<T.ActedKey>({
      method: "POST",
      path: "/api/manage/keys/{id}/cancel-held",
      parameters: { id },
      query: ["account"],
      result: "json",
      options,
    });
  }

  /**
   * List the account's webhook endpoints, the oldest first.
   * Needs the permission `manage` or `operate`.
   * `GET /api/manage/webhooks`
   * @param options.limit A whole number from 1 to 100.
   * @param options.after Next of the page before.
   * @param options.account The name or the id of another account, of a key with the permission operate.
   */
  listWebhooks(options: RequestOptions & { limit?: number | undefined; after?: string | undefined; account?: string | undefined } = {}): Promise<T.ManagedWebhookList> {
    return this.call<T.ManagedWebhookList>({
      method: "GET",
      path: "/api/manage/webhooks",
      query: ["limit", "after", "account"],
      result: "json",
      options,
    });
  }

  /** List the account's webhook endpoints, the oldest first: every item, page by page. */
  iterateWebhooks(options: RequestOptions & { limit?: number | undefined; after?: string | undefined; account?: string | undefined } & IterationOptions = {}): AsyncGenerator<T.ManagedWebhook, void, undefined> {
    return iterate((cursor) => this.listWebhooks({ ...options, after: cursor }), {
      first: options.after,
      isFollowed: false,
      itemsOf: (page) => page.data,
      nextOf: (page) => page.next,
      onPage: options.onPage,
    });
  }

  /**
   * Create a webhook endpoint.
   * `secret` of the response is shown only this once. Needs the permission `manage` or `operate`.
   * `POST /api/manage/webhooks`
   * @param options.account The name or the id of another account, of a key with the permission operate.
   */
  createWebhook(body: T.CreateWebhookBody, options: RequestOptions & { account?: string | undefined } = {}): Promise<T.CreatedWebhook> {
    return this.call<T.CreatedWebhook>({
      method: "POST",
      path: "/api/manage/webhooks",
      query: ["account"],
      body,
      result: "json",
      options,
    });
  }

  /**
   * Get a webhook endpoint, without its secret.
   * Needs the permission `manage` or `operate`.
   * `GET /api/manage/webhooks/{id}`
   * @param options.account The name or the id of another account, of a key with the permission operate.
   */
  getWebhook(id: string, options: RequestOptions & { account?: string | undefined } = {}): Promise<T.ManagedWebhook> {
    return this.call<T.ManagedWebhook>({
      method: "GET",
      path: "/api/manage/webhooks/{id}",
      parameters: { id },
      query: ["account"],
      result: "json",
      options,
    });
  }

  /**
   * Change a webhook endpoint, pause it, or resume it.
   * An absent field is unchanged. An empty list removes the filter. Needs the permission `manage` or `operate`.
   * `PATCH /api/manage/webhooks/{id}`
   * @param options.account The name or the id of another account, of a key with the permission operate.
   */
  changeWebhook(id: string, body: T.ChangeWebhookBody, options: ChangeOptions & { account?: string | undefined } = {}): Promise<T.ManagedWebhook> {
    return this.call<T.ManagedWebhook>({
      method: "PATCH",
      path: "/api/manage/webhooks/{id}",
      parameters: { id },
      query: ["account"],
      body,
      result: "json",
      options,
    });
  }

  /**
   * Remove a webhook endpoint and its pending events.
   * Needs the permission `manage` or `operate`.
   * `DELETE /api/manage/webhooks/{id}`
   * @param options.account The name or the id of another account, of a key with the permission operate.
   */
  removeWebhook(id: string, options: ChangeOptions & { account?: string | undefined } = {}): Promise<undefined> {
    return this.call<undefined>({
      method: "DELETE",
      path: "/api/manage/webhooks/{id}",
      parameters: { id },
      query: ["account"],
      result: "none",
      options,
    });
  }

  /**
   * Post a test event to a webhook endpoint now.
   * Needs the permission `manage` or `operate`.
   * `POST /api/manage/webhooks/{id}/test`
   * @param options.account The name or the id of another account, of a key with the permission operate.
   */
  testWebhook(id: string, options: RequestOptions & { account?: string | undefined } = {}): Promise<T.WebhookTest> {
    return this.call<T.WebhookTest>({
      method: "POST",
      path: "/api/manage/webhooks/{id}/test",
      parameters: { id },
      query: ["account"],
      result: "json",
      options,
    });
  }

  /**
   * Replace the secret of a webhook endpoint.
   * `secret` of the response is shown only this once. The former secret stays valid for 24 hours: until then, requests are signed with both. Needs the permission `manage` or `operate`.
   * `POST /api/manage/webhooks/{id}/rotate`
   * @param options.account The name or the id of another account, of a key with the permission operate.
   */
  rotateWebhook(id: string, options: RequestOptions & { account?: string | undefined } = {}): Promise<T.CreatedWebhook> {
    return this.call<T.CreatedWebhook>({
      method: "POST",
      path: "/api/manage/webhooks/{id}/rotate",
      parameters: { id },
      query: ["account"],
      result: "json",
      options,
    });
  }

  /**
   * Post the events again that happened since a time, the oldest first.
   * Needs the permission `manage` or `operate`.
   * `POST /api/manage/webhooks/{id}/replay`
   * @param options.account The name or the id of another account, of a key with the permission operate.
   */
  replayWebhook(id: string, body: T.ReplayWebhookBody, options: RequestOptions & { account?: string | undefined } = {}): Promise<T.WebhookReplay> {
    return this.call<T.WebhookReplay>({
      method: "POST",
      path: "/api/manage/webhooks/{id}/replay",
      parameters: { id },
      query: ["account"],
      body,
      result: "json",
      options,
    });
  }

  /**
   * List the attempts to post to a webhook endpoint, the newest first.
   * Needs the permission `manage` or `operate`.
   * `GET /api/manage/webhooks/{id}/deliveries`
   * @param options.limit A whole number from 1 to 100.
   * @param options.after Next of the page before.
   * @param options.result Failed: without those that succeeded.
   * @param options.account The name or the id of another account, of a key with the permission operate.
   */
  listWebhookDeliveries(id: string, options: RequestOptions & { limit?: number | undefined; after?: string | undefined; result?: "failed" | undefined; account?: string | undefined } = {}): Promise<T.WebhookDeliveryList> {
    return this.call<T.WebhookDeliveryList>({
      method: "GET",
      path: "/api/manage/webhooks/{id}/deliveries",
      parameters: { id },
      query: ["limit", "after", "result", "account"],
      result: "json",
      options,
    });
  }

  /** List the attempts to post to a webhook endpoint, the newest first: every item, page by page. */
  iterateWebhookDeliveries(id: string, options: RequestOptions & { limit?: number | undefined; after?: string | undefined; result?: "failed" | undefined; account?: string | undefined } & IterationOptions = {}): AsyncGenerator<T.WebhookDelivery, void, undefined> {
    return iterate((cursor) => this.listWebhookDeliveries(id, { ...options, after: cursor }), {
      first: options.after,
      isFollowed: false,
      itemsOf: (page) => page.data,
      nextOf: (page) => page.next,
      onPage: options.onPage,
    });
  }

  /**
   * Post one event again.
   * Needs the permission `manage` or `operate`.
   * `POST /api/manage/webhooks/{id}/deliveries/{number}/replay`
   * @param options.account The name or the id of another account, of a key with the permission operate.
   */
  replayWebhookEvent(id: string, number: string, options: RequestOptions & { account?: string | undefined } = {}): Promise<T.WebhookEventReplay> {
    return this.call<T.WebhookEventReplay>({
      method: "POST",
      path: "/api/manage/webhooks/{id}/deliveries/{number}/replay",
      parameters: { id, number },
      query: ["account"],
      result: "json",
      options,
    });
  }

  /**
   * List the suppressed addresses: first those with a set cause, the newest first.
   * A page of a search may have no addresses and be followed by another. Needs the permission `manage` or `operate`.
   * `GET /api/manage/suppressions`
   * @param options.limit A whole number from 1 to 100.
   * @param options.after Next of the page before.
   * @param options.cause The cause: refusals, bounce, manual, unsubscribed, complaint.
   * @param options.search A part of the address.
   * @param options.account The name or the id of another account, of a key with the permission operate.
   */
  listSuppressions(options: RequestOptions & { limit?: number | undefined; after?: string | undefined; cause?: "refusals" | "bounce" | "manual" | "unsubscribed" | "complaint" | undefined; search?: string | undefined; account?: string | undefined } = {}): Promise<T.SuppressionList> {
    return this.call<T.SuppressionList>({
      method: "GET",
      path: "/api/manage/suppressions",
      query: ["limit", "after", "cause", "search", "account"],
      result: "json",
      options,
    });
  }

  /** List the suppressed addresses: first those with a set cause, the newest first: every item, page by page. */
  iterateSuppressions(options: RequestOptions & { limit?: number | undefined; after?: string | undefined; cause?: "refusals" | "bounce" | "manual" | "unsubscribed" | "complaint" | undefined; search?: string | undefined; account?: string | undefined } & IterationOptions = {}): AsyncGenerator<T.Suppression, void, undefined> {
    return iterate((cursor) => this.listSuppressions({ ...options, after: cursor }), {
      first: options.after,
      isFollowed: false,
      itemsOf: (page) => page.data,
      nextOf: (page) => page.next,
      onPage: options.onPage,
    });
  }

  /**
   * Suppress up to 10000 addresses.
   * An address that is suppressed already keeps the stronger cause: `complaint`, `unsubscribed`, `manual`, `bounce`. Of the same cause, the new end counts. Needs the permission `manage` or `operate`.
   * `POST /api/manage/suppressions`
   * @param options.account The name or the id of another account, of a key with the permission operate.
   */
  addSuppressions(body: T.AddSuppressionsBody, options: RequestOptions & { account?: string | undefined } = {}): Promise<T.AddedSuppressions> {
    return this.call<T.AddedSuppressions>({
      method: "POST",
      path: "/api/manage/suppressions",
      query: ["account"],
      body,
      result: "json",
      options,
    });
  }

  /**
   * Test whether an address is suppressed, and why.
   * Needs the permission `manage` or `operate`.
   * `GET /api/manage/suppressions/{email}`
   * @param options.account The name or the id of another account, of a key with the permission operate.
   */
  getSuppression(email: string, options: RequestOptions & { account?: string | undefined } = {}): Promise<T.Suppression> {
    return this.call<T.Suppression>({
      method: "GET",
      path: "/api/manage/suppressions/{email}",
      parameters: { email },
      query: ["account"],
      result: "json",
      options,
    });
  }

  /**
   * Allow an address again, and delete its refusals.
   * Needs the permission `manage` or `operate`.
   * `DELETE /api/manage/suppressions/{email}`
   * @param options.account The name or the id of another account, of a key with the permission operate.
   */
  removeSuppression(email: string, options: RequestOptions & { account?: string | undefined } = {}): Promise<undefined> {
    return this.call<undefined>({
      method: "DELETE",
      path: "/api/manage/suppressions/{email}",
      parameters: { email },
      query: ["account"],
      result: "none",
      options,
    });
  }

  /**
   * Import suppressed addresses from a file.
   * The exports of Postmark, Amazon SES, SendGrid, Resend and Postrider are recognised by their columns; a list of one address a line too. `stopped` says why a file was not read to its end. Needs the permission `manage` or `operate`.
   * `POST /api/manage/suppression-imports`
   * @param options.cause The cause of all; that of the file if absent.
   * @param options.until When all end; as the file says if absent.
   * @param options.dry_run True: nothing is added.
   * @param options.account The name or the id of another account, of a key with the permission operate.
   */
  importSuppressions(body: string, options: RequestOptions & { cause?: "bounce" | "manual" | "unsubscribed" | "complaint" | undefined; until?: string | undefined; dry_run?: "true" | "false" | undefined; account?: string | undefined; type?: "text/csv" | "application/x-ndjson" | "text/plain" | "application/json" } = {}): Promise<T.ImportedSuppressions> {
    return this.call<T.ImportedSuppressions>({
      method: "POST",
      path: "/api/manage/suppression-imports",
      query: ["cause", "until", "dry_run", "account"],
      body,
      type: options.type ?? "text/csv",
      result: "json",
      options,
    });
  }

  /**
   * Export the suppressed addresses, as CSV or NDJSON.
   * Needs the permission `manage` or `operate`.
   * `GET /api/manage/suppression-exports`
   * @param options.cause The cause: refusals, bounce, manual, unsubscribed, complaint.
   * @param options.search A part of the address.
   * @param options.format Csv or ndjson; csv if absent.
   * @param options.account The name or the id of another account, of a key with the permission operate.
   */
  exportSuppressions(options: RequestOptions & { cause?: "refusals" | "bounce" | "manual" | "unsubscribed" | "complaint" | undefined; search?: string | undefined; format?: "csv" | "ndjson" | undefined; account?: string | undefined } = {}): Promise<string> {
    return this.call<string>({
      method: "GET",
      path: "/api/manage/suppression-exports",
      query: ["cause", "search", "format", "account"],
      result: "text",
      options,
    });
  }

  /**
   * Cancel the delivery to a message's pending recipients, or to one of them.
   * Needs the permission `manage` or `operate`.
   * `POST /api/manage/messages/{id}/cancel`
   * @param options.account The name or the id of another account, of a key with the permission operate.
   */
  cancelRecipients(id: string, body: T.CancelRecipientsBody = {}, options: RequestOptions & { account?: string | undefined } = {}): Promise<T.Message> {
    return this.call<T.Message>({
      method: "POST",
      path: "/api/manage/messages/{id}/cancel",
      parameters: { id },
      query: ["account"],
      body,
      result: "json",
      options,
    });
  }

  /**
   * Try a message's recipients now, or one of them.
   * Pending and failed ones, unless `results` says so. An unknown recipient may get the message twice, so it is sent again only if `results` has `unknown`. Needs the permission `manage` or `operate`.
   * `POST /api/manage/messages/{id}/retry`
   * @param options.account The name or the id of another account, of a key with the permission operate.
   */
  retryRecipients(id: string, body: T.RetryRecipientsBody = {}, options: RequestOptions & { account?: string | undefined } = {}): Promise<T.Message> {
    return this.call<T.Message>({
      method: "POST",
      path: "/api/manage/messages/{id}/retry",
      parameters: { id },
      query: ["account"],
      body,
      result: "json",
      options,
    });
  }

  /**
   * Decide what a message's unknown recipients are, or one of them.
   * Needs the permission `manage` or `operate`.
   * `POST /api/manage/messages/{id}/resolve`
   * @param options.account The name or the id of another account, of a key with the permission operate.
   */
  resolveRecipients(id: string, body: T.ResolveRecipientsBody, options: RequestOptions & { account?: string | undefined } = {}): Promise<T.Message> {
    return this.call<T.Message>({
      method: "POST",
      path: "/api/manage/messages/{id}/resolve",
      parameters: { id },
      query: ["account"],
      body,
      result: "json",
      options,
    });
  }

  /**
   * Discard a quarantined message: its recipients without a final result fail.
   * Needs the permission `operate`.
   * `POST /api/manage/messages/{id}/discard`
   */
  discardMessage(id: string, options: RequestOptions = {}): Promise<T.DiscardedMessage> {
    return this.call<T.DiscardedMessage>({
      method: "POST",
      path: "/api/manage/messages/{id}/discard",
      parameters: { id },
      result: "json",
      options,
    });
  }

  /**
   * Cancel, send again or mark all recipients that a filter selects.
   * At most 25,000 recipients, the newest first, and for at most 20 seconds: while `complete` is false, the same request covers the rest. With `dry_run`, nothing changes. Needs the permission `manage` or `operate`.
   * `POST /api/manage/messages/actions`
   * @param options.account The name or the id of another account, of a key with the permission operate.
   */
  actOnMessages(body: T.ActOnMessagesBody, options: RequestOptions & { account?: string | undefined } = {}): Promise<T.ActionOnMessages> {
    return this.call<T.ActionOnMessages>({
      method: "POST",
      path: "/api/manage/messages/actions",
      query: ["account"],
      body,
      result: "json",
      options,
    });
  }

  /**
   * Get what the account uses, and its limits.
   * Needs the permission `manage` or `operate`.
   * `GET /api/manage/usage`
   * @param options.account The name or the id of another account, of a key with the permission operate.
   */
  getUsage(options: RequestOptions & { account?: string | undefined } = {}): Promise<T.Usage> {
    return this.call<T.Usage>({
      method: "GET",
      path: "/api/manage/usage",
      query: ["account"],
      result: "json",
      options,
    });
  }

  /**
   * List the entries of the audit trail, the newest first.
   * With a key that may operate and without `account`: in all accounts, and in the installation. Needs the permission `manage` or `operate`.
   * `GET /api/manage/audit`
   * @param options.limit A whole number from 1 to 100.
   * @param options.after Next of the page before.
   * @param options.action The beginning of an action, such as domain.
   * @param options.by A part of the name of who changed something.
   * @param options.target A part of the name or id of the changed object.
   * @param options.since A time by RFC 3339; changes then or later.
   * @param options.until A time by RFC 3339; changes before.
   * @param options.account The name or the id of another account, of a key with the permission operate.
   */
  listAudit(options: RequestOptions & { limit?: number | undefined; after?: string | undefined; action?: string | undefined; by?: string | undefined; target?: string | undefined; since?: string | undefined; until?: string | undefined; account?: string | undefined } = {}): Promise<T.AuditList> {
    return this.call<T.AuditList>({
      method: "GET",
      path: "/api/manage/audit",
      query: ["limit", "after", "action", "by", "target", "since", "until", "account"],
      result: "json",
      options,
    });
  }

  /** List the entries of the audit trail, the newest first: every item, page by page. */
  iterateAudit(options: RequestOptions & { limit?: number | undefined; after?: string | undefined; action?: string | undefined; by?: string | undefined; target?: string | undefined; since?: string | undefined; until?: string | undefined; account?: string | undefined } & IterationOptions = {}): AsyncGenerator<T.AuditEntry, void, undefined> {
    return iterate((cursor) => this.listAudit({ ...options, after: cursor }), {
      first: options.after,
      isFollowed: false,
      itemsOf: (page) => page.data,
      nextOf: (page) => page.next,
      onPage: options.onPage,
    });
  }

  /**
   * Run a command of the command line.
   * The command line uses it where it does not run on the host. The first line of the body is `{"arguments":[…]}`, with `"confirmed":true` once the user has confirmed what the command asks; what follows is the command's input. The response has a JSON object a line: `part` and `out` for its output, `working` while there is none, and at the end `result`, `confirm` or `refused`. A command on the installation needs a key with the permission `operate`. Needs the permission `manage` or `operate`.
   * `POST /api/manage/commands`
   * @param options.account The name or the id of another account, of a key with the permission operate.
   */
  runCommand(body: string, options: RequestOptions & { account?: string | undefined } = {}): Promise<string> {
    return this.call<string>({
      method: "POST",
      path: "/api/manage/commands",
      query: ["account"],
      body,
      result: "text",
      options,
    });
  }

  /**
   * List the accounts, by name.
   * Needs the permission `operate`.
   * `GET /api/manage/accounts`
   * @param options.limit A whole number from 1 to 100.
   * @param options.after Next of the page before.
   */
  listAccounts(options: RequestOptions & { limit?: number | undefined; after?: string | undefined } = {}): Promise<T.AccountList> {
    return this.call<T.AccountList>({
      method: "GET",
      path: "/api/manage/accounts",
      query: ["limit", "after"],
      result: "json",
      options,
    });
  }

  /** List the accounts, by name: every item, page by page. */
  iterateAccounts(options: RequestOptions & { limit?: number | undefined; after?: string | undefined } & IterationOptions = {}): AsyncGenerator<T.Account, void, undefined> {
    return iterate((cursor) => this.listAccounts({ ...options, after: cursor }), {
      first: options.after,
      isFollowed: false,
      itemsOf: (page) => page.data,
      nextOf: (page) => page.next,
      onPage: options.onPage,
    });
  }

  /**
   * Create an account, with its own domains, keys and messages.
   * Needs the permission `operate`.
   * `POST /api/manage/accounts`
   */
  createAccount(body: T.CreateAccountBody, options: RequestOptions = {}): Promise<T.Account> {
    return this.call<T.Account>({
      method: "POST",
      path: "/api/manage/accounts",
      body,
      result: "json",
      options,
    });
  }

  /**
   * Get an account, by its name or id.
   * Needs the permission `operate`.
   * `GET /api/manage/accounts/{name}`
   */
  getAccount(name: string, options: RequestOptions = {}): Promise<T.Account> {
    return this.call<T.Account>({
      method: "GET",
      path: "/api/manage/accounts/{name}",
      parameters: { name },
      result: "json",
      options,
    });
  }

  /**
   * Delete an account: its API keys are rejected at once.
   * Until `restorable_until` it can be restored. Then all that belongs to it is removed. Needs the permission `operate`.
   * `DELETE /api/manage/accounts/{name}`
   */
  deleteAccount(name: string, options: ChangeOptions = {}): Promise<T.DeletedAccount> {
    return this.call<T.DeletedAccount>({
      method: "DELETE",
      path: "/api/manage/accounts/{name}",
      parameters: { name },
      result: "json",
      options,
    });
  }

  /**
   * Set the recipients that an account may address in a UTC day.
   * Needs the permission `operate`.
   * `PUT /api/manage/accounts/{name}/quota`
   */
  setQuota(name: string, body: T.SetQuotaBody, options: ChangeOptions = {}): Promise<T.Account> {
    return this.call<T.Account>({
      method: "PUT",
      path: "/api/manage/accounts/{name}/quota",
      parameters: { name },
      body,
      result: "json",
      options,
    });
  }

  /**
   * Allow status pages of an account's messages, or end them.
   * Needs the permission `operate`.
   * `PUT /api/manage/accounts/{name}/status-pages`
   */
  setStatusPages(name: string, body: T.SetStatusPagesBody, options: ChangeOptions = {}): Promise<T.Account> {
    return this.call<T.Account>({
      method: "PUT",
      path: "/api/manage/accounts/{name}/status-pages",
      parameters: { name },
      body,
      result: "json",
      options,
    });
  }

  /**
   * Restore a deleted account.
   * Needs the permission `operate`.
   * `POST /api/manage/accounts/{name}/restore`
   */
  restoreAccount(name: string, options: RequestOptions = {}): Promise<T.Account> {
    return this.call<T.Account>({
      method: "POST",
      path: "/api/manage/accounts/{name}/restore",
      parameters: { name },
      result: "json",
      options,
    });
  }

  /**
   * List the users, by email address.
   * Needs the permission `operate`.
   * `GET /api/manage/users`
   * @param options.limit A whole number from 1 to 100.
   * @param options.after Next of the page before.
   * @param options.name The name or the id of an account.
   */
  listUsers(options: RequestOptions & { limit?: number | undefined; after?: string | undefined; name?: string | undefined } = {}): Promise<T.UserList> {
    return this.call<T.UserList>({
      method: "GET",
      path: "/api/manage/users",
      query: ["limit", "after", "name"],
      result: "json",
      options,
    });
  }

  /** List the users, by email address: every item, page by page. */
  iterateUsers(options: RequestOptions & { limit?: number | undefined; after?: string | undefined; name?: string | undefined } & IterationOptions = {}): AsyncGenerator<T.User, void, undefined> {
    return iterate((cursor) => this.listUsers({ ...options, after: cursor }), {
      first: options.after,
      isFollowed: false,
      itemsOf: (page) => page.data,
      nextOf: (page) => page.next,
      onPage: options.onPage,
    });
  }

  /**
   * Remove a user: their sessions end at once.
   * With `name`, only from that account; a user of no other account is removed as a whole. Needs the permission `operate`.
   * `DELETE /api/manage/users/{email}`
   * @param options.name The name or the id of an account.
   */
  removeUser(email: string, options: RequestOptions & { name?: string | undefined } = {}): Promise<undefined> {
    return this.call<undefined>({
      method: "DELETE",
      path: "/api/manage/users/{email}",
      parameters: { email },
      query: ["name"],
      result: "none",
      options,
    });
  }

  /**
   * List the open invitations to an account, the oldest first.
   * Needs the permission `operate`.
   * `GET /api/manage/accounts/{name}/invitations`
   * @param options.limit A whole number from 1 to 100.
   * @param options.after Next of the page before.
   */
  listInvitations(name: string, options: RequestOptions & { limit?: number | undefined; after?: string | undefined } = {}): Promise<T.InvitationList> {
    return this.call<T.InvitationList>({
      method: "GET",
      path: "/api/manage/accounts/{name}/invitations",
      parameters: { name },
      query: ["limit", "after"],
      result: "json",
      options,
    });
  }

  /** List the open invitations to an account, the oldest first: every item, page by page. */
  iterateInvitations(name: string, options: RequestOptions & { limit?: number | undefined; after?: string | undefined } & IterationOptions = {}): AsyncGenerator<T.Invitation, void, undefined> {
    return iterate((cursor) => this.listInvitations(name, { ...options, after: cursor }), {
      first: options.after,
      isFollowed: false,
      itemsOf: (page) => page.data,
      nextOf: (page) => page.next,
      onPage: options.onPage,
    });
  }

  /**
   * Invite a person to an account.
   * `link` of the response is shown only this once. It is sent if the account has a verified domain. A user of another account joins this one with it. Needs the permission `operate`.
   * `POST /api/manage/accounts/{name}/invitations`
   */
  inviteUser(name: string, body: T.InviteUserBody, options: RequestOptions = {}): Promise<T.InvitedUser> {
    return this.call<T.InvitedUser>({
      method: "POST",
      path: "/api/manage/accounts/{name}/invitations",
      parameters: { name },
      body,
      result: "json",
      options,
    });
  }

  /**
   * Revoke an open invitation: its link ends.
   * Needs the permission `operate`.
   * `DELETE /api/manage/accounts/{name}/invitations/{id}`
   */
  revokeInvitation(name: string, id: string, options: RequestOptions = {}): Promise<undefined> {
    return this.call<undefined>({
      method: "DELETE",
      path: "/api/manage/accounts/{name}/invitations/{id}",
      parameters: { name, id },
      result: "none",
      options,
    });
  }

  /**
   * List who takes mail, by name: limits, and whether they accept it now.
   * Needs the permission `operate`.
   * `GET /api/manage/receivers`
   * @param options.limit A whole number from 1 to 100.
   * @param options.after Next of the page before.
   */
  listReceivers(options: RequestOptions & { limit?: number | undefined; after?: string | undefined } = {}): Promise<T.ReceiverList> {
    return this.call<T.ReceiverList>({
      method: "GET",
      path: "/api/manage/receivers",
      query: ["limit", "after"],
      result: "json",
      options,
    });
  }

  /** List who takes mail, by name: limits, and whether they accept it now: every item, page by page. */
  iterateReceivers(options: RequestOptions & { limit?: number | undefined; after?: string | undefined } & IterationOptions = {}): AsyncGenerator<T.Receiver, void, undefined> {
    return iterate((cursor) => this.listReceivers({ ...options, after: cursor }), {
      first: options.after,
      isFollowed: false,
      itemsOf: (page) => page.data,
      nextOf: (page) => page.next,
      onPage: options.onPage,
    });
  }

  /**
   * Get a receiver.
   * Needs the permission `operate`.
   * `GET /api/manage/receivers/{name}`
   */
  getReceiver(name: string, options: RequestOptions = {}): Promise<T.Receiver> {
    return this.call<T.Receiver>({
      method: "GET",
      path: "/api/manage/receivers/{name}",
      parameters: { name },
      result: "json",
      options,
    });
  }

  /**
   * Set limits of a receiver; those that are absent stay as they are.
   * Delivery follows within 10 seconds, on every node. Needs the permission `operate`.
   * `PUT /api/manage/receivers/{name}/limits`
   */
  setReceiverLimits(name: string, body: T.SetReceiverLimitsBody, options: ChangeOptions = {}): Promise<T.Receiver> {
    return this.call<T.Receiver>({
      method: "PUT",
      path: "/api/manage/receivers/{name}/limits",
      parameters: { name },
      body,
      result: "json",
      options,
    });
  }

  /**
   * Remove the limits that were set for a receiver.
   * Needs the permission `operate`.
   * `DELETE /api/manage/receivers/{name}/limits`
   */
  resetReceiverLimits(name: string, options: ChangeOptions = {}): Promise<undefined> {
    return this.call<undefined>({
      method: "DELETE",
      path: "/api/manage/receivers/{name}/limits",
      parameters: { name },
      result: "none",
      options,
    });
  }

  /**
   * List waiting recipients of all accounts, by recipient domain.
   * Needs the permission `operate`.
   * `GET /api/manage/queue`
   */
  getQueue(options: RequestOptions = {}): Promise<T.Queue> {
    return this.call<T.Queue>({
      method: "GET",
      path: "/api/manage/queue",
      result: "json",
      options,
    });
  }

  /**
   * Make no attempt at a recipient domain until it is resumed.
   * Needs the permission `operate`.
   * `POST /api/manage/destinations/{domain}/pause`
   */
  pauseDestination(domain: string, options: RequestOptions = {}): Promise<T.PausedDestination> {
    return this.call<T.PausedDestination>({
      method: "POST",
      path: "/api/manage/destinations/{domain}/pause",
      parameters: { domain },
      result: "json",
      options,
    });
  }

  /**
   * Go on with attempts at a recipient domain.
   * Needs the permission `operate`.
   * `POST /api/manage/destinations/{domain}/resume`
   */
  resumeDestination(domain: string, options: RequestOptions = {}): Promise<T.PausedDestination> {
    return this.call<T.PausedDestination>({
      method: "POST",
      path: "/api/manage/destinations/{domain}/resume",
      parameters: { domain },
      result: "json",
      options,
    });
  }

  /**
   * Try all pending recipients at a domain now.
   * Needs the permission `operate`.
   * `POST /api/manage/destinations/{domain}/retry`
   */
  retryDestination(domain: string, options: RequestOptions = {}): Promise<T.RetriedDestination> {
    return this.call<T.RetriedDestination>({
      method: "POST",
      path: "/api/manage/destinations/{domain}/retry",
      parameters: { domain },
      result: "json",
      options,
    });
  }

  /**
   * List the nodes that share the database, by name; none where the spool belongs to one service.
   * Needs the permission `operate`.
   * `GET /api/manage/nodes`
   * @param options.limit A whole number from 1 to 100.
   * @param options.after Next of the page before.
   */
  listNodes(options: RequestOptions & { limit?: number | undefined; after?: string | undefined } = {}): Promise<T.NodeList> {
    return this.call<T.NodeList>({
      method: "GET",
      path: "/api/manage/nodes",
      query: ["limit", "after"],
      result: "json",
      options,
    });
  }

  /** List the nodes that share the database, by name; none where the spool belongs to one service: every item, page by page. */
  iterateNodes(options: RequestOptions & { limit?: number | undefined; after?: string | undefined } & IterationOptions = {}): AsyncGenerator<T.Node, void, undefined> {
    return iterate((cursor) => this.listNodes({ ...options, after: cursor }), {
      first: options.after,
      isFollowed: false,
      itemsOf: (page) => page.data,
      nextOf: (page) => page.next,
      onPage: options.onPage,
    });
  }

  /**
   * Drain a node: it completes its messages and takes no new ones.
   * `state` in the list of nodes is `drained` once it has. Needs the permission `operate`.
   * `POST /api/manage/nodes/{name}/drain`
   */
  drainNode(name: string, options: RequestOptions = {}): Promise<T.DrainedNode> {
    return this.call<T.DrainedNode>({
      method: "POST",
      path: "/api/manage/nodes/{name}/drain",
      parameters: { name },
      result: "json",
      options,
    });
  }

  /**
   * Let a draining node claim again.
   * Needs the permission `operate`.
   * `POST /api/manage/nodes/{name}/resume`
   */
  resumeNode(name: string, options: RequestOptions = {}): Promise<T.ResumedNode> {
    return this.call<T.ResumedNode>({
      method: "POST",
      path: "/api/manage/nodes/{name}/resume",
      parameters: { name },
      result: "json",
      options,
    });
  }

  /**
   * Get what stops or hurts delivery from the host of this node, as last examined.
   * Needs the permission `operate`.
   * `GET /api/manage/doctor`
   */
  getDoctor(options: RequestOptions = {}): Promise<T.Findings> {
    return this.call<T.Findings>({
      method: "GET",
      path: "/api/manage/doctor",
      result: "json",
      options,
    });
  }

  /**
   * Examine the host of this node now.
   * It takes up to 30 seconds. Needs the permission `operate`.
   * `POST /api/manage/doctor`
   */
  runDoctor(options: RequestOptions = {}): Promise<T.Findings> {
    return this.call<T.Findings>({
      method: "POST",
      path: "/api/manage/doctor",
      result: "json",
      options,
    });
  }

  /**
   * See whether large receivers take mail from the addresses of this node.
   * A session with each of them, in which nothing is sent. It takes up to 20 seconds, and each receiver is tried once an hour at most. Needs the permission `operate`.
   * `POST /api/manage/preflight`
   * @param options.address The sending address; all of the host if absent.
   * @param options.receiver The name of one receiver with a profile.
   */
  runPreflight(options: RequestOptions & { address?: string | undefined; receiver?: string | undefined } = {}): Promise<T.Preflight> {
    return this.call<T.Preflight>({
      method: "POST",
      path: "/api/manage/preflight",
      query: ["address", "receiver"],
      result: "json",
      options,
    });
  }

  /**
   * List the sending addresses; without one, mail leaves from what the system chooses.
   * Needs the permission `operate`.
   * `GET /api/manage/addresses`
   * @param options.limit A whole number from 1 to 100.
   * @param options.after Next of the page before.
   */
  listAddresses(options: RequestOptions & { limit?: number | undefined; after?: string | undefined } = {}): Promise<T.SendingAddressList> {
    return this.call<T.SendingAddressList>({
      method: "GET",
      path: "/api/manage/addresses",
      query: ["limit", "after"],
      result: "json",
      options,
    });
  }

  /** List the sending addresses; without one, mail leaves from what the system chooses: every item, page by page. */
  iterateAddresses(options: RequestOptions & { limit?: number | undefined; after?: string | undefined } & IterationOptions = {}): AsyncGenerator<T.SendingAddressEntry, void, undefined> {
    return iterate((cursor) => this.listAddresses({ ...options, after: cursor }), {
      first: options.after,
      isFollowed: false,
      itemsOf: (page) => page.data,
      nextOf: (page) => page.next,
      onPage: options.onPage,
    });
  }

  /**
   * Add a sending address.
   * Delivery follows within 10 seconds, on every node that has the address. Needs the permission `operate`.
   * `POST /api/manage/addresses`
   */
  addAddress(body: T.AddAddressBody, options: RequestOptions = {}): Promise<T.SendingAddress> {
    return this.call<T.SendingAddress>({
      method: "POST",
      path: "/api/manage/addresses",
      body,
      result: "json",
      options,
    });
  }

  /**
   * Get a sending address, and how far it is warmed up at each receiver.
   * Needs the permission `operate`.
   * `GET /api/manage/addresses/{address}`
   */
  getAddress(address: string, options: RequestOptions = {}): Promise<T.SendingAddress> {
    return this.call<T.SendingAddress>({
      method: "GET",
      path: "/api/manage/addresses/{address}",
      parameters: { address },
      result: "json",
      options,
    });
  }

  /**
   * Pause or resume a sending address.
   * Attempts in progress from it complete. Delivery follows within 10 seconds. Needs the permission `operate`.
   * `PATCH /api/manage/addresses/{address}`
   */
  changeAddress(address: string, body: T.ChangeAddressBody, options: ChangeOptions = {}): Promise<T.SendingAddress> {
    return this.call<T.SendingAddress>({
      method: "PATCH",
      path: "/api/manage/addresses/{address}",
      parameters: { address },
      body,
      result: "json",
      options,
    });
  }

  /**
   * Remove a sending address; attempts in progress from it complete.
   * Needs the permission `operate`.
   * `DELETE /api/manage/addresses/{address}`
   */
  removeAddress(address: string, options: ChangeOptions = {}): Promise<undefined> {
    return this.call<undefined>({
      method: "DELETE",
      path: "/api/manage/addresses/{address}",
      parameters: { address },
      result: "none",
      options,
    });
  }

  /**
   * Begin, change or end the warm-up of a sending address; what is absent stays as it is.
   * Needs the permission `operate`.
   * `PUT /api/manage/addresses/{address}/warm-up`
   */
  setWarmUp(address: string, body: T.SetWarmUpBody, options: ChangeOptions = {}): Promise<T.SendingAddress> {
    return this.call<T.SendingAddress>({
      method: "PUT",
      path: "/api/manage/addresses/{address}/warm-up",
      parameters: { address },
      body,
      result: "json",
      options,
    });
  }

  /**
   * List the pools, by name, with their addresses and whose mail leaves from them.
   * Needs the permission `operate`.
   * `GET /api/manage/pools`
   * @param options.limit A whole number from 1 to 100.
   * @param options.after Next of the page before.
   */
  listPools(options: RequestOptions & { limit?: number | undefined; after?: string | undefined } = {}): Promise<T.SendingPoolList> {
    return this.call<T.SendingPoolList>({
      method: "GET",
      path: "/api/manage/pools",
      query: ["limit", "after"],
      result: "json",
      options,
    });
  }

  /** List the pools, by name, with their addresses and whose mail leaves from them: every item, page by page. */
  iteratePools(options: RequestOptions & { limit?: number | undefined; after?: string | undefined } & IterationOptions = {}): AsyncGenerator<T.SendingPool, void, undefined> {
    return iterate((cursor) => this.listPools({ ...options, after: cursor }), {
      first: options.after,
      isFollowed: false,
      itemsOf: (page) => page.data,
      nextOf: (page) => page.next,
      onPage: options.onPage,
    });
  }

  /**
   * Create a pool.
   * Needs the permission `operate`.
   * `POST /api/manage/pools`
   */
  createPool(body: T.CreatePoolBody, options: RequestOptions = {}): Promise<T.SendingPool> {
    return this.call<T.SendingPool>({
      method: "POST",
      path: "/api/manage/pools",
      body,
      result: "json",
      options,
    });
  }

  /**
   * Get a pool.
   * Needs the permission `operate`.
   * `GET /api/manage/pools/{name}`
   */
  getPool(name: string, options: RequestOptions = {}): Promise<T.SendingPool> {
    return this.call<T.SendingPool>({
      method: "GET",
      path: "/api/manage/pools/{name}",
      parameters: { name },
      result: "json",
      options,
    });
  }

  /**
   * Remove a pool without addresses: its mail is of the default pool from then on.
   * Needs the permission `operate`.
   * `DELETE /api/manage/pools/{name}`
   */
  removePool(name: string, options: ChangeOptions = {}): Promise<undefined> {
    return this.call<undefined>({
      method: "DELETE",
      path: "/api/manage/pools/{name}",
      parameters: { name },
      result: "none",
      options,
    });
  }

  /**
   * Let the mail of an account, of a tag of an account, or of a sender domain leave from a pool.
   * It leaves from no other pool then. The pool `default` ends an assignment. Needs the permission `operate`.
   * `PUT /api/manage/pools/{name}/assignments`
   */
  assignPool(name: string, body: T.AssignPoolBody, options: ChangeOptions = {}): Promise<T.SendingPool> {
    return this.call<T.SendingPool>({
      method: "PUT",
      path: "/api/manage/pools/{name}/assignments",
      parameters: { name },
      body,
      result: "json",
      options,
    });
  }

  /**
   * Liveness.
   * `GET /healthz`
   */
  health(options: RequestOptions = {}): Promise<T.Health> {
    return this.call<T.Health>({
      method: "GET",
      path: "/healthz",
      result: "json",
      needsKey: false,
      options,
    });
  }

  /**
   * Readiness.
   * `GET /readyz`
   */
  readiness(options: RequestOptions = {}): Promise<T.Readiness> {
    return this.call<T.Readiness>({
      method: "GET",
      path: "/readyz",
      result: "json",
      needsKey: false,
      isRetried: false,
      options,
    });
  }

  /**
   * Metrics for Prometheus.
   * `GET /metrics`
   */
  metrics(options: RequestOptions = {}): Promise<string> {
    return this.call<string>({
      method: "GET",
      path: "/metrics",
      result: "text",
      needsKey: false,
      options,
    });
  }

  /**
   * This document.
   * `GET /openapi.json`
   */
  openApi(options: RequestOptions = {}): Promise<unknown> {
    return this.call<unknown>({
      method: "GET",
      path: "/openapi.json",
      result: "json",
      needsKey: false,
      options,
    });
  }
}
