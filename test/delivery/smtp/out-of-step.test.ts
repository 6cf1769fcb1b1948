/** Peers that answer something twice are a reply behind from then on: no refusal of theirs is anybody's for good. */
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
  test(`MAIL answered twice, ${refused} refused: ${seen}, and nobody is refused for good`, async (t) => {
    const rcpt: Script["rcpt"] = (argument) =>
      argument.includes(`${refused}@`) ? "550 5.1.1 no such user" : undefined;
    const script: Script = { mail: () => TWICE, rcpt };
    const { session, recipients, dotSent } = await attempt(t, { script }, { recipients: THREE });
    assert.equal(dotSent, false);
    assert.deepEqual([...new Set(recipients.map((fact) => fact.type))], ["protocol_error"]);
    assert.equal(session.usable, false);
  });
}

test("a refusal of DATA stays one where RSET is answered in step", async (t) => {
  const { recipients } = await attempt(t, { script: { data: () => "554 5.7.1 no" } });
  assert.deepEqual(
    recipients.map((fact) => fact.type === "reply" && fact.reply.code),
    [554],
  );
});

test("a greeting that comes twice is not an answer to EHLO", async (t) => {
  const peer = await startPeer(t, { script: { ehlo: () => "220 peer.example ESMTP" } });
  const opened = await open(peer);
  assert.equal(opened.type, "unreachable");
  assert.ok(opened.type === "unreachable" && opened.stage === "ehlo");
});
