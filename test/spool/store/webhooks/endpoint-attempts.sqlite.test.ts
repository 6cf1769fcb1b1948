/** A damaged log of attempts: nothing that is sent depends on it. */
import assert from "node:assert/strict";
import { it } from "node:test";
import { damagePage, opened, openSpool, pagesOf } from "../../../support/damaged-spool.ts";
import { tempDir } from "../../../support/temp-dir.ts";
import {
  ACCOUNT,
  createEndpoint,
  endpointOf,
  messageEvents,
  sent,
  settle,
} from "../../port/conformance/webhook-suite.ts";

it("does not stop a settlement, nor the removal of an endpoint", async (t) => {
  const dataDir = tempDir(t);
  const first = await openSpool(dataDir);
  const endpoint = await createEndpoint(first);
  const [event] = await messageEvents(first, ["delivered"]);
  assert.ok(event);
  await settle(first, endpoint, { results: [sent(event)] });
  await first.close();
  for (const page of pagesOf(dataDir)) if (page.name === "endpoint_attempts") damagePage(dataDir, page);

  const spool = await opened(t, dataDir);
  const found: string[] = [];
  spool.onDamage(({ place }) => found.push(place));
  const { number: position } = event;
  await settle(spool, endpoint, { position, results: [sent(event)] });
  assert.equal((await endpointOf(spool)).position, position);
  assert.deepEqual(found, ["the attempts of webhooks"]);
  assert.equal(await spool.removeEndpoint(ACCOUNT, endpoint.id), true);
  assert.deepEqual(await spool.endpoints(null), []);
});
