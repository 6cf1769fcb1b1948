/** The notices of webhook endpoints that fail, or are disabled: when there is one, and what they say. */
import assert from "node:assert/strict";
import { it } from "node:test";
import { noticeWebhooks } from "../../../src/app/notices/failing-webhooks.ts";
import { NoticeBoard } from "../../../src/app/notices/notice-board.ts";
import { SpoolUnavailable } from "../../../src/spool/port/errors.ts";
import type { DisabledReason } from "../../../src/spool/port/webhooks.ts";
import { fakeClock } from "../../support/fake-clock.ts";
import { FakeEndpointStore } from "../../support/fake-endpoint-store.ts";
import { FakeNotices } from "../../support/notices.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;
const FAILING_SINCE_MS = Date.UTC(2026, 2, 1, 10);
const DISABLED_AT_MS = FAILING_SINCE_MS + 5 * DAY_MS;
const SETTINGS = { accountId: "acc_1", url: "https://hooks.example:8443/x?y", types: null, keys: null, domains: null };

function scene(startMs = DISABLED_AT_MS + 1) {
  const store = new FakeEndpointStore();
  const notices = new FakeNotices();
  const clock = fakeClock(startMs);
  const board = new NoticeBoard({ store: notices, clock });
  async function create(id: string, settings: Partial<typeof SETTINGS> = {}): Promise<void> {
    const sealedSecret = Buffer.alloc(1);
    await store.createEndpoint({ ...SETTINGS, ...settings, id, createdAtMs: 1, sealedSecret, endpointsMax: 9 });
  }
  async function disable(id: string, reason: DisabledReason, settings: Partial<typeof SETTINGS> = {}): Promise<void> {
    await create(id, settings);
    const disabled = { atMs: DISABLED_AT_MS, reason, notifiedAtMs: null };
    store.settle(id, { disabled, failingSinceMs: FAILING_SINCE_MS });
  }
  const look = () => noticeWebhooks({ board, store, resultsKeptMs: 30 * DAY_MS }, clock.now());
  const noticed = async () => (await store.endpoints(null)).map(({ disabled }) => disabled?.notifiedAtMs ?? null);
  return { store, notices, clock, create, disable, look, noticed };
}

it("names the disabled endpoint, the reason with its times, how long events wait, and the page to enable it", async () => {
  const { disable, look, notices, noticed, clock } = scene();
  await disable("end_1", "failing");
  await disable("end_2", "gone", { url: "https://gone.example/" });
  await look();
  const [failing, gone] = notices.stored;
  assert.deepEqual(
    [failing?.kind, failing?.accountId, failing?.subject, failing?.link],
    ["webhook_failing", "acc_1", "Webhook endpoint disabled: hooks.example:8443", "/dashboard/webhooks/end_1"],
  );
  assert.match(failing?.text ?? "", /^https:\/\/hooks\.example:8443\/x\?…$/m);
  assert.match(
    failing?.text ?? "",
    /^Every attempt from 2026-03-01T10:00:00\.000Z to 2026-03-06T10:00:00\.000Z has failed\.$/m,
  );
  assert.match(failing?.text ?? "", /deleted 30 days after the last result of their message\./);
  assert.match(gone?.text ?? "", /^At 2026-03-06T10:00:00\.000Z it responded with 410 Gone/m);
  assert.deepEqual(await noticed(), [clock.now(), clock.now()]);
  await look();
  assert.equal(notices.stored.length, 2);
});

it("is not noticed again after a crash between the notice and its record, even with another text", async () => {
  const { store, disable, look, notices, noticed, clock } = scene();
  await disable("end_1", "gone");
  const { changeEndpoint } = store;
  store.changeEndpoint = () => Promise.reject(new SpoolUnavailable("down"));
  await assert.rejects(look, SpoolUnavailable);
  assert.deepEqual([notices.stored.length, await noticed()], [1, [null]]);
  store.changeEndpoint = changeEndpoint;
  const { accountId: _, ...settings } = { ...SETTINGS, url: "https://other.example/" };
  await store.changeEndpoint({ accountId: "acc_1", endpointId: "end_1", change: { ...settings, type: "edit" } });
  await look();
  assert.deepEqual([notices.stored.length, await noticed()], [1, [clock.now()]]);
});

it("is noticed again when the endpoint is disabled a second time, at most once a day", async () => {
  const { store, disable, look, notices, clock } = scene();
  await disable("end_1", "gone");
  await look();
  const notifiedAtMs = clock.now();
  await clock.advance(DAY_MS);
  store.settle("end_1", { disabled: { atMs: notifiedAtMs + DAY_MS - 1, reason: "gone", notifiedAtMs } });
  await look();
  assert.equal(notices.stored.length, 1);
  store.settle("end_1", { disabled: { atMs: notifiedAtMs + DAY_MS, reason: "gone", notifiedAtMs } });
  await look();
  assert.equal(notices.stored.length, 2);
});

it("is noticed once when all attempts have failed for an hour, and when it is disabled soon after, an hour later", async () => {
  const { store, create, look, notices, noticed, clock } = scene(FAILING_SINCE_MS + HOUR_MS - 1);
  await create("end_1");
  store.settle("end_1", { failingSinceMs: FAILING_SINCE_MS });
  await look();
  assert.equal(notices.stored.length, 0);
  await clock.advance(1);
  await look();
  await look();
  assert.deepEqual(
    notices.stored.map(({ subject }) => subject),
    ["Webhook endpoint fails: hooks.example:8443"],
  );
  assert.match(notices.stored[0]?.text ?? "", /has failed since 2026-03-01T10:00:00\.000Z/);
  store.settle("end_1", { disabled: { atMs: clock.now(), reason: "gone", notifiedAtMs: null } });
  await clock.advance(HOUR_MS - 1);
  await look();
  assert.deepEqual([notices.stored.length, await noticed()], [1, [null]]);
  await clock.advance(1);
  await look();
  assert.deepEqual([notices.stored.length, await noticed()], [2, [clock.now()]]);
});
