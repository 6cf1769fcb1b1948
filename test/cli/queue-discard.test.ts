/** `queue discard` ends a message that cannot be read, and no other. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { quarantining } from "../spool/port/conformance/quarantine.ts";
import { lookUp, pollUntil, send } from "../support/api-client.ts";
import { edit } from "../support/damaged-spool.ts";
import { apiTarget } from "../support/peers.ts";
import { runCli } from "../support/run-cli.ts";
import { RECIPIENT_DOMAIN, sendBody, startWorld } from "../support/world.ts";

test("queue discard fails the recipients of a quarantined message, and leaves others alone", {
  timeout: 60_000,
}, async (t) => {
  const world = await startWorld(t);
  const door = apiTarget(world);
  const discard = (...args: string[]) => runCli(["queue", "discard", ...args], world.env);
  const id = await send(door, sendBody({ to: [`4xx-451@${RECIPIENT_DOMAIN}`] }));
  await pollUntil(door, id, ({ attempts }) => attempts > 0);
  assert.deepEqual(await discard(id), {
    code: 1,
    stdout: "",
    stderr: `postrider: ${id} is not quarantined: use queue cancel ${id}\n`,
  });
  assert.match((await discard("row-9")).stderr, /no quarantined message is called row-9: see queue quarantined\n$/);
  edit(world.env.DATA_DIR ?? "", (db) => {
    for (const sql of quarantining("?")) db.prepare(sql).run(...new Array(sql.split("?").length - 1).fill(id));
  });
  const counted = await runCli(["queue", "cancel", "--pending", "--dry-run", "--json"], world.env);
  assert.equal((JSON.parse(counted.stdout) as { would_cancel: number }).would_cancel, 0);
  const done = await discard(id);
  assert.deepEqual(done, { code: 0, stdout: `${id} is discarded: 1 recipient failed.\n`, stderr: "" });
  const { recipients } = await lookUp(door, id);
  assert.deepEqual([recipients[0]?.result, recipients[0]?.reason], ["failed", "discarded"]);
  const shown = await runCli(["messages", "show", id], world.env);
  assert.match(shown.stdout, /discarded by command line\n +Damage found at .*\(content\): the content does not match/);
  assert.equal((await runCli(["queue", "quarantined"], world.env)).stdout, "No message is quarantined.\n");
});
