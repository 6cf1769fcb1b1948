/** A spool with every kind of row, made through the port alone, for tests of what moves a whole spool. */
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { testRouteOf } from "../../src/message/test-route.ts";
import type { KeyAccess } from "../../src/spool/port/api-keys.ts";
import type { NewMessage } from "../../src/spool/port/mail.ts";
import type { Store } from "../../src/spool/port/store.ts";
import { checksAt, newDomain, newUserParts } from "../spool/port/conformance/store-suite.ts";
import {
  allEvents,
  blockedBy,
  createEndpoint,
  deferred,
  endpointOf,
  givenUp,
  sent,
  settle,
} from "../spool/port/conformance/webhook-suite.ts";
import { settleMessage } from "./attempts.ts";
import { HOUR_MS, newMessage, rcptReply, recipientsAt, settlement } from "./messages.ts";
import { largeContent } from "./whole-content.ts";

export const NOW_MS = 1_700_000_000_000;
export const DAY_MS = 24 * HOUR_MS;

/** A larger content is stored in parts. */
export const PART_BYTES = 1000;

export const SESSION = {
  hash: Buffer.alloc(32, 7),
  createdAtMs: NOW_MS,
  seenAtMs: NOW_MS,
  agent: "agent",
  ip: "192.0.2.7",
};

export interface RichSpool {
  accountIds: string[];
  messageIds: string[];
  keyHashes: Buffer[];
}

export async function fillRichSpool(store: Store): Promise<RichSpool> {
  const other = await store.createAccount("other", NOW_MS - DAY_MS);
  assert.ok(other !== "exists");
  const accountIds = ["acc_default", other.id];
  await store.setQuota(other.id, 5000);
  const keyHashes = await fillRegistry(store, other.id);
  const messageIds = await fillMessages(store, other.id);
  await fillOperations(store);
  await fillWebhooks(store, other.id);
  return { accountIds, messageIds, keyHashes };
}

async function fillRegistry(store: Store, otherId: string): Promise<Buffer[]> {
  const { people } = store;
  const user = await store.createUser({ ...newUserParts, operator: true });
  const second = await store.createUser({ ...newUserParts, accountId: otherId, email: "Bob@Shop.example" });
  assert.ok(typeof user !== "string" && typeof second !== "string");
  await people.setTotp(user.id, { sealed: Buffer.from("totp"), recoveryHashes: [randomBytes(32), randomBytes(32)] });
  await people.spendTotpStep(user.id, 55);
  await store.createInvitation({
    id: "inv_rich",
    hash: randomBytes(32),
    accountId: otherId,
    email: "Eve@Shop.example",
    role: "viewer",
    invitedBy: "bob@shop.example",
    createdAtMs: NOW_MS,
    usersMax: 10,
  });
  await people.startSession({ ...SESSION, userId: user.id, accountId: "acc_default" });
  const hashes = [randomBytes(32), randomBytes(32), randomBytes(32)];
  const restricted: KeyAccess = {
    permissions: ["send"],
    domains: ["a.example"],
    networks: ["192.0.2.0/24", "2001:db8::/32"],
    expiresAtMs: NOW_MS + 1000,
  };
  for (const [i, hash] of hashes.entries()) {
    const key = await store.createKey({
      accountId: "acc_default",
      name: `key ${i}`,
      hash,
      lastFour: "abcd",
      createdAtMs: NOW_MS,
      keysMax: 10,
      test: i === 0,
      ...(i === 2 ? { access: restricted } : {}),
    });
    assert.ok(key !== "too_many");
    if (i === 1) await store.revokeKey("acc_default", key.id, NOW_MS + 1);
    else store.touchKey(key.id, NOW_MS + 5);
  }
  await fillDomains(store, otherId);
  await fillAudit(store, user.id);
  await people.setNoticeChoices(user.id, { failed_messages: "digest" });
  await fillNotices(store);
  return hashes;
}

async function fillAudit(store: Store, userId: string): Promise<void> {
  const actor = { kind: "user", id: userId, name: "ann@shop.example", ip: "192.0.2.7" } as const;
  const target = { kind: "domain", id: null, name: "shop.example" };
  const entry = { atMs: NOW_MS, accountId: null, actor, target, before: null, after: { verified: true } };
  for (const id of ["aud_one", "aud_two"]) await store.recordAudit({ ...entry, id, action: "domain.added" });
}

async function fillNotices(store: Store): Promise<void> {
  const notice = {
    atMs: NOW_MS,
    kind: "key_held",
    subject: "The API key is held",
    text: "Why",
    link: "/dashboard/keys",
  };
  for (const [i, accountId] of ["acc_default", null].entries())
    await store.addNotice({ ...notice, id: `ntc_${i}`, accountId, cause: `key ${i}`, occurrence: "held" });
  await store.noticeLeft("ntc_1", "mail", NOW_MS + 1);
}

