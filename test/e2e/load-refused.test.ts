/**
 * A host that rejects everything for its rate gets few attempts; no message is lost, and all are delivered once it
 * accepts again. One that always rejects certain messages in that way still gets the others.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { backlogWhen, fill, loadFor } from "../support/load.ts";
import { startExchanger, until } from "../support/peers.ts";
import { sendBody, startWorld } from "../support/world.ts";

const MESSAGES = 60;
/** Five attempts close the destination; the others are probes. */
const REFUSALS = 7;

test("a host that replies 451 4.7.650 to every MAIL is probed while messages wait, and then gets all of them", async (t) => {
  const world = await startWorld(t, { RETRY_SCHEDULE: "1s" });
  let [isOpen, refusals] = [false, 0];
  const mail = (): string | undefined => {
    if (isOpen) return undefined;
    refusals += 1;
    return "451 4.7.650 The mail server has been temporarily rate limited due to IP reputation";
  };
  const peer = await startExchanger(t, world, { domain: "limited.example", script: { mail } });
  await startExchanger(t, world, { domain: "live.example" });
  const toLimited = await loadFor(world, "limited.example");
  await fill(world, MESSAGES, toLimited);
  const [live = ""] = await fill(world, 1, { ...toLimited, domainOf: () => "live.example" });
  await backlogWhen(world, live, "delivered");
  await until("the probes", () => refusals >= REFUSALS);
  isOpen = true;
  await until("all messages", () => peer.transactions.length === MESSAGES);
  // Between two checks, one more may arrive.
  assert.ok(refusals <= REFUSALS + 1, `${refusals} refusals`);
});

test("messages that a host always rejects with 421 do not keep its destination closed for the others", async (t) => {
  const world = await startWorld(t, { RETRY_SCHEDULE: "1s" });
  let refusals = 0;
  const rcpt = (command: string): string | undefined => {
    if (!command.includes("poison")) return undefined;
    refusals += 1;
    return "421 4.7.0 not now";
  };
  const peer = await startExchanger(t, world, { domain: "limited.example", script: { rcpt } });
  const send = (local: string) => world.post(sendBody({ to: `${local}@limited.example` }));
  await send("poison-1");
  await send("poison-2");
  await until("the closing and two probes", () => refusals >= 7);
  for (let i = 0; i < 3; i += 1) await send(`ann-${i}`);
  await until("the other messages", () => peer.transactions.length === 3);
});
