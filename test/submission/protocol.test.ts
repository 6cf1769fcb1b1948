/** SMTP as clients see it: replies of several lines, commands in any order and at once, the record of each reply, and a stop. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { describe, it, type TestContext } from "node:test";
import type { AcceptResult } from "../../src/app/send/accept-message.ts";
import { silentLog } from "../../src/lib/log.ts";
import { type Kind, Protocol, type SubmissionReply } from "../../src/submission/protocol.ts";
import { selfSigned } from "../support/self-signed.ts";
import { SubmissionClient } from "../support/submission-client.ts";
import { KEY, type Stage, stage } from "./stage.ts";

const FROM = "MAIL FROM:<hello@shop.example>";
const TO = "RCPT TO:<you@customers.example>";
const MESSAGE = "From: hello@shop.example\r\n\r\nHi\r\n";

interface Serving {
  set: Stage;
  protocol: Protocol;
  replies: SubmissionReply[];
  /** Connects; `isAuthenticated` unless false. */
  open(isAuthenticated?: boolean): Promise<SubmissionClient>;
}

async function serving(t: TestContext, set: Stage = stage(), kind: Partial<Kind> = {}): Promise<Serving> {
  const replies: SubmissionReply[] = [];
  const onReply = (reply: SubmissionReply): void => void replies.push(reply);
  const protocol = new Protocol({ ...set.parts, hostname: "mta.shop.example", log: silentLog, onReply });
  const server = createServer(protocol.kind({ secure: false, allowsPlaintext: true, certificate: null, ...kind }));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  t.after(async () => {
    server.close();
    await protocol.close();
  });
  return {
    set,
    protocol,
    replies,
    async open(isAuthenticated = true) {
      const client = await SubmissionClient.open(t, port);
      if (isAuthenticated) assert.match(await client.authenticate(KEY), /^235 /);
      return client;
    },
  };
}

describe("a long command", () => {
  it("is rejected, unless it is AUTH or answers a challenge of it", async (t) => {
    const { open } = await serving(t);
    const client = await open();
    const long = "x".repeat(8000);
    const encoded = (text: string): string => Buffer.from(text).toString("base64");
    assert.match(await client.command(`MAIL FROM:<${"a".repeat(3000)}@shop.example>`), /^500 5\.5\.2 /);
    assert.match(await client.command(`MAIL FROM:<a@${"a".repeat(256)}>`), /^501 5\.5\.4 /);
    assert.match(await client.command(FROM), /^250 /);
    const fresh = await open(false);
    await fresh.command("EHLO client.example");
    assert.match(await fresh.command("AUTH LOGIN"), /^334 /);
    assert.match(await fresh.command(encoded(long)), /^334 /);
    assert.match(await fresh.command(encoded(long)), /^535 /);
    const another = await open(false);
    await another.command("EHLO client.example");
    assert.match(await another.command(`AUTH PLAIN ${encoded(`\0any\0${long}`)}`), /^535 /);
  });
});

describe("replies", () => {
  it("have the code in each line, and a hyphen in all but the last", async (t) => {
    const { open } = await serving(t);
    const client = await open(false);
    const lines = (await client.command("EHLO client.example")).split("\r\n");
    assert.ok(lines.length > 3, lines.join("\n"));
    for (const [index, line] of lines.entries()) {
      assert.match(line, index < lines.length - 1 ? /^250-[ -~]+$/ : /^250 [ -~]+$/);
      assert.ok(line.length <= 510);
    }
    const extensions = lines.slice(1).map((line) => line.slice(4));
    for (const name of ["PIPELINING", "8BITMIME", "SIZE 200000", "AUTH PLAIN LOGIN"])
      assert.ok(extensions.includes(name), name);
    assert.ok(!extensions.some((name) => /CHUNKING|BINARYMIME|STARTTLS|XCLIENT|VRFY/.test(name)), extensions.join());
  });

  it("are one line to HELO, without extensions", async (t) => {
    const client = await (await serving(t)).open(false);
    assert.match(await client.command("HELO client.example"), /^250 [ -~]+$/);
  });

  it("are in ASCII of at most 512 octets to a message, whatever they repeat of it", async (t) => {
    const client = await (await serving(t)).open();
    const reply = await client.send({
      to: ["you@customers.example"],
      content: `${`X-Postrider-Tag: ${"ü".repeat(400)}\r\n`.repeat(100)}${MESSAGE}`,
    });
    assert.match(reply, /^550 5\.6\.0 X-Postrider-Tag: [ -~]+$/);
    assert.ok(reply.length <= 510, String(reply.length));
  });
});