async function fillDomains(store: Store, otherId: string): Promise<void> {
  for (const accountId of ["acc_default", otherId]) {
    const domain = await store.addDomain({ ...newDomain, accountId });
    assert.ok(typeof domain !== "string");
    await store.saveChecks(domain.id, checksAt(NOW_MS + 1, "verified"), true, NOW_MS + 2);
    await store.saveChecks(domain.id, checksAt(NOW_MS + 2, "failed"), false, NOW_MS + 3);
    const rotation = { domainId: domain.id, selector: "two", publicKey: "second" };
    await store.startRotation({ ...rotation, sealedPrivateKey: Buffer.from("second sealed"), startedAtMs: NOW_MS });
  }
  await store.addDomain({ ...newDomain, name: "gone.example" });
  await store.removeDomain("acc_default", "gone.example", NOW_MS + 3);
  await store.addDomain({ ...newDomain, name: "gone.example", token: "again" });
}

async function fillMessages(store: Store, otherId: string): Promise<string[]> {
  const messageIds: string[] = [];
  let atMs = NOW_MS;
  const accept = async (parts: Partial<NewMessage> = {}): Promise<string> => {
    const message = newMessage({ createdAtMs: atMs, expiresAtMs: atMs + 48 * HOUR_MS, ...parts });
    assert.equal((await store.accept(message)).type, "accepted");
    messageIds.push(message.id);
    atMs += 1;
    return message.id;
  };
  const smtp = {
    code: 550,
    enhancedCode: "5.1.1",
    message: "no such\u0000 user",
    mx: "mx.d.example",
    ip: null,
    tls: null,
  };
  const tries = [rcptReply({ code: 550, enhancedCode: "5.1.1", message: "no such user" } as never)];

  // Of other days, and of one millisecond.
  const early = await accept({ createdAtMs: NOW_MS - DAY_MS, subject: "earlier" });
  await settleMessage(store, early, NOW_MS + 50, [settlement(0, "delivered")]);
  const labels = { tags: ["welcome", "ünïcode"], metadata: { order: "17" } };
  await accept({ subject: "new", ...labels, requestId: "req_1", clientKey: "order 17" });
  await settleMessage(store, await accept({ subject: "delivered" }), atMs + 10, [settlement(0, "delivered")]);
  const mixed = await accept({
    subject: "mixed",
    recipients: [
      { email: "Ann@customers.example", domain: "customers.example" },
      { email: "bob@customers.example", domain: "customers.example", field: "cc" },
      { email: "cy@customers.example", domain: "customers.example", field: "bcc" },
      { email: "di@customers.example", domain: "customers.example" },
    ],
    tags: ["mixed"],
    keyId: "key_b",
  });
  await settleMessage(store, mixed, atMs + 10, [
    settlement(0, "delivered"),
    { ...settlement(1, "failed"), reason: "refused_recipient", category: "bad_address", smtp: smtp as never, tries },
    { ...settlement(2, "pending", atMs + HOUR_MS), smtp: { ...smtp, code: 450 } as never, tries },
    settlement(3, "unknown"),
  ]);
  // Deferred, made due by a retry of its domain, deferred again, and made due again.
  const retried = await accept({ recipients: recipientsAt("slow.example", 2) });
  const retryDomain = (nowMs: number) =>
    store.retryDomain({ accountId: "acc_default", domain: "slow.example", nowMs, limit: 10 });
  await settleMessage(store, retried, atMs + 10, [
    settlement(0, "pending", atMs + HOUR_MS),
    settlement(1, "delivered"),
  ]);
  await retryDomain(atMs + 20);
  await settleMessage(store, retried, atMs + 30, [settlement(0, "pending", atMs + 2 * HOUR_MS)]);
  await retryDomain(atMs + 40);

  const failed = await accept({ recipients: recipientsAt("refusing.example", 2), subject: "failed" });
  await settleMessage(store, failed, atMs + 10, [settlement(0, "failed"), settlement(1, "failed")]);
  const email = "user0@refusing.example";
  await store.retryFailed({
    accountId: "acc_default",
    messageId: failed,
    email,
    nowMs: atMs + 20,
    expiresAtMs: atMs + 90 * HOUR_MS,
    limit: 10,
    after: null,
    dryRun: false,
  });
  const unknown = await accept({ subject: "unknown, then retried" });
  await settleMessage(store, unknown, atMs + 10, [settlement(0, "unknown")]);
  await store.retry({ accountId: "acc_default", messageId: unknown, nowMs: atMs + 20 });

  await accept({ subject: "eight bits", eightBit: true, recipients: recipientsAt("eight.example", 1) });
  const route = testRouteOf("acc_default");
  const onRoute = ["delivered", "4xx-451"].map((local) => ({ email: `${local}@customers.example`, domain: route }));
  const test = await accept({ subject: "test", test: true, recipients: onRoute, keyId: "key_test" });
  await settleMessage(store, test, atMs + 10, [settlement(0, "delivered"), settlement(1, "pending", atMs + HOUR_MS)]);
  await accept({ subject: "large", content: largeContent(5 * PART_BYTES) });
  await accept({ accountId: otherId, keyId: "key_other", idempotency: { key: "once", payloadHash: "hash" } });
  await accept({ accountId: otherId, quotaDaily: 5000, recipients: recipientsAt("many.example", 300) });
  await accept({ deadlineMs: NOW_MS + HOUR_MS, subject: "deadline" });
  const together = atMs;
  for (let i = 0; i < 30; i += 1) await accept({ createdAtMs: together, subject: `together ${i}` });
  await suppressOne(store, accept);
  await markOne(store, accept);
  await accept({ createdAtMs: NOW_MS + DAY_MS, expiresAtMs: NOW_MS + 3 * DAY_MS, subject: "later" });
  return messageIds;
}

