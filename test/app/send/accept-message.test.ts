/** Results of acceptance: rejections are values, are checked in a fixed order, and leave nothing behind. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { AcceptBackpressure } from "../../../src/app/send/accept-backpressure.ts";
import { AcceptMessage, type AcceptParts, type AcceptRequest } from "../../../src/app/send/accept-message.ts";
import { SendRate } from "../../../src/app/send/send-rate.ts";
import { UnsubscribeLinks } from "../../../src/app/send/unsubscribe-links.ts";
import type { Rate } from "../../../src/lib/token-buckets.ts";
import type { Draft } from "../../../src/message/compose/draft.ts";
import { parseDraft } from "../../../src/message/compose/draft.ts";
import { testRouteOf } from "../../../src/message/test-route.ts";
import { readUnsubscribeToken } from "../../../src/message/unsubscribe-token.ts";
import { FULL_ACCESS } from "../../../src/spool/port/api-keys.ts";
import type { Domain } from "../../../src/spool/port/domains.ts";
import { SpoolUnavailable } from "../../../src/spool/port/errors.ts";
import type { Acceptance, NewMessage } from "../../../src/spool/port/mail.ts";
import { fakeClock } from "../../support/fake-clock.ts";
import { localRates } from "../../support/local-rates.ts";

/** Rates by a clock that stands still. */
const newRate = (rate: Rate): SendRate => new SendRate(rate, localRates(fakeClock()));

const NOW_MS = Date.UTC(2026, 0, 2, 23, 59, 30);

/** Signs unsubscribe links. */
const KEY = Buffer.alloc(32, 7);

function draft(text = "Hello", more: Record<string, unknown> = {}): Draft {
  const body = { from: "shop@shop.example", to: ["ann@one.example", "bob@two.example"], subject: "Hi", text, ...more };
  const options = { recipientsMax: 10, token: "token", dateMs: NOW_MS, boundary: "boundary" };
  const read = parseDraft(Buffer.from(JSON.stringify(body)), options);
  if (read.type === "invalid") throw new Error(JSON.stringify(read.error));
  return read.draft;
}

const verified = (name: string): Domain => ({ id: "dom_1", accountId: "acc_1", name, verified: true }) as Domain;

interface Scene extends Partial<Omit<AcceptParts, "spool" | "rate">> {
  accept?: (message: NewMessage) => Promise<Acceptance>;
  rate?: SendRate;
}

function scene({ accept, rate = newRate({ perSecond: 1, burst: 2 }), ...others }: Scene = {}) {
  const clock = fakeClock();
  const backpressure = new AcceptBackpressure(clock);
  const stored: NewMessage[] = [];
  const signed: string[] = [];
  const uses = new Map<string, { id: string; payloadHash: string }>();
  const acceptMessage = new AcceptMessage({
    spool: {
      accept: async (message) => {
        const result = await (accept?.(message) ?? { type: "accepted" as const, id: message.id });
        if (result.type === "accepted") {
          stored.push(message);
          if (message.idempotency !== null)
            uses.set(message.idempotency.key, { ...message.idempotency, id: message.id });
        }
        return result;
      },
      idempotencyRecord: async (_accountId, key) => uses.get(key) ?? null,
    },
    accounts: { hasStatusPages: async () => true },
    registry: { domainNamed: async (_accountId, name) => (name === "shop.example" ? verified(name) : null) },
    signAhead: { prepare: ({ id }) => void signed.push(id) },
    unsubscribe: new UnsubscribeLinks({ key: KEY, publicUrl: () => "https://mail.shop.example", isPublicUrlSet: true }),
    statusLinks: { fault: () => null },
    limits: { messageBytesMax: 10_000, quotaDaily: 0, suppressAfter: 0, maxAgeMs: 1000 },
    unavailableReason: () => null,
    rate,
    backpressure,
    clock,
    ...others,
  });
  const submit = (parts: Partial<AcceptRequest> = {}) =>
    acceptMessage.accept({
      accountId: "acc_1",
      keyId: "key_1",
      isTest: false,
      access: FULL_ACCESS,
      draft: draft(),
      idempotencyKey: null,
      receivedAtMs: NOW_MS,
      isRated: true,
      ...parts,
    });
  return { acceptMessage, backpressure, clock, rate, signed, stored, submit };
}

