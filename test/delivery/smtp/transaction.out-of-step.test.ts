/** Peers that reply to something twice are one reply behind afterwards: none of their refusals is permanent. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Script } from "../../support/scripted-smtp.ts";
import { attempt, open, startPeer } from "./fixture.ts";

const THREE = ["a@example.test", "b@example.test", "c@example.test"];
const TWICE = { raw: "250 ok\r\n250 ok\r\n" };

for (const [refused, seen] of [
  ["a", "DATA is answered 250"],
  ["b", "DATA is answered 250"],
  ["c", "DATA is refused, and RSET answered 354"],
] as const) {
  test(`MAIL answered twice, ${refused} refused: ${seen}, and no recipient is refused permanently`, async (t) => {
    const rcpt: Script["rcpt"] = (argument) =>
      argument.includes(`${refused}@`) ? "550 5.1.1 no such user" : undefined;
    const script: Script = { mail: () => TWICE, rcpt };
    const { session, recipients, dotSent } = await attempt(t, { script }, { recipients: THREE });
    assert.equal(dotSent, false);
    assert.deepEqual([...new Set(recipients.map((result) => result.type))], ["protocol_error"]);
    assert.equal(session.usable, false);
  });
}

test("a refusal of DATA is kept when RSET is answered in step", async (t) => {
  const { recipients } = await attempt(t, { script: { data: () => "554 5.7.1 no" } });
  assert.deepEqual(
    recipients.map((result) => result.type === "reply" && result.reply.code),
    [554],
  );
});

test("a repeated greeting is not a reply to EHLO", async (t) => {
  const peer = await startPeer(t, { script: { ehlo: () => "220 peer.example ESMTP" } });
  const opened = await open(peer);
  assert.equal(opened.type, "unreachable");
  assert.ok(opened.type === "unreachable" && opened.stage === "ehlo");
});
