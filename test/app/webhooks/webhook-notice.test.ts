/** The message about a disabled webhook endpoint: its content, who receives it, and that each receives it once. */
import assert from "node:assert/strict";
import { it } from "node:test";
import type { AcceptRequest, AcceptResult, RejectionCode } from "../../../src/app/send/accept-message.ts";
import { notifyDisabledEndpoints } from "../../../src/app/webhooks/webhook-notice.ts";
import type { Logger } from "../../../src/lib/log.ts";
import type { Domain } from "../../../src/spool/port/domains.ts";
import { SpoolUnavailable } from "../../../src/spool/port/errors.ts";
import type { User } from "../../../src/spool/port/people.ts";
import type { DisabledReason } from "../../../src/spool/port/webhooks.ts";
import { fakeClock } from "../../support/fake-clock.ts";
import { FakeEndpointStore } from "../../support/fake-endpoint-store.ts";

const DAY_MS = 86_400_000;
const FAILING_SINCE_MS = Date.UTC(2026, 2, 1, 10);
const DISABLED_AT_MS = FAILING_SINCE_MS + 5 * DAY_MS;
const SETTINGS = { accountId: "acc_1", url: "https://hooks.example:8443/x?y", types: null, keys: null, domains: null };

function scene() {
  const store = new FakeEndpointStore();
  const logged: { fields: Record<string, unknown>; message: string }[] = [];
  const domains = [
    { name: "new.example", accountId: "acc_1", verified: false },
    { name: "shop.example", accountId: "acc_1", verified: true },
  ] as Domain[];
  const sent: AcceptRequest[] = [];
  const uses = new Map<string, string>();
  const state: { rejection: RejectionCode | "spool" | null } = { rejection: null };
  async function accept(request: AcceptRequest): Promise<AcceptResult> {
    const { rejection } = state;
    if (rejection === "spool") throw new SpoolUnavailable("down");
    if (rejection !== null) return { type: "rejected", code: rejection, detail: "It is rejected." };
    const { idempotencyKey: key, draft } = request;
    assert.ok(key !== null);
    const earlier = uses.get(key);
    if (earlier !== undefined && earlier !== draft.payloadHash()) {
      return { type: "rejected", code: "idempotency_key_reused", detail: "It was used." };
    }
    if (earlier !== undefined) return { type: "replayed", id: "msg_1" };
    uses.set(key, draft.payloadHash());
    sent.push(request);
    return { type: "accepted", id: "msg_1" };
  }
  const users = ["ann@customers.example", "ben@customers.example"].map(
    (email, i) => ({ id: `usr_${i}`, email }) as User,
  );
  const log = { warn: (fields: Record<string, unknown>, message: string) => void logged.push({ fields, message }) };
  const parts = {
    store,
    acceptMessage: { accept },
    clock: fakeClock(DISABLED_AT_MS + 1),
    registry: { domains: async (accountId: string) => (accountId === "acc_1" ? domains : []) },
    people: { users: async (accountId: string | null) => (accountId === "acc_1" ? users : []) },
    log: log as unknown as Logger,
    publicUrl: "https://mail.example",
    resultsKeptMs: 30 * DAY_MS,
  };
  async function disable(id: string, reason: DisabledReason, settings: Partial<typeof SETTINGS> = {}): Promise<void> {
    const sealedSecret = Buffer.alloc(1);
    await store.createEndpoint({ ...SETTINGS, ...settings, id, createdAtMs: 1, sealedSecret, endpointsMax: 9 });
    const disabled = { atMs: DISABLED_AT_MS, reason, notifiedAtMs: null };
    store.settle(id, { disabled, failingSinceMs: FAILING_SINCE_MS });
  }
  const notify = () => notifyDisabledEndpoints(parts);
  const notified = async () => (await store.endpoints(null)).map(({ disabled }) => disabled?.notifiedAtMs ?? null);
  return { store, domains, users, sent, state, logged, disable, notify, notified, nowMs: DISABLED_AT_MS + 1 };
}

/** The message's text, with soft line breaks (RFC 2045 §6.7) removed. */
const textOf = ({ draft }: AcceptRequest): string =>
  draft.content().bytes.toString("utf8").replaceAll("=\r\n", "").replaceAll("\r\n", "\n");