describe("commands", () => {
  it("are answered in their order where a client sends them at once", async (t) => {
    const client = await (await serving(t)).open();
    client.write(`${[FROM, TO, "RCPT TO:<.a@x.example>", "DATA"].join("\r\n")}\r\n`);
    const replies = [await client.reply(), await client.reply(), await client.reply(), await client.reply()];
    assert.deepEqual(
      replies.map((reply) => reply.slice(0, 3)),
      ["250", "250", "553", "354"],
    );
    client.write(`${MESSAGE}.\r\n${FROM}\r\nQUIT\r\n`);
    assert.equal(await client.reply(), "250 2.0.0 Accepted as msg_1");
    assert.match(await client.reply(), /^250 /);
    assert.match(await client.reply(), /^221 /);
  });

  it("are rejected out of their order, and without a recipient", async (t) => {
    const client = await (await serving(t)).open();
    assert.match(await client.command(TO), /^503 /);
    assert.match(await client.command("DATA"), /^503 /);
    assert.match(await client.command(FROM), /^250 /);
    assert.match(await client.command(FROM), /^503 /);
    assert.match(await client.command("DATA"), /^503 /);
    assert.match(await client.command("RSET"), /^250 /);
    assert.match(await client.command(TO), /^503 /);
  });

  it("RCPT are bounded in number for one recipient that is written differently each time", async (t) => {
    const client = await (await serving(t)).open();
    assert.match(await client.command(FROM), /^250 /);
    const spellings = ["ü", "u\u0308"].flatMap((a) =>
      ["ü", "u\u0308"].flatMap((b) => [`${a}${b}ü`, `${a}${b}u\u0308`]),
    );
    const replies: string[] = [];
    for (const name of spellings) replies.push((await client.command(`RCPT TO:<you@${name}.example>`)).slice(0, 3));
    assert.deepEqual(replies, [...Array(6).fill("250"), "452", "452"]);
    assert.match(await client.command(TO), /^452 /);
  });

  it("that disclose addresses or are not offered are rejected", async (t) => {
    const client = await (await serving(t)).open();
    for (const command of [
      "VRFY you",
      "EXPN list",
      "BDAT 10 LAST",
      "XCLIENT ADDR=192.0.2.1",
      "XFORWARD NAME=a",
      "ETRN x",
    ]) {
      assert.match(await client.command(command), /^5\d\d /, command);
    }
  });

  it("STARTTLS and AUTH do nothing without a certificate where plaintext is not allowed", async (t) => {
    const { open, set } = await serving(t, stage(), { allowsPlaintext: false });
    const client = await open(false);
    assert.match(await client.authenticate(KEY), /^500 /);
    assert.match(await client.command("AUTH LOGIN"), /^500 /);
    assert.match(await client.command("STARTTLS"), /^500 /);
    assert.match(await client.command(FROM), /^530 /);
    assert.deepEqual(set.touched, []);
  });

  it("STARTTLS does nothing without a certificate where plaintext is allowed", async (t) => {
    const { open } = await serving(t);
    const client = await open(false);
    assert.match(await client.command("EHLO client.example"), /AUTH PLAIN LOGIN/);
    assert.match(await client.command("STARTTLS"), /^500 /);
    assert.match(await client.authenticate(KEY), /^235 /);
  });

  it("before a handshake are void after it: nothing can be put before the client's own", async (t) => {
    const { key, cert } = selfSigned("mta.shop.example");
    const { open, set } = await serving(t, stage(), { certificate: { key, cert } });
    const client = await open();
    assert.match(await client.command(FROM), /^250 /);
    await client.startTls();
    await client.command("EHLO client.example");
    assert.match(await client.command(TO), /^530 /);
    assert.match(await client.command(FROM), /^530 /);
    assert.match(await client.authenticate(KEY), /^235 /);
    assert.match(await client.send({ to: ["you@customers.example"], content: MESSAGE }), /^250 2\.0\.0 /);
    assert.equal(set.accepted.length, 1);
  });
});