const codeOf = (result: { type: string; code?: string }): string => result.code ?? result.type;

test("an accepted message is stored once, and signed ahead under the same id", async () => {
  const { submit, stored, signed } = scene();
  const result = await submit();
  assert.equal(result.type, "accepted");
  assert.deepEqual([stored.map(({ id }) => id), signed], [[result.type === "accepted" && result.id], signed]);
  assert.deepEqual(
    stored[0]?.recipients.map(({ email }) => email),
    ["ann@one.example", "bob@two.example"],
  );
  assert.equal(stored[0]?.expiresAtMs, NOW_MS + 1000);
});

test("rejections are values, in a fixed order: sender, service, rate, size", async () => {
  const noDomain = { registry: { domainNamed: async () => null } };
  const closed = { unavailableReason: () => "The disk is full." };
  const empty = { rate: newRate({ perSecond: 0.001, burst: 1 }) };
  const tiny = { limits: { messageBytesMax: 10, quotaDaily: 0, suppressAfter: 0, maxAgeMs: 1000 } };
  await empty.rate.consume({ id: "key_1", accountId: "acc_1" });
  for (const [code, parts] of [
    ["sender_not_allowed", { ...noDomain, ...closed, ...empty, ...tiny }],
    ["engine_unavailable", { ...closed, ...empty, ...tiny }],
    ["rate_limit_exceeded", { ...empty, ...tiny }],
    ["body_too_large", tiny],
  ] as const) {
    const { submit, stored, signed } = scene(parts);
    assert.equal(codeOf(await submit()), code);
    assert.deepEqual([stored, signed], [[], []], code);
  }
});

test("the rejection for the quota contains the time until the next day", async () => {
  const { submit } = scene({ accept: async () => ({ type: "quota_exceeded" }) });
  const result = await submit();
  assert.ok(result.type === "rejected");
  assert.deepEqual([result.code, result.retryAfterS], ["quota_exceeded", 30]);
});

test("a rejected request consumes no token", async () => {
  const rate = newRate({ perSecond: 0.001, burst: 1 });
  const answers: (() => Promise<Acceptance>)[] = [
    async () => ({ type: "quota_exceeded" }),
    async () => ({ type: "replayed", id: "msg_0" }),
    async () => ({ type: "idempotency_key_reused" }),
    async () => Promise.reject(new SpoolUnavailable("the disk is full")),
  ];
  for (const accept of answers) {
    await scene({ rate, accept })
      .submit()
      .catch((error) => assert.ok(error instanceof SpoolUnavailable));
    assert.equal(rate.check({ id: "key_1", accountId: "acc_1" }).allowed, true);
  }
  assert.equal((await scene({ rate }).submit()).type, "accepted");
  assert.equal(rate.check({ id: "key_1", accountId: "acc_1" }).allowed, false);
});

test("of two concurrent requests with the same idempotency key, the second is a replay of the first", async () => {
  const { submit, stored } = scene();
  const [first, second] = await Promise.all([submit({ idempotencyKey: "a" }), submit({ idempotencyKey: "a" })]);
  assert.deepEqual([first?.type, second?.type, stored.length], ["accepted", "replayed", 1]);
  assert.deepEqual(await submit({ idempotencyKey: "a" }), second);
  const other = await submit({ idempotencyKey: "a", draft: draft("Another text") });
  assert.equal(codeOf(other), "idempotency_key_reused");
});

test("memory is reserved for two copies before anything is stored, and its error reaches the caller", async () => {
  const { submit, stored } = scene();
  const full = new Error("no memory");
  const reserveMemory = (sizeBytes: number): void => {
    assert.equal(sizeBytes, 2 * draft().content().bytes.length);
    throw full;
  };
  await assert.rejects(submit({ reserveMemory }), full);
  assert.deepEqual(stored, []);
});

