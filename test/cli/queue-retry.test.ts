/** `queue retry` as a person meets it: what is due now, and in one line why nothing is. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { runCli } from "../support/run-cli.ts";
import { letter, RECIPIENT_DOMAIN, startWorld } from "../support/world.ts";

const at = (local: string) => `${local}@${RECIPIENT_DOMAIN}`;

test("queue retry makes due what can be, and says of the rest what it is", { timeout: 60_000 }, async (t) => {
  const world = await startWorld(t);
  const send = async (to: string[]): Promise<string> => {
    const { id } = (await (await world.post(letter({ to }))).json()) as { id: string };
    type Report = { recipients: { attempts: number }[] };
    const look = async () => ((await (await world.lookUp(id)).json()) as Report).recipients;
    while ((await look()).some(({ attempts }) => attempts === 0)) await new Promise((soon) => setTimeout(soon, 50));
    return id;
  };
  const retry = (...args: string[]) => runCli(["queue", "retry", ...args], world.env);
  const refused = async (args: string[], words: string) =>
    assert.deepEqual(await retry(...args), { code: 1, stdout: "", stderr: `postrider: ${words}\n` });

  const only = "only pending and unknown recipients can be tried again, and failed ones with --failed";
  const mixed = await send([at("4xx-451"), at("4xx-450"), at("5xx-550"), at("delivered")]);
  await refused([mixed, at("5xx-550")], `${at("5xx-550")} is failed already: ${only}`);
  await refused([mixed, at("delivered")], `${at("delivered")} is delivered already: ${only}`);
  await refused([mixed, at("nobody")], `the message ${mixed} has no recipient ${at("nobody")}`);
  await refused([mixed, "nobody"], 'nobody is not an address: The address has no "@".');
  await refused(["msg_unknown"], "the account default has no message msg_unknown");
  const final = await send([at("5xx-551"), at("ann"), at("bob")]);
  await refused([final], `every recipient of ${final} is final (2 delivered, 1 failed): ${only}`);

  const one = await retry(mixed, "4xx-451@Customers.EXAMPLE");
  assert.deepEqual(one, { code: 0, stdout: "1 recipient is due now.\n", stderr: "" });
  const single = await send([at("4xx-452")]);
  assert.equal((await retry(single)).stdout, "1 recipient is due now.\n");
  const two = await send([at("4xx-451+a"), at("4xx-451+b")]);
  assert.equal((await retry(two)).stdout, "2 recipients are due now.\n");
});
