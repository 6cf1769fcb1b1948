/** An attempt at a message with a deadline, while the look-ups of a mail host are slow. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { type AttemptResult, createAttempt } from "../../../src/delivery/dispatch/attempt.ts";
import type { AttemptParts } from "../../../src/delivery/dispatch/attempt-state.ts";
import { Shutdown } from "../../../src/delivery/dispatch/shutdown.ts";
import { type HostPolicyLookup, opportunistic } from "../../../src/delivery/tls/tls-policy.ts";
import { silentLog } from "../../../src/lib/log.ts";
import { fakeClock } from "../../support/fake-clock.ts";
import { fakeResolver } from "../../support/fake-resolver.ts";
import { newWork } from "../../support/fake-spool.ts";

const DEADLINE_MS = 20_000;
const SILENT = new Promise<never>(() => {});

/** The tries of an attempt at two hosts, of which the second has no address. */
async function triesWithin(ms: number, lookUps: { policyFor?: HostPolicyLookup; isFirstSilent?: boolean }) {
  const clock = fakeClock();
  const resolver = fakeResolver({ "mx1.example": { TXT: [""] }, "mx2.example": { TXT: [""] } });
  const a = (name: string) => (lookUps.isFirstSilent && name === "mx1.example" ? SILENT : resolver.a(name));
  const parts: Partial<AttemptParts> = {
    clock,
    log: silentLog,
    shutdown: new Shutdown(),
    hostname: "mta.example",
    routing: { resolver: { ...resolver, a }, smtpPort: 25, sink: null, random: () => 0 },
    spool: { leaseIsCurrent: () => true } as Partial<AttemptParts["spool"]> as AttemptParts["spool"],
  };
  const hosts = ["mx1.example", "mx2.example"].map((name) => ({ name, port: 25, isSink: false }));
  const prepared = {
    route: { type: "hosts", hosts } as const,
    destination: "*.example",
    policyFor: lookUps.policyFor ?? (await opportunistic("a.example")),
  };
  const job = newWork("msg_a", "a.example", { deadlineMs: clock.now() + DEADLINE_MS });
  let result: AttemptResult | null = null;
  void createAttempt(parts as AttemptParts)(job, prepared).then((ended) => {
    result = ended;
  });
  await clock.advance(ms);
  return (result as AttemptResult | null)?.outcomes[0]?.tries.map(({ mx, error }) => `${mx}: ${error}`);
}

test("a host whose address takes half of the message's time leaves the other half to the next host", async () => {
  const isFirstSilent = true;
  assert.equal(await triesWithin(DEADLINE_MS / 2 - 1, { isFirstSilent }), undefined);
  assert.deepEqual(await triesWithin(DEADLINE_MS / 2, { isFirstSilent }), [
    "mx1.example: its address could not be looked up in half of the time that the message had left",
    "mx2.example: it has no address",
  ]);
});

test("so does a host whose TLSA records take that long, and it gets no message without them", async () => {
  const none = await opportunistic("a.example");
  const policyFor: HostPolicyLookup = (host) => (host.name === "mx1.example" ? SILENT : none(host));
  assert.deepEqual(await triesWithin(DEADLINE_MS / 2, { policyFor }), [
    "mx1.example: whether it has TLSA records could not be looked up in half of the time that the message had left",
    "mx2.example: it has no address",
  ]);
});