test("rejections that apply to any body are known before the body is read", async () => {
  const key = { id: "key_1", accountId: "acc_1", ...FULL_ACCESS };
  assert.equal(scene().acceptMessage.rejectionOf(key), null);
  const closed = scene({ unavailableReason: () => "The disk is full." }).acceptMessage.rejectionOf(key);
  assert.deepEqual([closed?.code, closed?.detail], ["engine_unavailable", "The disk is full."]);
  const rate = newRate({ perSecond: 0.001, burst: 1 });
  await rate.consume(key);
  assert.equal(scene({ rate }).acceptMessage.rejectionOf(key)?.code, "rate_limit_exceeded");
});

test("the request's id and the key that the client wrote are stored as they are", async () => {
  const { submit, stored } = scene({ rate: newRate({ perSecond: 1, burst: 9 }) });
  await submit({ requestId: "req_1", idempotencyKey: "order 17", clientKey: "order 17", isTest: true });
  await submit({ idempotencyKey: "\u0001derived", clientKey: null });
  await submit();
  assert.deepEqual(
    stored.map(({ requestId, clientKey }) => [requestId, clientKey]),
    [
      ["req_1", "order 17"],
      [null, null],
      [null, null],
    ],
  );
});

test("a message of a test key is stored as such, on the test route of its account, and is never suppressed", async () => {
  const limits = { messageBytesMax: 10_000, quotaDaily: 5, suppressAfter: 3, maxAgeMs: 1000 };
  const { submit, stored } = scene({ limits });
  for (const isTest of [true, false]) assert.equal((await submit({ isTest })).type, "accepted");
  const route = testRouteOf("acc_1");
  assert.deepEqual(
    stored.map(({ test: isTest, suppressAfter, recipients }) => [isTest, suppressAfter, recipients]),
    [
      [true, 0, ["ann@one.example", "bob@two.example"].map((email) => ({ email, domain: route }))],
      [
        false,
        3,
        [
          { email: "ann@one.example", domain: "one.example" },
          { email: "bob@two.example", domain: "two.example" },
        ],
      ],
    ],
  );
});

test("a test key sends from a bound domain that is not verified, and from no other", async () => {
  const unverified = { ...verified("shop.example"), verified: false, checks: {} } as Domain;
  const bound = { domainNamed: async (_: string, name: string) => (name === "shop.example" ? unverified : null) };
  const { submit } = scene({ registry: bound });
  assert.equal((await submit({ isTest: true })).type, "accepted");
  assert.equal(codeOf(await submit()), "domain_not_verified");
  const { submit: unbound } = scene({ registry: { domainNamed: async () => null } });
  assert.equal(codeOf(await unbound({ isTest: true })), "sender_not_allowed");
});

test("a live message is no replay of a test message with the same idempotency key, nor the reverse", async () => {
  const { submit, stored } = scene({ rate: newRate({ perSecond: 1, burst: 10 }) });
  const idempotencyKey = "order-1";
  const together = [true, false].map((isTest) => submit({ isTest, idempotencyKey }));
  assert.deepEqual(
    (await Promise.all(together)).map(({ type }) => type),
    ["accepted", "accepted"],
  );
  for (const isTest of [true, false]) {
    const again = await submit({ isTest, idempotencyKey });
    assert.deepEqual([again.type, "id" in again && again.id], ["replayed", stored.find((m) => m.test === isTest)?.id]);
  }
  assert.equal(stored.length, 2);
});

test("test keys have the rate of live keys", async () => {
  const { submit } = scene();
  for (let i = 0; i < 2; i += 1) assert.equal((await submit({ isTest: true })).type, "accepted");
  assert.equal(codeOf(await submit({ isTest: true })), "rate_limit_exceeded");
});

const withLink = (text = "Hello"): Draft => draft(text, { to: "Ann <ann@one.example>", unsubscribe: true });