async function suppressOne(store: Store, accept: (parts: Partial<NewMessage>) => Promise<string>): Promise<void> {
  const recipients = [{ email: "nobody@refusing.example", domain: "refusing.example" }];
  const refusal = { ...settlement(0, "failed"), reason: "refused_recipient", category: "bad_address" as const };
  const reply = { code: 550, enhancedCode: "5.1.1", message: "no such user" };
  const smtp = { ...reply, mx: "mx", ip: null, tls: null } as never;
  for (let i = 0; i < 3; i += 1) {
    const id = await accept({ recipients });
    await settleMessage(store, id, NOW_MS + 200 + i, [{ ...refusal, smtp, tries: [rcptReply(reply as never)] }]);
  }
  await accept({
    recipients: [...recipients, ...recipientsAt("customers.example", 1)],
    suppressAfter: 1,
    subject: "suppressed",
  });
}

/** Leaves the mark of an attempt that did not end. */
async function markOne(store: Store, accept: (parts: Partial<NewMessage>) => Promise<string>): Promise<void> {
  const messageId = await accept({ recipients: recipientsAt("marked.example", 1), subject: "marked" });
  const request = { nowMs: NOW_MS + HOUR_MS, limit: 1000, perDomain: 1000, allowance: {} };
  const { jobs } = await store.claim(request);
  for (const job of jobs) {
    const positions = job.recipients.map(({ position }) => position);
    const ref = { messageId: job.messageId, positions, lease: job.lease };
    if (job.messageId !== messageId) await store.release(ref);
    else await store.mark({ ...ref, atMs: NOW_MS + HOUR_MS, mx: "mx.marked.example", ip: "192.0.2.9" });
  }
}

async function fillOperations(store: Store): Promise<void> {
  await store.pauseDomain("paused.example", NOW_MS + 1);
  const policy = { id: "1", mode: "enforce", mx: ["mx.sts.example"], fetchedAtMs: NOW_MS } as const;
  await store.storeStsPolicy({ ...policy, mx: [...policy.mx], domain: "sts.example", expiresAtMs: 3 * NOW_MS });
  await store.writeValue("last-time", String(NOW_MS));
  await store.writeNodeValue("delivery-memory", '{"known":1}');
  const request = { keyId: "key_a", method: "POST", path: "/api/sending/send", durationMs: 3, messageId: null };
  await store.recordRequests(
    [
      { ...request, id: "req_1", atMs: NOW_MS, accountId: "acc_default", status: 202, code: null },
      { ...request, id: "req_2", atMs: NOW_MS + 1, accountId: "acc_default", status: 400, code: "invalid_request" },
      { ...request, id: "req_3", atMs: NOW_MS + 2, accountId: null, keyId: null, status: 401, code: "invalid_key" },
    ],
    NOW_MS,
  );
}

async function fillWebhooks(store: Store, otherId: string): Promise<void> {
  await createEndpoint(store, { types: ["recipient.delivered", "domain.verified", "recipient.failed"] });
  await createEndpoint(store, { id: "end_b", keys: ["key_b"], domains: ["shop.example"] });
  await createEndpoint(store, { id: "end_c", accountId: otherId });
  const change = (endpointId: string, made: Parameters<Store["changeEndpoint"]>[0]["change"]) =>
    store.changeEndpoint({ accountId: "acc_default", endpointId, change: made });
  await change("end_a", { type: "rotate", sealedSecret: Buffer.from("new secret"), formerUntilMs: NOW_MS + DAY_MS });
  await change("end_a", { type: "replay", sinceMs: 0 });
  const events = await allEvents(store);
  const [delivered, failed, domain] = ["recipient.delivered", "recipient.failed", "domain.verified"].map((type) =>
    events.find((event) => event.type === type),
  );
  assert.ok(delivered && failed && domain);
  const blocked = events.find(({ messageId, number }) => messageId === failed.messageId && number > failed.number);
  assert.ok(blocked);
  await settle(store, await endpointOf(store), {
    results: [sent(delivered), deferred(failed, NOW_MS + HOUR_MS), deferred(domain, NOW_MS + 2 * HOUR_MS)],
    blocked: [blockedBy(blocked)],
    position: blocked.number,
  });
  const end = await endpointOf(store, "end_b");
  await settle(store, end, { results: [givenUp(events[0] as never)], position: 3, disable: "gone" });
  await change("end_b", { type: "pause", atMs: NOW_MS + 9 });
}
