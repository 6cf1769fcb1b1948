/** An address that servers repeatedly report as nonexistent is suppressed, as seen from outside. */
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { ageRefusals } from "../support/aged-refusals.ts";
import { type FrontDoor, isFinal, look, lookUntil, send, sendToOne } from "../support/front-door.ts";
import { runCli } from "../support/run-cli.ts";
import { letter, RECIPIENT_DOMAIN, startWorld, type World } from "../support/world.ts";

const GONE = `nobody@${RECIPIENT_DOMAIN}`;
const DELIVERED = `delivered@${RECIPIENT_DOMAIN}`;

interface SuppressedEvent {
  type: string;
  detail: string;
  since: string;
  until: string;
  refusals: { at: string; code: number; enhanced_code: string; mx: string }[];
}

async function worldWithGone(
  t: TestContext,
  env: Record<string, string> = {},
): Promise<{ world: World; door: FrontDoor }> {
  const world = await startWorld(t, env);
  const door = { url: world.service.url, key: world.key };
  for (let i = 0; i < 3; i += 1) await refusedOnce(door, world);
  return { world, door };
}

/** A message that is refused, 12 hours after the one before. */
async function refusedOnce(door: FrontDoor, world: World): Promise<void> {
  ageRefusals(world.env.DATA_DIR ?? "", 12);
  assert.equal((await sendToOne(door, letter({ to: GONE }))).reason, "recipient_refused");
}

test("an address that is refused again and again within a minute is tried every time", async (t) => {
  const world = await startWorld(t);
  const door = { url: world.service.url, key: world.key };
  const tryIt = async () => (await sendToOne(door, letter({ to: GONE }))).reason;
  for (let i = 0; i < 5; i += 1) assert.equal(await tryIt(), "recipient_refused");
  assert.deepEqual(JSON.parse((await runCli(["suppressions", "list", "--json"], world.env)).stdout), []);
  ageRefusals(world.env.DATA_DIR ?? "", 24);
  assert.equal(await tryIt(), "recipient_refused", "the second refusal, a day after the first");
  const { recipients } = await look(door, await send(door, letter({ to: GONE })));
  assert.equal(recipients[0]?.reason, "suppressed");
});

test("a message to an address that was refused three times in a day is accepted, shows failed at once with the refusals, and reaches nobody", async (t) => {
  const { world, door } = await worldWithGone(t);
  const seen = world.sink.entries.length;
  const { recipients } = await look(door, await send(door, letter({ to: GONE })));
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

  const mixed = await lookUntil(door, await send(door, letter({ to: [GONE, DELIVERED] })), isFinal);
  assert.deepEqual(
    mixed.recipients.map((r) => [r.result, r.reason]),
    [
      ["failed", "suppressed"],
      ["delivered", null],
    ],
  );
  assert.equal(world.sink.entries.length, seen + 1);
});

test("the command line lists the address with its refusals and lets it be tried again", async (t) => {
  const { world, door } = await worldWithGone(t);
  const cli = (...args: string[]) => runCli(["suppressions", ...args], world.env);
  const [listed, ...others] = JSON.parse((await cli("list", "--json")).stdout);
  assert.deepEqual(others, []);
  assert.deepEqual(Object.keys(listed), ["email", "since", "until", "refusals"]);
  assert.deepEqual([listed.email, listed.refusals.length], [GONE, 3]);
  const shown = (await cli("list")).stdout.split("\n");
  assert.match(shown[0] ?? "", new RegExp(`^${GONE} {2}suppressed since \\S+Z, until \\S+Z$`));
  assert.match(shown[1] ?? "", /^ {2}\S+Z {2}mx\.customers\.example \[127\.0\.0\.1\]: 550 5\.1\.1 No such mailbox/);

  const removed = await cli("remove", GONE, "--json");
  assert.deepEqual([removed.code, JSON.parse(removed.stdout)], [0, { email: GONE, removed: true }]);
  const again = await cli("remove", GONE);
  assert.deepEqual([again.code, again.stderr], [1, `postrider: the account default has no refusals of ${GONE}\n`]);
  assert.equal((await cli("list")).stdout, "No address is suppressed.\n");
  assert.equal((await sendToOne(door, letter({ to: GONE }))).reason, "recipient_refused");
});

test("SUPPRESS_AFTER=0 tries every time", async (t) => {
  const { world, door } = await worldWithGone(t, { SUPPRESS_AFTER: "0" });
  assert.equal((await sendToOne(door, letter({ to: GONE }))).reason, "recipient_refused");
  const { stdout } = await runCli(["suppressions", "list"], world.env);
  assert.equal(stdout, "Suppression is off (SUPPRESS_AFTER=0).\n");
});