test("a message that asks for an unsubscribe link has one that names it and its recipient", async () => {
  const { submit, stored } = scene();
  const result = await submit({ draft: withLink() });
  const [message] = stored;
  const text = message?.content.toString() ?? "";
  const [, token = ""] =
    /^List-Unsubscribe: <https:\/\/mail\.shop\.example\/unsubscribe\/([^>]+)>\r\n/.exec(text) ?? [];
  assert.deepEqual(readUnsubscribeToken(token, KEY), {
    accountId: "acc_1",
    messageId: result.type === "accepted" && result.id,
    position: 0,
    email: "ann@one.example",
  });
  assert.equal(message?.id, result.type === "accepted" && result.id);
  assert.ok(text.includes("\r\nList-Unsubscribe-Post: List-Unsubscribe=One-Click\r\n"));
  assert.ok(text.endsWith(withLink().content().bytes.toString()), "all else is as without the link");
});

test("the link of a test message says that it is one", async () => {
  const { submit, stored } = scene();
  await submit({ draft: withLink(), isTest: true });
  const [, token = ""] = /\/unsubscribe\/([^>]+)>\r\n/.exec(stored[0]?.content.toString() ?? "") ?? [];
  assert.equal(readUnsubscribeToken(token, KEY)?.test, true);
});

test("a message that asks for none is stored as it was built", async () => {
  const { submit, stored } = scene();
  for (const unsubscribe of [undefined, false]) await submit({ draft: draft("Hello", { unsubscribe }) });
  for (const { content } of stored) assert.ok(content.equals(draft().content().bytes));
});

test("a message has one Feedback-ID where it is on: its own, or one of tag, domain, account and sender", async () => {
  const { submit, stored } = scene({ feedbackSenderId: "postrider" });
  const own = draft("Hello", { headers: { "feedback-id": "a:b:c:other" }, tags: ["invoice"] });
  await submit({ draft: draft("Hello", { tags: ["invoice", "de"] }) });
  await submit({ draft: own });
  const [added, kept] = stored.map(({ content }) => content.toString());
  assert.equal(added, `Feedback-ID: invoice:shop.example:acc_1:postrider\r\n${draft().content().bytes}`);
  assert.equal(kept, own.content().bytes.toString());
});

test("a message can have both a link and a Feedback-ID", async () => {
  const { submit, stored } = scene({ feedbackSenderId: "postrider" });
  await submit({ draft: withLink() });
  const names = stored[0]?.content
    .toString()
    .match(/^[\w-]+(?=:)/gm)
    ?.slice(0, 4);
  assert.deepEqual(names, ["List-Unsubscribe", "List-Unsubscribe-Post", "Feedback-ID", "From"]);
});

test("a repeated request with a link is a replay, although its message would have another link", async () => {
  const { submit, stored } = scene();
  const first = await submit({ draft: withLink(), idempotencyKey: "a" });
  const second = await submit({ draft: withLink(), idempotencyKey: "a" });
  assert.deepEqual([second.type, stored.length], ["replayed", 1]);
  assert.equal("id" in second && second.id, "id" in first && first.id);
  const without = draft("Hello", { to: "Ann <ann@one.example>" });
  assert.equal(codeOf(await submit({ draft: without, idempotencyKey: "a" })), "idempotency_key_reused");
});

test("without HTTPS, only messages that ask for a link are rejected", async () => {
  const unsubscribe = new UnsubscribeLinks({
    key: KEY,
    publicUrl: () => "http://mail.shop.example",
    isPublicUrlSet: true,
  });
  const { submit, stored, rate } = scene({ unsubscribe, rate: newRate({ perSecond: 0.001, burst: 1 }) });
  const result = await submit({ draft: withLink() });
  assert.ok(result.type === "rejected");
  assert.equal(result.code, "invalid_request");
  assert.match(result.detail, /^unsubscribe: .*http:\/\/mail\.shop\.example/);
  assert.deepEqual([stored, rate.check({ id: "key_1", accountId: "acc_1" }).allowed], [[], true]);
  assert.equal((await submit()).type, "accepted");
});

test("a header of more than 256 KiB when built, which could not be signed as a whole, is rejected", async () => {
  const headersOf = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, n) => [`X-${n}`, "漢".repeat(4000)]));
  const limits = { messageBytesMax: 2 ** 20, quotaDaily: 0, suppressAfter: 0, maxAgeMs: 1000 };
  const { submit, stored } = scene({ limits });
  assert.equal((await submit({ draft: draft("x", { headers: headersOf(5) }) })).type, "accepted");
  const result = await submit({ draft: draft("x", { headers: headersOf(20) }) });
  assert.equal(codeOf(result), "body_too_large");
  assert.equal(stored.length, 1);
});