it("is sent to each user of the account, once, from its first verified domain", async () => {
  const { disable, notify, notified, sent, users, nowMs } = scene();
  await disable("end_1", "failing");
  await notify();
  assert.deepEqual(
    sent.map(({ draft }) => draft.summary.to.map(({ address }) => address)),
    users.map(({ email }) => [email]),
  );
  for (const { accountId, keyId, isRated, draft } of sent) {
    assert.deepEqual([accountId, keyId, isRated], ["acc_1", "notice", false]);
    assert.equal(draft.summary.from.address, "postrider@shop.example");
    assert.equal(draft.summary.subject, "Webhook endpoint disabled: hooks.example:8443");
  }
  assert.deepEqual(await notified(), [nowMs]);
  await notify();
  assert.equal(sent.length, 2);
});

it("names the endpoint, the reason with its times, how long events wait, and the page to enable it", async () => {
  const { disable, notify, sent } = scene();
  await disable("end_1", "failing");
  await disable("end_2", "gone", { url: "https://gone.example/" });
  await notify();
  const [failing = "", , gone = ""] = sent.map(textOf);
  assert.match(failing, /^https:\/\/hooks\.example:8443\/x\?y$/m);
  assert.match(failing, /^Every attempt from 2026-03-01T10:00:00\.000Z to 2026-03-06T10:00:00\.000Z has failed\.$/m);
  assert.match(failing, /deleted 30 days after the last result of their message\./);
  assert.match(failing, /^https:\/\/mail\.example\/dashboard\/webhooks\/end_1$/m);
  assert.match(gone, /^At 2026-03-06T10:00:00\.000Z it responded with 410 Gone/m);
  assert.match(gone, /^https:\/\/mail\.example\/dashboard\/webhooks\/end_2$/m);
});

it("is not sent again after a crash between sending and recording, even with another text", async () => {
  const { store, disable, notify, notified, sent, nowMs } = scene();
  await disable("end_1", "gone");
  const { changeEndpoint } = store;
  store.changeEndpoint = () => Promise.reject(new SpoolUnavailable("down"));
  await notify();
  assert.deepEqual([sent.length, await notified()], [2, [null]]);
  store.changeEndpoint = changeEndpoint;
  const { accountId: _, ...settings } = { ...SETTINGS, url: "https://other.example/" };
  const change = { ...settings, type: "edit" } as const;
  await store.changeEndpoint({ accountId: "acc_1", endpointId: "end_1", change });
  await notify();
  assert.deepEqual([sent.length, await notified()], [2, [nowMs]]);
});

it("is sent again when the endpoint is disabled a second time, at most once a day", async () => {
  const { store, disable, notify, sent } = scene();
  await disable("end_1", "gone");
  await notify();
  const notifiedAtMs = DISABLED_AT_MS + 1;
  store.settle("end_1", { disabled: { atMs: DISABLED_AT_MS + DAY_MS, reason: "gone", notifiedAtMs } });
  await notify();
  assert.equal(sent.length, 2);
  store.settle("end_1", { disabled: { atMs: notifiedAtMs + DAY_MS, reason: "gone", notifiedAtMs } });
  await notify();
  assert.equal(sent.length, 4);
});

it("of an account without a verified domain is logged, and counts as sent", async () => {
  const { disable, notify, notified, domains, sent, logged, nowMs } = scene();
  domains.pop();
  await disable("end_1", "gone");
  await notify();
  assert.deepEqual([sent, await notified()], [[], [nowMs]]);
  assert.deepEqual(logged, [
    {
      fields: { endpointId: "end_1", accountId: "acc_1" },
      message: "notice not sent: the account has no verified domain",
    },
  ]);
});

it("is left to the next call while the account's quota is used up or the spool is down", async () => {
  const { disable, notify, notified, state, sent, logged } = scene();
  await disable("end_1", "gone");
  for (const rejection of ["quota_exceeded", "engine_unavailable", "domain_not_verified", "spool"] as const) {
    state.rejection = rejection;
    await notify();
    assert.deepEqual(await notified(), [null], rejection);
  }
  assert.equal(logged.length, 2 + 2 + 2 + 1);
  state.rejection = null;
  await notify();
  assert.equal(sent.length, 2);
});

it("is given up where no further call could send it", async () => {
  const { disable, notify, notified, state, users, logged, sent, nowMs } = scene();
  users[0] = { id: "usr_0", email: "nobody" } as User;
  await disable("end_1", "gone");
  await notify();
  assert.deepEqual([sent.length, await notified()], [1, [nowMs]]);
  assert.match(String(logged[0]?.fields.fault), /^nobody is not a valid email address/);
  await disable("end_2", "gone");
  state.rejection = "body_too_large";
  await notify();
  assert.deepEqual(await notified(), [nowMs, nowMs]);
});
