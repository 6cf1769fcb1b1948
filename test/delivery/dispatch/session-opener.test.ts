/** Opening of sessions under a policy that does not require TLS: what is remembered of addresses whose TLS does not work. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { openUnderPolicy, type Target } from "../../../src/delivery/dispatch/session-opener.ts";
import { SessionPool } from "../../../src/delivery/smtp/pool.ts";
import { HostHealth } from "../../../src/delivery/throttle/host-health.ts";
import { systemClock } from "../../../src/lib/clock.ts";
import { startScriptedSmtp } from "../../support/scripted-smtp.ts";
import { selfSigned } from "../../support/self-signed.ts";

const CAPABILITIES = ["PIPELINING", "STARTTLS"];

async function setUp(t: { after: (done: () => Promise<void>) => void }, isBroken: () => boolean) {
  const peer = await startScriptedSmtp({
    capabilities: CAPABILITIES,
    tls: selfSigned("mx.example"),
    script: { starttls: () => (isBroken() ? { drop: true, raw: "220 go on\r\n" } : undefined) },
  });
  t.after(() => peer.close());
  const health = new HostHealth(systemClock);
  const target: Target = {
    destination: null,
    host: { name: "mx.example", port: peer.port, isSink: false },
    endpoint: { address: peer.host },
    policy: { type: "opportunistic", name: "none", testingNote: () => null },
    isBrief: false,
  };
  const parts = { pool: new SessionPool(), clock: systemClock, health, hostname: "mta.example" };
  /** Opens a session; returns whether it has TLS, and its notes. */
  const open = async () => {
    const opened = await openUnderPolicy(target, parts);
    assert.ok(opened.type === "open");
    const { tls, notes, fallback } = opened.session;
    await opened.session.quit();
    return { hasTls: tls !== null, notes: notes.join("; "), fallback };
  };
  const starttls = (): number => peer.commands.filter((command) => command === "STARTTLS").length;
  return { open, starttls };
}

test("an address whose TLS breaks twice in a row is offered plain text from then on, and the session says so", async (t) => {
  const { open, starttls } = await setUp(t, () => true);
  for (let i = 0; i < 2; i += 1) assert.match((await open()).notes, /^STARTTLS failed .*plain text$/u);
  assert.equal(starttls(), 2);
  const third = await open();
  assert.match(third.notes, /^STARTTLS was not tried, because it failed lately .*continued in plain text$/u);
  assert.deepEqual([third.hasTls, third.fallback, starttls()], [false, "plaintext", 2]);
});

test("one break between sessions with TLS changes nothing", async (t) => {
  let opened = 0;
  const { open } = await setUp(t, () => {
    opened += 1;
    return opened % 2 === 1;
  });
  const sessions: boolean[] = [];
  for (let i = 0; i < 6; i += 1) sessions.push((await open()).hasTls);
  assert.deepEqual(sessions, [false, true, false, true, false, true]);
});