test("the link counts towards the size of a message", async () => {
  const messageBytesMax = withLink().content().bytes.length + 50;
  const { submit, stored } = scene({ limits: { messageBytesMax, quotaDaily: 0, suppressAfter: 0, maxAgeMs: 1000 } });
  assert.equal(codeOf(await submit({ draft: withLink() })), "body_too_large");
  assert.deepEqual(stored, []);
});

test("a key without the permission to send is rejected before all else, and uses no rate", async () => {
  const { acceptMessage, rate, stored, submit } = scene({ rate: newRate({ perSecond: 1, burst: 1 }) });
  const access = { permissions: ["read"], domains: null } as const;
  const key = { id: "key_1", accountId: "acc_1", ...access };
  for (const idempotencyKey of [null, "a"]) {
    assert.equal(codeOf(await submit({ access, idempotencyKey })), "permission_denied");
  }
  assert.equal(acceptMessage.rejectionOf(key)?.code, "permission_denied");
  assert.equal(acceptMessage.rejectionOf({ ...key, ...FULL_ACCESS }), null);
  assert.deepEqual([rate.state({ id: "key_1", accountId: "acc_1" })?.tokens, stored], [1, []]);
  assert.equal(codeOf(await submit({ idempotencyKey: "a" })), "accepted");
  assert.equal(codeOf(await submit({ access, idempotencyKey: "a" })), "permission_denied");
});

test("a key with domains sends from those alone, also in fields shown beside From and for tests", async () => {
  const names = ["shop.example", "news.shop.example", "other.example"];
  const domainNamed = async (_accountId: string, name: string) =>
    names.includes(name) ? ({ ...verified(name), verified: name !== "other.example", checks: {} } as Domain) : null;
  const { submit, stored } = scene({ registry: { domainNamed }, rate: newRate({ perSecond: 1, burst: 99 }) });
  const access = { permissions: ["send"], domains: ["shop.example"] } as const;
  const from = (address: string) => submit({ access, draft: draft("Hi", { from: address }) });
  assert.equal(codeOf(await from("a@shop.example")), "accepted");
  // It is signed by shop.example.
  assert.equal(codeOf(await from("a@sub.shop.example")), "accepted");
  for (const address of ["a@news.shop.example", "a@other.example", "a@unbound.example"]) {
    const result = await from(address);
    assert.equal(codeOf(result), "sender_not_allowed", address);
    const domain = address.slice(2);
    const detail = `This API key may send only from the domains shop.example, not from ${domain}.`;
    assert.equal("detail" in result && result.detail, detail);
  }
  const shown = draft();
  const mailbox = { ...shown.summary.from, domain: "news.shop.example", address: "a@news.shop.example" };
  for (const field of ["Sender", "Resent-From"]) {
    const senders = [
      { field: "Resent-Sender", mailbox: shown.summary.from, isResent: true },
      { field, mailbox, isResent: field !== "Sender" },
    ];
    const other = await submit({ access, draft: { ...shown, summary: { ...shown.summary, senders } } });
    const detail = `${field}: This API key may send only from the domains shop.example, not from news.shop.example.`;
    assert.deepEqual(other, { type: "rejected", code: "sender_not_allowed", detail });
  }
  const several = [{ field: "Resent-From", mailbox: null, isResent: true }];
  const resent = { ...shown, summary: { ...shown.summary, senders: several } };
  const refused = await submit({ access, draft: resent });
  assert.match("detail" in refused ? refused.detail : "", /^Resent-From: It must have exactly one address/);
  const unrestricted = { ...access, domains: null };
  assert.equal(codeOf(await submit({ access: unrestricted, draft: resent })), "accepted");
  const test = await submit({ access, isTest: true, draft: draft("Hi", { from: "a@other.example" }) });
  assert.equal(codeOf(test), "sender_not_allowed");
  assert.equal(stored.length, 3);
});
