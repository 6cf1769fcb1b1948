/** The sink inside the service, over SMTP: it plays local parts, keeps nothing, and bounds what a client can do. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import { createInterface } from "node:readline";
import { it, type TestContext } from "node:test";
import { readFeedback } from "../../../src/message/feedback/feedback.ts";
import { startDiscardingSink } from "../../../src/testing/sink/discarding-sink.ts";
import type { SinkBounce } from "../../../src/testing/sink/later-bounces.ts";
import { until } from "../../support/peers.ts";

/** A client in a session with a new sink. `say` returns the last line of the reply; null once the connection is closed. */
async function session(t: TestContext) {
  const bounces: SinkBounce[] = [];
  const sink = await startDiscardingSink((bounce) => void bounces.push(bounce));
  t.after(() => sink.close());
  const socket = connect(sink.port, "127.0.0.1");
  t.after(() => socket.destroy());
  socket.on("error", () => {});
  await once(socket, "connect");
  const lines = createInterface({ input: socket })[Symbol.asyncIterator]();
  const reply = async (): Promise<string | null> => {
    for (;;) {
      const { value, done } = await lines.next();
      if (done) return null;
      if (value[3] !== "-") return value;
    }
  };
  await reply();
  const say = (line: string): Promise<string | null> => {
    socket.write(`${line}\r\n`);
    return reply();
  };
  await say("EHLO mta.shop.example");
  return { sink, say, bounces };
}

it("plays local parts as the testers' sink does, and offers no TLS", async (t) => {
  const { say } = await session(t);
  assert.match((await say("STARTTLS")) ?? "", /^5/);
  await say("MAIL FROM:<app@shop.example>");
  assert.match((await say("RCPT TO:<5xx-551@a.example>")) ?? "", /^551 /);
  assert.match((await say("RCPT TO:<greylist-1@a.example>")) ?? "", /^451 /);
  assert.match((await say("RCPT TO:<greylist-1@a.example>")) ?? "", /^250 /);
  assert.match((await say("RCPT TO:<delivered@b.example>")) ?? "", /^250 /);
  assert.match((await say("DATA")) ?? "", /^354 /);
  assert.match((await say("Subject: Hello\r\n\r\nHi\r\n.")) ?? "", /^250 2\.0\.0 Stored as [0-9a-f]{12}$/);
  await say("MAIL FROM:<app@shop.example>");
  await say("RCPT TO:<drop-after-dot@a.example>");
  await say("DATA");
  assert.equal(await say("Subject: Hello\r\n\r\nHi\r\n."), null);
});

it("takes at most 100 recipients in one transaction", async (t) => {
  const { say } = await session(t);
  await say("MAIL FROM:<app@shop.example>");
  for (let i = 0; i < 100; i += 1) assert.match((await say(`RCPT TO:<user${i}@a.example>`)) ?? "", /^250 /);
  assert.match((await say("RCPT TO:<user100@a.example>")) ?? "", /^452 4\.5\.3 /);
});

it("hands on the bounce of a message to bounce-later@, with its header", async (t) => {
  const { say, bounces } = await session(t);
  const sender = "b-abc@bounces.shop.example";
  await say(`MAIL FROM:<${sender}> RET=HDRS ENVID=msg_a`);
  await say("RCPT TO:<bounce-later@a.example> NOTIFY=FAILURE ORCPT=rfc822;bounce-later+2B7@b.example");
  await say("RCPT TO:<delivered@a.example>");
  await say("DATA");
  assert.match((await say("Message-ID: <m1@shop.example>\r\n\r\nHi\r\n.")) ?? "", /^250 2\.0\.0 Stored as /);
  await until("the bounce", () => bounces.length === 1);
  const [{ envelopeSender, content } = assert.fail("no bounce")] = bounces;
  assert.equal(envelopeSender, sender);
  assert.match(content.toString(), /^Original-Envelope-Id: msg_a\r$/m);
  const feedback = await readFeedback(content);
  assert.ok(feedback.type === "bounced");
  assert.equal(feedback.original.messageId, "<m1@shop.example>");
  assert.deepEqual(
    feedback.bounces.map(({ recipient, original, status }) => [recipient, original, status]),
    [["bounce-later@a.example", "bounce-later+7@b.example", "5.1.1"]],
  );
});

it("returns the beginning of a very large header", async (t) => {
  const { say, bounces } = await session(t);
  await say("MAIL FROM:<app@shop.example>");
  await say("RCPT TO:<bounce-later@a.example>");
  await say("DATA");
  const fields = Array.from({ length: 1000 }, (_, index) => `X-Field-${index}: ${"x".repeat(100)}`).join("\r\n");
  await say(`Message-ID: <m1@shop.example>\r\n${fields}\r\n\r\nHi\r\n.`);
  await until("the bounce", () => bounces.length === 1);
  const [{ content } = assert.fail("no bounce")] = bounces;
  assert.ok(content.length > 32 * 1024 && content.length < 34 * 1024, `${content.length} octets`);
  assert.equal((await readFeedback(content)).type, "bounced");
});

it("listens on loopback alone", async (t) => {
  const sink = await startDiscardingSink(() => {});
  t.after(() => sink.close());
  const socket = connect(sink.port, "127.0.0.2");
  const [error] = (await once(socket, "error")) as [NodeJS.ErrnoException];
  assert.equal(error.code, "ECONNREFUSED");
});
