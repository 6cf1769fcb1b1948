/** An address that servers repeatedly report as nonexistent is suppressed, as seen from outside. */
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { ageRefusals } from "../support/aged-refusals.ts";
import { type ApiTarget, isFinal, lookUp, pollUntil, send, sendToOne } from "../support/api-client.ts";
import { runCli } from "../support/run-cli.ts";
import { RECIPIENT_DOMAIN, sendBody, startWorld, type World } from "../support/world.ts";

const SUPPRESSED = `nobody@${RECIPIENT_DOMAIN}`;
const DELIVERED = `delivered@${RECIPIENT_DOMAIN}`;

interface SuppressedEvent {
  type: string;
  detail: string;
  since: string;
  until: string;
  refusals: { at: string; code: number; enhanced_code: string; mx: string }[];
}

async function worldWithSuppressed(
  t: TestContext,
  env: Record<string, string> = {},
): Promise<{ world: World; target: ApiTarget }> {
  const world = await startWorld(t, env);
  const target = { url: world.service.url, key: world.key };
  for (let i = 0; i < 3; i += 1) await refusedOnce(target, world);
  return { world, target };
}

/** A refused message, 12 hours after the previous one. */
async function refusedOnce(target: ApiTarget, world: World): Promise<void> {
  ageRefusals(world.env.DATA_DIR ?? "", 12);
  assert.equal((await sendToOne(target, sendBody({ to: SUPPRESSED }))).reason, "recipient_refused");
}

test("an address refused repeatedly within a minute is tried every time", async (t) => {
  const world = await startWorld(t);
  const target = { url: world.service.url, key: world.key };
  const reasonOfSend = async () => (await sendToOne(target, sendBody({ to: SUPPRESSED }))).reason;
  for (let i = 0; i < 5; i += 1) assert.equal(await reasonOfSend(), "recipient_refused");
  assert.deepEqual(JSON.parse((await runCli(["suppressions", "list", "--json"], world.env)).stdout), []);
  ageRefusals(world.env.DATA_DIR ?? "", 24);
  assert.equal(await reasonOfSend(), "recipient_refused", "the second refusal, a day after the first");
  const { recipients } = await lookUp(target, await send(target, sendBody({ to: SUPPRESSED })));
  assert.equal(recipients[0]?.reason, "suppressed");
});

test("a message to an address refused three times in a day is accepted, fails at once with the refusals as evidence, and is not sent", async (t) => {
  const { world, target } = await worldWithSuppressed(t);
  const seen = world.sink.entries.length;
  const { recipients } = await lookUp(target, await send(target, sendBody({ to: SUPPRESSED })));
  const [recipient] = recipients;
  assert.deepEqual(
    [
      recipient?.result,
      recipient?.reason,
      recipient?.category,
      recipient?.attempts,
      recipient?.smtp,
      recipient?.next_attempt_at,
    ],
    ["failed", "suppressed", "bad_address", 0, null, null],
  );
  const event: object = recipient?.events[1] ?? {};
  const { type, detail, since, until, refusals } = event as SuppressedEvent;
  assert.equal(type, "suppressed");
  assert.match(detail, /reported repeatedly that the address does not exist/);
  assert.equal(refusals.length, 3);
  assert.equal(since, refusals[2]?.at);
  assert.equal(Date.parse(until) - Date.parse(refusals[0]?.at ?? ""), 30 * 86_400_000);
  assert.deepEqual(
    [refusals[0]?.code, refusals[0]?.enhanced_code, refusals[0]?.mx],
    [550, "5.1.1", `mx.${RECIPIENT_DOMAIN}`],
  );

  const mixed = await pollUntil(target, await send(target, sendBody({ to: [SUPPRESSED, DELIVERED] })), isFinal);
  assert.deepEqual(
    mixed.recipients.map((r) => [r.result, r.reason]),
    [
      ["failed", "suppressed"],
      ["delivered", null],
    ],
  );
  assert.equal(world.sink.entries.length, seen + 1);
});

test("the command line lists the address with its refusals and allows it again", async (t) => {
  const { world, target } = await worldWithSuppressed(t);
  const cli = (...args: string[]) => runCli(["suppressions", ...args], world.env);
  const [listed, ...others] = JSON.parse((await cli("list", "--json")).stdout);
  assert.deepEqual(others, []);
  assert.deepEqual(Object.keys(listed), ["email", "cause", "since", "until", "refusals"]);
  assert.deepEqual([listed.email, listed.cause, listed.refusals.length], [SUPPRESSED, "refusals", 3]);
  const shown = (await cli("list")).stdout.split("\n");
  assert.match(
    shown[0] ?? "",
    new RegExp(`^${SUPPRESSED} {2}rejected as unknown, suppressed since \\S+Z, until \\S+Z$`),
  );
  assert.match(shown[1] ?? "", /^ {2}\S+Z {2}mx\.customers\.example \[127\.0\.0\.1\]: 550 5\.1\.1 No such mailbox/);

  const removed = await cli("remove", SUPPRESSED, "--json");
  assert.deepEqual([removed.code, JSON.parse(removed.stdout)], [0, { email: SUPPRESSED, removed: true }]);
  const again = await cli("remove", SUPPRESSED);
  assert.deepEqual(
    [again.code, again.stderr],
    [1, `postrider: the account default has no refusals of ${SUPPRESSED}, and no suppression\n`],
  );
  assert.equal((await cli("list")).stdout, "No address is suppressed.\n");
  assert.equal((await sendToOne(target, sendBody({ to: SUPPRESSED }))).reason, "recipient_refused");
});

test("SUPPRESS_AFTER=0 tries every time", async (t) => {
  const { world, target } = await worldWithSuppressed(t, { SUPPRESS_AFTER: "0" });
  assert.equal((await sendToOne(target, sendBody({ to: SUPPRESSED }))).reason, "recipient_refused");
  const { stdout } = await runCli(["suppressions", "list"], world.env);
  assert.equal(stdout, "No address is suppressed. Refusals suppress none (SUPPRESS_AFTER=0).\n");
});
