/**
 * A destination that several nodes have closed: a request for a probe, made by the command line in a process of its own, leads to one
 * attempt of one node before the next probe is due, and an accepted one opens the destination for both.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { setTimeout } from "node:timers/promises";
import { startExchanger, until } from "../support/peers.ts";
import { missingPostgresOrTime } from "../support/postgres/installation.ts";
import { startTwoServices } from "../support/postgres/two-services.ts";
import { spawnCli } from "../support/run-cli.ts";
import { sendBody } from "../support/world.ts";

const DOMAIN = "limited.example";
const MESSAGES = 30;

/** Five attempts close the destination. After four probes the next pause is 16 s long. */
const REFUSALS = 9;

describe("a closed destination of several nodes", { skip: missingPostgresOrTime(), timeout: 180_000 }, () => {
  it("is tried with one message when a person asks, and opens for all nodes", async (t) => {
    const { world, urls, ask } = await startTwoServices(t, { RETRY_SCHEDULE: "1h" });
    let [isOpen, refusals] = [false, 0];
    const mail = (): string | undefined => {
      if (isOpen) return undefined;
      refusals += 1;
      return "451 4.7.650 temporarily rate limited";
    };
    const peer = await startExchanger(t, world, { domain: DOMAIN, script: { mail } });
    for (let i = 0; i < MESSAGES; i += 1) {
      const body = sendBody({ to: `user${i}@${DOMAIN}` });
      assert.equal((await ask(urls[i % 2] as string, "/api/sending/send", { body })).status, 202);
    }
    await until("the probes of the schedule", () => refusals >= REFUSALS);
    await until("the report of the closing", async () =>
      /closed delivery to the recipient's server/.test((await spawnCli(["destinations"], world.env)).stdout),
    );
    const before = refusals;
    const { stdout } = await spawnCli(["destinations", "retry", DOMAIN], world.env);
    assert.match(stdout, /limited\.example is closed: one message is tried within seconds/);
    await until("the probe that was asked for", () => refusals > before);
    await setTimeout(3000);
    // The schedule goes on beside it, and its next probe may be due by now.
    assert.ok(refusals <= before + 2, "one message, not all");
    const refused = refusals;
    isOpen = true;
    await spawnCli(["destinations", "retry", DOMAIN], world.env);
    await until("all messages", () => peer.transactions.length === MESSAGES);
    assert.equal(refusals, refused);
  });
});
