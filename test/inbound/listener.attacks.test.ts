/**
 * Clients that smuggle, flood, trickle, keep silent, guess addresses or come in numbers: each gets a reply or loses its connection,
 * nothing but our own mail is stored, and an honest bounce is accepted afterwards.
 */
import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { describe, it, type TestContext } from "node:test";
import { setImmediate } from "node:timers/promises";
import { DOMAIN, envelopeSender, type FakeInbound, startFakeInbound } from "../support/fake-inbound.ts";
import { until } from "../support/peers.ts";
import { SubmissionClient } from "../support/submission-client.ts";

const MIB = 1024 * 1024;
const HONEST = envelopeSender(1);
const SMUGGLED = `abuse@bounces.${DOMAIN}`;
const HEADER = "From: MAILER-DAEMON@mx.example\r\nSubject: x\r\n";
const GENEROUS = { connectionsMax: 10_000, messagesPerMinute: 100_000, octetsPerMinute: 100_000 * MIB };

async function greeted(t: TestContext, port: number, localAddress = "127.0.0.1"): Promise<SubmissionClient> {
  const client = await SubmissionClient.open(t, port, localAddress);
  await client.command("EHLO mx.example");
  return client;
}

/** An honest bounce from a connection of another address is accepted. */
async function assertServes(t: TestContext, { port, stored }: FakeInbound): Promise<void> {
  const client = await greeted(t, port, "127.0.0.9");
  const content = `${HEADER}\r\nhonest\r\n`;
  assert.equal(await client.send({ from: "", to: [HONEST], content }), "250 2.0.0 Accepted");
  assert.equal(stored.at(-1)?.content.toString(), content);
  client.close();
}

async function beginData(client: SubmissionClient, to = HONEST): Promise<void> {
  assert.match(await client.command("MAIL FROM:<>"), /^250 /);
  assert.match(await client.command(`RCPT TO:<${to}>`), /^250 /);
  assert.match(await client.command("DATA"), /^354 /);
}

/** Writes the same octets again and again until the connection ends, or so many were written. */
async function flood(client: SubmissionClient, octets: string | Buffer, octetsMax: number): Promise<void> {
  for (let written = 0; written < octetsMax && !client.isClosed; written += octets.length) {
    client.write(octets);
    await setImmediate();
  }
}

/** What some servers take for the end of a message. */
const PSEUDO_ENDS = [
  "\n.\n",
  "\r.\r",
  "\n.\r\n",
  "\r\n.\n",
  "\r\n.\r",
  "\r.\r\n",
  "\n.\r",
  "\r.\n",
  "\n\n.\r\n",
  "\r\n.\r\r\n",
  "\r\n.\n\r\n",
  "\r\n\0.\r\n",
  "\r\n.\0\r\n",
  "\r\n. \r\n",
  "\r\n .\r\n",
  "\r\n\u0085.\u0085\r\n",
];

const COMMANDS = `MAIL FROM:<evil@b.example>\r\nRCPT TO:<${SMUGGLED}>\r\nDATA\r\n${HEADER}\r\nsmuggled`;

describe("a message with a pseudo end of data", { timeout: 120_000 }, () => {
  it("is one message, and what follows is no command, however it is cut", async (t) => {
    const inbound = await startFakeInbound(t, { limits: GENEROUS });
    const client = await greeted(t, inbound.port);
    for (const end of PSEUDO_ENDS) {
      const content = Buffer.from(`${HEADER}\r\nfirst${end}${COMMANDS}`);
      for (const size of [content.length, 1, 3]) {
        inbound.stored.length = 0;
        await beginData(client);
        for (let at = 0; at < content.length; at += size) {
          client.write(content.subarray(at, at + size));
          if (size < content.length) await setImmediate();
        }
        client.write("\r\n.\r\n");
        assert.equal(await client.reply(), "250 2.0.0 Accepted", JSON.stringify(end));
        // A further reply would be to a smuggled command.
        assert.match(await client.command("HELP"), /^500 /, JSON.stringify(end));
        assert.deepEqual(
          inbound.stored.map(({ recipient, content: whole }) => [recipient, whole.toString()]),
          [[HONEST, `${content}\r\n`]],
        );
      }
    }
    await assertServes(t, inbound);
  });

  it("of its own is the end, and commands after it are commands", async (t) => {
    const { port, stored } = await startFakeInbound(t);
    const client = await greeted(t, port);
    await beginData(client);
    client.write(`${HEADER}\r\nfirst\r\n.\r\n${COMMANDS}\r\n.\r\n`);
    const replies: string[] = [];
    while (replies.length < 5) replies.push((await client.reply()).slice(0, 3));
    assert.deepEqual(replies, ["250", "250", "250", "354", "250"]);
    assert.deepEqual(
      stored.map(({ recipient }) => recipient),
      [HONEST, SMUGGLED],
    );
  });
});

