/** Inbound SMTP as other servers see it: what is offered, who may send to whom, the replies, what is recorded, and a stop. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { SpoolUnavailable } from "../../src/spool/port/errors.ts";
import {
  DOMAIN,
  envelopeSender,
  type FakeInbound,
  type FakeInboundOptions,
  startFakeInbound,
} from "../support/fake-inbound.ts";
import { SubmissionClient } from "../support/submission-client.ts";

const MESSAGE = "From: MAILER-DAEMON@mx.example\r\nSubject: Undelivered\r\n\r\nNo such user\r\n";
const at = (name: string, domain = DOMAIN): string => `${name}@bounces.${domain}`;

type Serving = FakeInbound & { open(): Promise<SubmissionClient> };

async function serving(t: Parameters<typeof startFakeInbound>[0], options: FakeInboundOptions = {}): Promise<Serving> {
  const inbound = await startFakeInbound(t, options);
  return {
    ...inbound,
    async open() {
      const client = await SubmissionClient.open(t, inbound.port);
      assert.match(await client.command("EHLO mx.example"), /^250-mta\.test/);
      return client;
    },
  };
}

describe("the greeting", () => {
  it("offers SIZE, PIPELINING and 8BITMIME, and neither AUTH nor STARTTLS without a certificate", async (t) => {
    const { port } = await startFakeInbound(t);
    const client = await SubmissionClient.open(t, port);
    assert.match(client.greeting, /^220 mta\.test ESMTP Postrider$/);
    const extensions = (await client.command("EHLO mx.example")).split("\r\n").map((line) => line.slice(4));
    for (const name of ["PIPELINING", "8BITMIME", "SMTPUTF8", `SIZE ${50 * 1024 * 1024}`]) {
      assert.ok(extensions.includes(name), name);
    }
    assert.ok(
      !extensions.some((name) => /AUTH|STARTTLS|CHUNKING|BINARYMIME|XCLIENT|DSN/.test(name)),
      extensions.join(),
    );
    for (const command of ["AUTH PLAIN AHgAeQ==", "STARTTLS", "VRFY postmaster", "EXPN x", "ETRN x", "BDAT 1 LAST"]) {
      assert.match(await client.command(command), /^5\d\d /, command);
    }
  });
});

describe("a long command", () => {
  it("is rejected, also AUTH, which is not offered", async (t) => {
    const { open } = await serving(t);
    const client = await open();
    assert.match(await client.command(`MAIL FROM:<a@${"a".repeat(3000)}>`), /^500 5\.5\.2 /);
    assert.match(await client.command(`MAIL FROM:<a@${"a".repeat(256)}>`), /^501 5\.5\.4 /);
    assert.match(await client.command(`AUTH PLAIN ${"A".repeat(3000)}`), /^500 /);
    assert.match(await client.command("MAIL FROM:<a@b.example>"), /^250 /);
  });
});

describe("a sender", () => {
  it("may be anyone, and nobody", async (t) => {
    const { open, stored } = await serving(t);
    const client = await open();
    const senders = ["", "a@b.example", `postrider@${DOMAIN}`, "ü@b.example", "a..b@c.example", "x@[192.0.2.1]"];
    for (const from of senders) {
      assert.equal(await client.send({ from, to: [envelopeSender()], content: MESSAGE }), "250 2.0.0 Accepted");
    }
    assert.deepEqual(
      stored.map(({ envelopeSender: sender }) => sender),
      senders,
    );
    assert.equal(stored[0]?.content.toString(), MESSAGE);
  });
});

describe("a recipient", () => {
  it("is accepted if it is ours", async (t) => {
    const { open, stored } = await serving(t);
    const client = await open();
    const ours = [
      envelopeSender(0),
      envelopeSender(65_535),
      envelopeSender(7).toUpperCase(),
      ...["dmarc-reports", "tls-reports", "complaints", "postmaster", "abuse", "Postmaster", "ABUSE"].map((name) =>
        at(name),
      ),
      at("abuse", DOMAIN.toUpperCase()),
    ];
    for (const to of ours) assert.equal(await client.send({ to: [to], content: MESSAGE }), "250 2.0.0 Accepted", to);
    assert.deepEqual(
      stored.map(({ recipient }) => recipient.toLowerCase()),
      ours.map((address) => address.toLowerCase()),
    );
  });

  it("is rejected if it is not, so that nothing is relayed", async (t) => {
    const { open, stored } = await serving(t);
    const [local = ""] = envelopeSender().split("@");
    const foreign = [
      "you@customers.example",
      "postmaster",
      `postmaster@${DOMAIN}`,
      `info@${DOMAIN}`,
      at("info"),
      at("postrider"),

      at("postmaster", "other.example"),
      at("abuse", `x.${DOMAIN}`),
      `${local}@bounces.other.example`,
      `${local}@${DOMAIN}`,

      `${local.slice(0, -1)}@bounces.${DOMAIN}`,
      at("b-aaaa"),
      at(`abuse%customers.example`),
      at("customers.example!abuse"),
      at("abuse").replace("@", "@x@"),
      "postmaster@mta.test",
      "postmaster@[127.0.0.1]",
      "postmaster@localhost",
      `abuse@bounces.${DOMAIN}.customers.example`,
      "you@customers.example@bounces.shop.example",
    ];
    for (const to of foreign) {
      const client = await open();
      assert.match(await client.command("MAIL FROM:<a@b.example>"), /^250 /);
      assert.match(await client.command(`RCPT TO:<${to}>`), /^(?:550 5\.1\.1|501) /, to);
      assert.match(await client.command("DATA"), /^503 /);
      client.close();
    }
    assert.deepEqual(stored, []);
  });

  it("is the last address of a source route, and nothing is sent along the route", async (t) => {
    const { open, stored } = await serving(t);
    const client = await open();
    await client.command("MAIL FROM:<a@b.example>");
    assert.match(await client.command("RCPT TO:<@mta.test:you@customers.example>"), /^550 5\.1\.1 /);
    assert.match(await client.command(`RCPT TO:<@relay.example,@mta.test:${at("abuse")}>`), /^250 /);
    await client.command("RSET");
    assert.deepEqual(stored, []);
  });

  it("that is rejected does not stop the others of a message", async (t) => {
    const { open, stored } = await serving(t);
    const client = await open();
    const commands = ["MAIL FROM:<>", "RCPT TO:<you@customers.example>", `RCPT TO:<${at("abuse")}>`, "DATA"];
    client.write(`${commands.join("\r\n")}\r\n`);
    const replies: string[] = [];
    while (replies.length < 4) replies.push((await client.reply()).slice(0, 3));
    assert.deepEqual(replies, ["250", "550", "250", "354"]);
    client.write(`${MESSAGE}.\r\nQUIT\r\n`);
    assert.equal(await client.reply(), "250 2.0.0 Accepted");
    assert.match(await client.reply(), /^221 /);
    assert.deepEqual(
      stored.map(({ recipient }) => recipient),
      [at("abuse")],
    );
  });

  it("is one of ten, also if it is written differently", async (t) => {
    const { open, stored } = await serving(t);
    const client = await open();
    const to = Array.from({ length: 10 }, (_, i) => envelopeSender(i));
    assert.match(await client.send({ to: [...to, envelopeSender(10)], content: MESSAGE }), /^452 4\.5\.3 /);
    await client.command("RSET");
    assert.equal(await client.send({ to, content: MESSAGE }), "250 2.0.0 Accepted");
    assert.equal(stored.length, 10);
  });
});

describe("a message", () => {
  it("is put off while it cannot be stored, and accepted later", async (t) => {
    const { open, state, stored } = await serving(t);
    const client = await open();
    state.storeError = new SpoolUnavailable("full");
    const send = (to = envelopeSender()): Promise<string> => client.send({ to: [to], content: MESSAGE });
    assert.match(await send(), /^451 4\.3\.0 /);
    state.domainsError = new SpoolUnavailable("down");
    assert.match(await send(at("abuse")), /^451 4\.3\.0 /);
    await client.command("RSET");
    state.storeError = new Error("a secret detail");
    assert.equal(await send(), "451 4.3.0 Internal error: try again");
    [state.storeError, state.domainsError] = [null, null];
    assert.equal(await send(), "250 2.0.0 Accepted");
    assert.equal(stored.length, 1);
  });

  it("gets its 250 only when it is durable", async (t) => {
    const { open, state, stored } = await serving(t);
    const client = await open();
    let finish = (): void => {};
    state.hold = new Promise((resolve) => {
      finish = resolve;
    });
    let isReplied = false;
    const reply = client.send({ to: [envelopeSender()], content: MESSAGE }).finally(() => {
      isReplied = true;
    });
    const other = await open();
    assert.match(await other.command("NOOP"), /^250 /);
    assert.deepEqual([isReplied, stored.length], [false, 0]);
    finish();
    assert.equal(await reply, "250 2.0.0 Accepted");
    assert.equal(stored.length, 1);
  });

  it("that is larger than what is announced gets 552, and the session goes on", async (t) => {
    const { open } = await serving(t);
    const client = await open();
    assert.match(await client.command(`MAIL FROM:<> SIZE=${50 * 1024 * 1024 + 1}`), /^552 /);
    assert.match(await client.command(`MAIL FROM:<> SIZE=${2 * 1024 * 1024}`), /^250 /);
    assert.match(await client.command(`RCPT TO:<${at("abuse")}>`), /^552 5\.3\.4 /);
    assert.match(await client.command(`RCPT TO:<${at("complaints")}>`), /^250 /);
    await client.command("RSET");
    const large = `${MESSAGE}${"x".repeat(70)}\r\n`.padEnd(1024 * 1024 + 1, "y\r\n");
    assert.match(await client.send({ to: [at("postmaster")], content: `${large}\r\n` }), /^552 5\.3\.4 /);
    assert.equal(await client.send({ to: [at("postmaster")], content: MESSAGE }), "250 2.0.0 Accepted");
  });
});

describe("the record", () => {
  it("has each message and each rejection, with the reason as metrics have it", async (t) => {
    const { open, replies } = await serving(t);
    const client = await open();
    await client.send({ to: [envelopeSender(), at("abuse")], content: MESSAGE });
    await client.send({ to: ["you@customers.example"], content: MESSAGE });
    assert.deepEqual(
      replies.map(({ ip, code, problem, types, octets }) => ({ ip, code, problem, types, octets })),
      [
        { ip: "127.0.0.1", code: 250, problem: null, types: ["bounces", "abuse"], octets: MESSAGE.length },
        { ip: "127.0.0.1", code: 550, problem: "unknown_recipient", types: [], octets: 0 },
      ],
    );
  });
});

describe("a stop", () => {
  it("lets a complete message be stored and replied to, and closes idle connections with 421", async (t) => {
    const { open, state, listener, stored } = await serving(t);
    const [busy, idle] = [await open(), await open()];
    let [finish, reached] = [(): void => {}, (): void => {}];
    const isReached = new Promise<void>((resolve) => {
      reached = resolve;
    });
    const held = new Promise<void>((resolve) => {
      finish = resolve;
    });
    Object.defineProperty(state, "hold", {
      get() {
        reached();
        return held;
      },
    });
    const reply = busy.send({ to: [envelopeSender()], content: MESSAGE });
    await isReached;
    const closing = listener.close();
    finish();
    assert.equal(await reply, "250 2.0.0 Accepted");
    await closing;
    assert.match(await idle.reply(), /^421 4\.3\.2 The service is stopping/);
    assert.equal(stored.length, 1);
  });
});