describe("a message", () => {
  it("does not end at a dot after a bare LF or CR, and what follows is no command", async (t) => {
    const { open, set } = await serving(t);
    for (const end of ["\n.\n", "\n.\r\n", "\r.\r", "\r\n.\n", "\r\n.\r"]) {
      const client = await open();
      const smuggled = `${FROM}\r\n${TO}\r\nDATA\r\nFrom: x@shop.example\r\n\r\nsmuggled`;
      const reply = await client.send({
        to: ["you@customers.example"],
        content: Buffer.from(`${MESSAGE}a${end}${smuggled}\r\n`),
      });
      assert.match(reply, /^550 5\.6\.0 Line \d+ has an? (LF|CR)/, JSON.stringify(end));
      assert.match(await client.command("NOOP"), /^250 /);
    }
    assert.deepEqual(set.accepted, []);
  });

  it("of a key that has been revoked is rejected, and its connection is closed", async (t) => {
    const { open, set } = await serving(t);
    const client = await open();
    set.state.result = { type: "rejected", code: "invalid_api_key", detail: "Revoked." };
    assert.equal(await client.send({ to: ["you@customers.example"], content: MESSAGE }), "535 5.7.8 Revoked.");
    assert.equal(await client.reply(), "");
  });

  it("that fails for an unknown reason can be sent again", async (t) => {
    const { open, set } = await serving(t);
    const client = await open();
    const send = (): Promise<string> => client.send({ to: ["you@customers.example"], content: MESSAGE });
    set.state.result = new Error("a secret detail");
    assert.equal(await send(), "451 4.3.0 Internal error: try again");
    set.state.result = { type: "accepted", id: "msg_2" };
    assert.equal(await send(), "250 2.0.0 Accepted as msg_2");
  });
});

describe("the record", () => {
  it("has each message and each rejection, with the reason as the API names it", async (t) => {
    const { open, set, replies } = await serving(t);
    const anonymous = await open(false);
    await anonymous.authenticate("no key");
    const client = await open();
    await client.send({ to: ["you@customers.example"], content: MESSAGE });
    set.state.result = { type: "rejected", code: "quota_exceeded", detail: "Used up." };
    await client.send({ to: ["you@customers.example"], content: MESSAGE });
    await client.command("RSET");
    const recorded = replies.map(({ accountId, keyId, code, problem, messageId }) => [
      accountId,
      keyId,
      code,
      problem,
      messageId,
    ]);
    assert.deepEqual(recorded, [
      [null, null, 535, "invalid_api_key", null],
      ["acc_1", "key_1", 250, null, "msg_1"],
      ["acc_1", "key_1", 451, "quota_exceeded", null],
    ]);
    assert.equal(new Set(replies.map(({ requestId }) => requestId)).size, 3);
  });

  it("has a message that is larger than the limit", async (t) => {
    const { open, replies } = await serving(t, stage({ recipientsMax: 1, messageBytesMax: 2000 }));
    const client = await open();
    assert.match(await client.command("MAIL FROM:<hello@shop.example> SIZE=2001"), /^552 /);
    const content = `${MESSAGE}${"x\r\n".repeat(800)}`;
    assert.match(await client.send({ to: ["you@customers.example"], content }), /^552 5\.3\.4 /);
    assert.deepEqual(
      replies.map(({ code, problem }) => [code, problem]),
      [[552, "body_too_large"]],
    );
    assert.match(await client.send({ to: ["you@customers.example"], content: MESSAGE }), /^250 2\.0\.0 /);
  });
});

describe("a stop", () => {
  /** A message stays at the use case until `finish`. */
  function holding(): { set: Stage; reached: Promise<void>; finish: (result: AcceptResult) => void } {
    const set = stage();
    let finish = (_result: AcceptResult): void => {};
    const result = new Promise<AcceptResult>((resolve) => {
      finish = resolve;
    });
    const reached = new Promise<void>((resolve) => {
      set.parts.acceptMessage.accept = () => {
        resolve();
        return result;
      };
    });
    return { set, reached, finish };
  }

  it("lets a complete message be stored and replied to, and closes idle connections with 421", async (t) => {
    const { set, reached, finish } = holding();
    const { open, protocol } = await serving(t, set);
    const [busy, idle] = [await open(), await open()];
    const reply = busy.send({ to: ["you@customers.example"], content: MESSAGE });
    await reached;
    const closing = protocol.close();
    finish({ type: "accepted", id: "msg_9" });
    assert.equal(await reply, "250 2.0.0 Accepted as msg_9");
    await closing;
    assert.match(await idle.reply(), /^421 4\.3\.2 The service is stopping/);
    assert.equal(await idle.reply(), "");
  });

  it("waits for five seconds at most", async (t) => {
    const { set, reached, finish } = holding();
    const { open, protocol } = await serving(t, set);
    const client = await open();
    const reply = client.send({ to: ["you@customers.example"], content: MESSAGE });
    await reached;
    let isClosed = false;
    const closing = protocol.close().then(() => {
      isClosed = true;
    });
    await set.clock.advance(4999);
    assert.equal(isClosed, false);
    await set.clock.advance(1);
    await closing;
    assert.match(await reply, /^421 4\.3\.2 /);
    finish({ type: "accepted", id: "msg_9" });
  });
});