describe("a client without end", { timeout: 120_000 }, () => {
  it("is cut off within a command line, and after ten unknown commands", async (t) => {
    const inbound = await startFakeInbound(t);
    for (const begin of ["", "MAIL FROM:<", "EHLO "]) {
      const client = await greeted(t, inbound.port);
      client.write(begin);
      await flood(client, "A".repeat(8 * 1024), MIB);
      await client.ended();
    }
    const unknown = await greeted(t, inbound.port);
    await flood(unknown, "NONSENSE\r\n", MIB);
    await unknown.ended();
    await assertServes(t, inbound);
  });

  it("is cut off within a message at twice what is announced", async (t) => {
    const inbound = await startFakeInbound(t, { limits: GENEROUS });
    const client = await greeted(t, inbound.port);
    await beginData(client);
    const chunk = Buffer.alloc(MIB, `${"x".repeat(62)}\r\n`);
    let written = 0;
    for (; written < 200 && !client.isClosed; written += 1) await client.writeAll(chunk);
    await client.ended();
    // The kernel holds some of what is written.
    assert.ok(written >= 100 && written < 150, `${written} MiB`);
    assert.deepEqual(inbound.stored, []);
    await assertServes(t, inbound);
  });

  it("that guesses addresses is closed after ten", async (t) => {
    const inbound = await startFakeInbound(t);
    const client = await greeted(t, inbound.port);
    await client.command("MAIL FROM:<a@b.example>");
    const replies: string[] = [];
    for (let i = 0; i < 20 && !client.isClosed; i += 1) {
      replies.push((await client.command(`RCPT TO:<user${i}@bounces.${DOMAIN}>`)).slice(0, 9));
      if (replies.at(-1)?.startsWith("421")) break;
    }
    await client.ended();
    assert.deepEqual(replies, [...Array(10).fill("550 5.1.1"), "421 4.7.0"]);
    await assertServes(t, inbound);
  });
});

describe("many clients", { timeout: 120_000 }, () => {
  it("of one address have 20 connections; those of others are not affected", async (t) => {
    const inbound = await startFakeInbound(t);
    const clients: SubmissionClient[] = [];
    for (let i = 0; i < 25; i += 1) clients.push(await SubmissionClient.open(t, inbound.port, "127.0.0.2"));
    const greetings = clients.map(({ greeting }) => greeting.slice(0, 9));
    assert.deepEqual(greetings, [...Array(20).fill("220 mta.t"), ...Array(5).fill("421 4.7.0")]);
    await assertServes(t, inbound);
    clients[0]?.close();
    for (;;) {
      const next = await SubmissionClient.open(t, inbound.port, "127.0.0.2");
      if (next.greeting.startsWith("220 ")) break;
      await setImmediate();
    }
  });

  it("that send too many messages from one address are put off, and those of others are not", async (t) => {
    const inbound = await startFakeInbound(t, { limits: { ...GENEROUS, messagesPerMinute: 5 } });
    const client = await greeted(t, inbound.port, "127.0.0.2");
    const send = (): Promise<string> => client.send({ from: "", to: [HONEST], content: `${HEADER}\r\nx\r\n` });
    for (let i = 0; i < 5; i += 1) assert.equal(await send(), "250 2.0.0 Accepted");
    assert.match(await send(), /^451 4\.7\.1 /);
    await assertServes(t, inbound);
    await inbound.clock.advance(12_000);
    assert.equal(await send(), "250 2.0.0 Accepted");
  });

  it("that are idle are closed for others, the longest-idle first", async (t) => {
    const inbound = await startFakeInbound(t, { limits: GENEROUS });
    const sockets: { socket: Socket; isOpen: boolean }[] = [];
    t.after(() => {
      for (const { socket } of sockets) socket.destroy();
    });
    for (let wave = 0; wave < 6; wave += 1) {
      const added = Array.from({ length: 200 }, () => {
        const each = { socket: connect({ host: "127.0.0.1", port: inbound.port }), isOpen: true };
        each.socket.on("error", () => {}).resume();
        each.socket.on("close", () => {
          each.isOpen = false;
        });
        return each;
      });
      await Promise.all(added.map(({ socket }) => Promise.race([once(socket, "connect"), once(socket, "close")])));
      sockets.push(...added);
    }
    await until("all but a thousand are closed", () => sockets.filter(({ isOpen }) => isOpen).length <= 1000);
    await assertServes(t, inbound);
    assert.ok(sockets.slice(-500).every(({ isOpen }) => isOpen));
  });
});

describe("a slow client", { timeout: 60_000 }, () => {
  it("is closed when it is idle, after each step", async (t) => {
    const inbound = await startFakeInbound(t, { idleMs: 1500 });
    const steps = ["EHLO mx.example", "MAIL FROM:<>", `RCPT TO:<${HONEST}>`, "DATA"];
    const stopping = async (count: number): Promise<void> => {
      const client = await SubmissionClient.open(t, inbound.port);
      for (const step of steps.slice(0, count)) await client.command(step);
      client.write("From: a@shop.exam");
      assert.match(await client.reply(), /^421 /, `after ${count} steps`);
      await client.ended();
    };
    await Promise.all([0, 1, 2, 3, 4].map(stopping));
    assert.deepEqual(inbound.stored, []);
    await assertServes(t, inbound);
  });

  it("is cut off if its message arrives octet by octet", async (t) => {
    const inbound = await startFakeInbound(t);
    const client = await greeted(t, inbound.port);
    await beginData(client);
    for (let second = 0; second < 70 && !client.isClosed; second += 1) {
      client.write("x");
      await inbound.clock.advance(1000);
    }
    await client.ended();
    assert.deepEqual(inbound.stored, []);
    await assertServes(t, inbound);
  });

  it("that speaks before the greeting is closed", async (t) => {
    const inbound = await startFakeInbound(t);
    const socket = connect({ host: "127.0.0.1", port: inbound.port });
    t.after(() => socket.destroy());
    let received = "";
    socket.on("data", (chunk) => {
      received += chunk;
    });
    socket.write(`EHLO x\r\n${COMMANDS}\r\n.\r\nGET / HTTP/1.1\r\n\r\n`);
    await once(socket, "close");
    assert.match(received, /^(?:220 .*\r\n)?421 /);
    assert.deepEqual(inbound.stored, []);
    await assertServes(t, inbound);
  });
});
