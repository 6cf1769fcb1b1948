/** Bounces by SMTP: from the null sender, and a report of what became of each. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { bounceSender } from "../../../src/testing/sink/bounce-sender.ts";
import { startScriptedSmtp } from "../../support/scripted-smtp.ts";
import { selfSigned } from "../../support/self-signed.ts";

const BOUNCE = {
  envelopeSender: "b-abc@bounces.shop.example",
  content: Buffer.from("Subject: Undelivered\r\n\r\n.a dot\r\n"),
};

test("a bounce is sent from the null sender to the message's envelope sender, byte for byte", async (t) => {
  for (const tls of [undefined, selfSigned("inbound.example")]) {
    const peer = await startScriptedSmtp(tls === undefined ? {} : { tls });
    t.after(() => peer.close());
    const line = await bounceSender({ host: peer.host, port: peer.port })(BOUNCE);
    assert.equal(line, `bounce for <b-abc@bounces.shop.example> sent to ${peer.host}:${peer.port}: 250 2.0.0 queued`);
    assert.deepEqual(
      peer.transactions.map(({ mailFrom, rcptTo, message, secure }) => [mailFrom, rcptTo, message, secure]),
      [["", [BOUNCE.envelopeSender], BOUNCE.content, tls !== undefined]],
    );
  }
});

test("a host that refuses it, or is not there, is reported", async () => {
  const peer = await startScriptedSmtp({ script: { rcpt: () => "550 5.1.1 no such address" } });
  const send = bounceSender({ host: peer.host, port: peer.port });
  assert.match(
    await send(BOUNCE),
    /^bounce for <b-abc@.*> not sent to 127\.0\.0\.1:\d+: .*550 5\.1\.1 no such address/,
  );
  await peer.close();
  assert.match(await send(BOUNCE), /not sent to 127\.0\.0\.1:\d+: .*ECONNREFUSED/);
});

test("without a host, nothing is sent", async () => {
  assert.equal(await bounceSender(null)(BOUNCE), "bounce for <b-abc@bounces.shop.example> not sent: no host is given");
});
