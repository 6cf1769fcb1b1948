/** Requests that wait at one node for what another one does. The test's time limit ends a wait that is not answered. */
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type { Service } from "../../src/service/service.ts";
import { type MessageReport, send } from "../support/api-client.ts";
import { missingPostgresOrTime } from "../support/postgres/installation.ts";
import { startTwoServices } from "../support/postgres/two-services.ts";
import { RECIPIENT_DOMAIN, sendBody } from "../support/world.ts";

/** Shorter than the longest wait. */
const options = { skip: missingPostgresOrTime(), timeout: 45_000 };
const WAIT = "wait=60";

/** Resolves once the service watches a message: a request is held. */
function untilWatched(t: TestContext, { spool }: Service): Promise<void> {
  return new Promise((resolve) => {
    const { watch } = spool;
    t.mock.method(spool, "watch", (...args: Parameters<typeof watch>) => {
      resolve();
      return watch.apply(spool, args);
    });
  });
}

test("a lookup is answered when another node has delivered", options, async (t) => {
  const { world, second, ask } = await startTwoServices(t);
  const { service, key } = world;
  await service.spool.pauseDomain(RECIPIENT_DOMAIN, Date.now());
  const id = await send({ url: service.url, key }, sendBody());
  const watched = untilWatched(t, second);
  const lookedUp = ask(second.url, `/api/sending/messages/${id}?${WAIT}`);
  await watched;
  await service.spool.resumeDomain(RECIPIENT_DOMAIN);
  const report = (await (await lookedUp).json()) as MessageReport;
  assert.deepEqual(
    report.recipients.map(({ result }) => result),
    ["delivered"],
  );
});

test("the feed of events is answered when another node has accepted, and then delivered", options, async (t) => {
  const { world, second, ask } = await startTwoServices(t);
  const { service, key } = world;
  await service.spool.pauseDomain(RECIPIENT_DOMAIN, Date.now());
  const next = async (after = "") => {
    const answer = await ask(second.url, `/api/sending/events?${WAIT}${after}`);
    return (await answer.json()) as { events: { type: string; message_id: string }[]; next: string };
  };
  const first = next();
  const id = await send({ url: service.url, key }, sendBody());
  const accepted = await first;
  assert.deepEqual(
    accepted.events.map((event) => [event.type, event.message_id]),
    [["message.accepted", id]],
  );
  const later = next(`&after=${accepted.next}`);
  await service.spool.resumeDomain(RECIPIENT_DOMAIN);
  assert.deepEqual(
    (await later).events.map((event) => [event.type, event.message_id]),
    [["recipient.delivered", id]],
  );
});
