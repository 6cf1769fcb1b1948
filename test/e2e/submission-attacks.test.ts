/**
 * Clients that smuggle, flood, trickle, keep silent or guess keys: each gets a reply or loses its connection, and an honest message is
 * accepted and delivered afterwards.
 */
import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { describe, it, type TestContext } from "node:test";
import { setImmediate } from "node:timers/promises";
import { startFakeSubmission } from "../support/fake-submission.ts";
import { until } from "../support/peers.ts";
import { SubmissionClient } from "../support/submission-client.ts";
import { type SubmissionSite, startSubmissionSite } from "../support/submission-site.ts";
import { RECIPIENT_DOMAIN } from "../support/world.ts";

const HONEST = `delivered@${RECIPIENT_DOMAIN}`;
const SMUGGLED = `smuggled@${RECIPIENT_DOMAIN}`;
const HEADER = "From: hello@shop.example\r\nSubject: x\r\n";
const MESSAGE_BYTES_MAX = 300_000;

const startSite = (t: TestContext, env: Record<string, string> = {}): Promise<SubmissionSite> =>
  startSubmissionSite(t, { MESSAGE_BYTES_MAX: String(MESSAGE_BYTES_MAX), ...env });

async function authenticated(t: TestContext, { port, world }: SubmissionSite): Promise<SubmissionClient> {
  const client = await SubmissionClient.open(t, port);
  assert.match(await client.authenticate(world.key), /^235 /);
  return client;
}

/** An honest message, from a new connection or this one: its id is in the 250, and it is delivered. */
async function assertServes(t: TestContext, site: SubmissionSite, kept?: SubmissionClient): Promise<void> {
  const client = kept ?? (await authenticated(t, site));
  const reply = await client.send({ to: [HONEST], content: `${HEADER}\r\nhonest\r\n` });
  const [, id = ""] = /^250 2\.0\.0 Accepted as (msg_\S+)$/.exec(reply) ?? assert.fail(reply);
  const report = (await (await site.world.lookUp(id, "?wait=20")).json()) as { recipients: { result: string }[] };
  assert.deepEqual(
    report.recipients.map(({ result }) => result),
    ["delivered"],
  );
}

/** Sends the envelope and DATA. */
async function beginData(client: SubmissionClient): Promise<void> {
  assert.match(await client.command("MAIL FROM:<hello@shop.example>"), /^250 /);
  assert.match(await client.command(`RCPT TO:<${HONEST}>`), /^250 /);
  assert.match(await client.command("DATA"), /^354 /);
}

/** Writes the same octets again and again until the connection ends, or so many octets were written. */
async function flood(client: SubmissionClient, octets: string, octetsMax = 8 * 1024 * 1024): Promise<void> {
  for (let written = 0; written < octetsMax && !client.isClosed; written += octets.length) {
    client.write(octets);
    await setImmediate();
  }
}

const assertNothingSmuggled = ({ world }: SubmissionSite): void =>
  assert.deepEqual(
    world.sink.entries.filter(({ rcpt_to }) => rcpt_to.some((to) => to !== HONEST)),
    [],
  );

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
  "\r\n\0.\0\r\n",
  "\0\r\n.\0",
  "\n\0.\n",
];

/** What none may take for it, and a message may contain. */
const ORDINARY_LINES = [
  "\r\n..\r\n",
  "\r\n. \r\n",
  "\r\n.\t\r\n",
  "\r\n .\r\n",
  "\r\n.\u000b\r\n",
  "\r\n\u0085.\u0085\r\n",
  "\r\n\u2028.\u2028\r\n",
  "\\r\\n.\\r\\n",
  "=0D=0A.=0D=0A",
  "\r\n\u008d\u008a.\u008d\u008a",
];

const COMMANDS = [
  "MAIL FROM:<hello@shop.example>",
  `RCPT TO:<${SMUGGLED}>`,
  "DATA",
  "From: hello@shop.example",
  "Subject: smuggled",
  "",
  "smuggled",
].join("\r\n");

describe("a message with a pseudo end of data", { timeout: 120_000 }, () => {
  it("is rejected as a whole where a CR or LF is alone, or a NUL is in it, however it is cut", async (t) => {
    const site = await startSite(t);
    for (const end of PSEUDO_ENDS) {
      // A connection with 50 rejections is closed.
      const client = await authenticated(t, site);
      const content = Buffer.from(`${HEADER}\r\nfirst${end}${COMMANDS}\r\n.\r\n`);
      for (const size of [content.length, 1, 2, 3]) {
        await beginData(client);
        for (let at = 0; at < content.length; at += size) {
          client.write(content.subarray(at, at + size));
          if (size < content.length) await setImmediate();
        }
        assert.match(await client.reply(), /^550 5\.6\.0 Line \d+ has a/, JSON.stringify(end));
        // A further reply would be to a smuggled command.
        assert.match(await client.command("HELP"), /^500 /, JSON.stringify(end));
      }
    }
    await assertServes(t, site);
    assertNothingSmuggled(site);
    assert.equal(site.world.sink.entries.length, 1);
  });

  it("is one message where it is none", async (t) => {
    const site = await startSite(t);
    const client = await authenticated(t, site);
    for (const line of ORDINARY_LINES) {
      await beginData(client);
      client.write(`${HEADER}\r\nfirst${line}${COMMANDS}\r\n.\r\n`);
      assert.match(await client.reply(), /^250 2\.0\.0 Accepted as msg_/, JSON.stringify(line));
      assert.match(await client.command("HELP"), /^500 /, JSON.stringify(line));
    }
    await assertServes(t, site, client);
    await until("all are delivered", () => site.world.sink.entries.length === ORDINARY_LINES.length + 1);
    assertNothingSmuggled(site);
  });
});

/** The codes of all replies until the connection has ended. */
async function repliesUntilClosed(client: SubmissionClient): Promise<string[]> {
  const codes: string[] = [];
  for (;;) {
    const reply = await client.reply();
    if (reply === "") return codes;
    codes.push(reply.slice(0, 3));
  }
}

const recipients = (count: number): string =>
  Array.from({ length: count }, (_, n) => `RCPT TO:<r${n}@${RECIPIENT_DOMAIN}>\r\n`).join("");

describe("commands of an attacker", { timeout: 120_000 }, () => {
  it("are void if they come in plaintext after STARTTLS", async (t) => {
    const site = await startSite(t);
    const secret = Buffer.from(`\0any\0${site.world.key}`).toString("base64");
    const injected = `EHLO evil.example\r\nAUTH PLAIN ${secret}\r\n${COMMANDS}\r\n.\r\n`;
    for (const more of [injected, "NOOP\r\n".repeat(500) + injected, "MAIL FROM:<hello@shop", "\0\r\n", "DATA\r\n"]) {
      const client = await SubmissionClient.open(t, site.port);
      await client.command("EHLO client.example");
      await client.startTls(more.replace(/\r\n$/, ""));
      assert.match(await client.command("MAIL FROM:<hello@shop.example>"), /^503 /);
      assert.match(await client.command("EHLO client.example"), /^250-mta\.example\.com/);
      assert.match(await client.command("MAIL FROM:<hello@shop.example>"), /^530 /);
      assert.match(await client.authenticate(site.world.key), /^235 /);
      await assertServes(t, site, client);
    }
    assertNothingSmuggled(site);
  });

  it("do not keep the authentication and the envelope of before STARTTLS", async (t) => {
    const site = await startSite(t);
    const client = await authenticated(t, site);
    await client.command("MAIL FROM:<hello@shop.example>");
    await client.command(`RCPT TO:<${SMUGGLED}>`);
    await client.startTls();
    await client.command("EHLO client.example");
    assert.match(await client.command("DATA"), /^530 /);
    assert.match(await client.authenticate(site.world.key), /^235 /);
    assert.match(await client.command("DATA"), /^503 /);
    await assertServes(t, site, client);
    assertNothingSmuggled(site);
  });

  it("are rejected with octets that no command has", async (t) => {
    const site = await startSite(t);
    const client = await authenticated(t, site);
    const raw = async (line: string): Promise<string> => {
      client.write(Buffer.from(`${line}\r\n`, "latin1"));
      return client.reply();
    };
    assert.match(await raw("NO\0OP"), /^500 /);
    assert.match(await raw("\x80\xff\x00"), /^500 /);
    assert.match(await raw("BDAT 20 LAST"), /^500 /);
    assert.match(await raw("MAIL FROM:<a\0b@shop.example>"), /^501 /);
    assert.match(await raw("MAIL FROM:<hello@shop.example> BODY=BINARYMIME"), /^501 /);
    assert.match(await raw("MAIL FROM:<hello@shop.example> SIZE=abc"), /^501 /);
    assert.match(await raw("MAIL FROM:<hello@shop.example> SIZE=-1"), /^501 /);
    assert.match(await raw(`MAIL FROM:<hello@shop.example> SIZE=${"9".repeat(20)}`), /^552 /);
    assert.match(await raw(`MAIL FROM:<hello@shop.example> SIZE=${"9".repeat(21)}`), /^501 /);
    assert.match(await raw("MAIL FROM:<hello@shop.example>\rRCPT TO:<smuggled@customers.example>"), /^(?:250|501) /);
    assert.match(await raw("DATA"), /^503 /);
    await raw("RSET");
    await raw("MAIL FROM:<hello@shop.example>");
    for (const local of ["a\0b", "a\rb", "a\x7fb"]) {
      assert.match(await raw(`RCPT TO:<${local}@${RECIPIENT_DOMAIN}>`), /^501 /, JSON.stringify(local));
    }
    for (const local of ["\xff", "a\u0085b"]) {
      assert.match(await raw(`RCPT TO:<${local}@${RECIPIENT_DOMAIN}>`), /^553 5\.1\.3 The address is not UTF-8/);
    }
    assert.match(await raw("DATA"), /^503 /);
    await raw("RSET");
    await assertServes(t, site, client);
    assertNothingSmuggled(site);
  });

  it("are bounded in number for those that none needs", async (t) => {
    const site = await startSite(t);
    const unknown = await authenticated(t, site);
    await flood(unknown, "NONSENSE\r\n");
    await unknown.ended();
    const stranger = await SubmissionClient.open(t, site.port);
    await flood(stranger, "NOOP\r\n");
    await stranger.ended();
    const aborting = await SubmissionClient.open(t, site.port);
    await aborting.command("EHLO client.example");
    await flood(aborting, "AUTH LOGIN\r\n*\r\n");
    await aborting.ended();
    await assertServes(t, site);
  });

  it("end with 421 beyond their limits", async (t) => {
    const site = await startSite(t);
    const idle = await authenticated(t, site);
    // One of the 100 is the EHLO.
    idle.write("NOOP\r\nRSET\r\n".repeat(50));
    assert.deepEqual(await repliesUntilClosed(idle), [...Array(99).fill("250"), "421"]);
    const client = await authenticated(t, site);
    await client.command("MAIL FROM:<hello@shop.example>");
    client.write(recipients(1101));
    const expected = [...Array(50).fill("250"), ...Array(1050).fill("452"), "421"];
    assert.deepEqual(await repliesUntilClosed(client), expected);
    assertNothingSmuggled(site);
  });

  it("by the thousand end the connection, and others are served meanwhile", async (t) => {
    const site = await startSite(t);
    const idle = await authenticated(t, site);
    idle.write("NOOP\r\nRSET\r\n".repeat(10_000));
    await assertServes(t, site);
    // Replies may be lost when a connection ends while its client still writes.
    assert.ok((await repliesUntilClosed(idle)).length <= 100);
    const client = await authenticated(t, site);
    await client.command("MAIL FROM:<hello@shop.example>");
    client.write(recipients(100_000));
    assert.ok((await repliesUntilClosed(client)).length <= 1101);
    await assertServes(t, site);
    assertNothingSmuggled(site);
  });

  it("are limited for a client that does not read its replies", async (t) => {
    const site = await startSite(t);
    const { socket, received } = await rawConnection(t, { port: site.port });
    const secret = Buffer.from(`\0any\0${site.world.key}`).toString("base64");
    await until("the greeting", () => received().startsWith("220 "));
    socket.write(`EHLO client.example\r\nAUTH PLAIN ${secret}\r\n`);
    await until("it is authenticated", () => received().includes("\n235 "));
    socket.pause();
    // More than the kernel holds for both sides.
    socket.write("EHLO x\r\n".repeat(3 * 1024 * 1024));
    await assertServes(t, site);
    await until("it is closed", () => socket.destroyed);
    await assertServes(t, site);
  });
});

describe("a client without end", { timeout: 120_000 }, () => {
  it("is cut off within a command line", async (t) => {
    const site = await startSite(t);
    for (const begin of ["", "MAIL FROM:<", "AUTH PLAIN ", "AUTH LOGIN\r\n", "EHLO "]) {
      const client = await SubmissionClient.open(t, site.port);
      await client.command("EHLO client.example");
      client.write(begin);
      await flood(client, "A".repeat(8 * 1024));
      await client.ended();
    }
    const known = await authenticated(t, site);
    known.write(`MAIL FROM:<${"a".repeat(16 * 1024)}`);
    assert.match(await known.reply(), /^421 .*too long/);
    await known.ended();
    await assertServes(t, site);
  });

  it("is cut off within a header, a line and a body", async (t) => {
    const site = await startSite(t);
    for (const octets of [
      "X-A: b\r\n".repeat(1000),
      "A".repeat(8000),
      `\r\n${"body\r\n".repeat(1000)}`,
      ".".repeat(8000),
    ]) {
      const client = await authenticated(t, site);
      await beginData(client);
      await flood(client, octets);
      await client.ended();
    }
    await assertServes(t, site);
  });

  it("gets a rejection for a header that is too long, has too many fields, or a message that is too large", async (t) => {
    const site = await startSite(t);
    const client = await authenticated(t, site);
    const send = (content: string): Promise<string> => client.send({ to: [HONEST], content });
    assert.match(
      await send(`${HEADER}${"X-A: b\r\n".repeat(1001)}\r\n`),
      /^550 5\.6\.0 The header has more than 1000 f/,
    );
    const long = `X-Long: ${"y\r\n ".repeat(40_000)}\r\n`;
    assert.match(await send(`${HEADER}${long}\r\n`), /^550 5\.6\.0 The header is longer than 131072 octets/);
    assert.match(await send(`${HEADER}\r\n${"body\r\n".repeat(60_000)}`), /^552 /);
    assert.match(await send(`${HEADER}${"Received: from a by b\r\n".repeat(101)}\r\n`), /^554 5\.4\.6 /);
    await assertServes(t, site, client);
  });
});

const MINUTE_MS = 60_000;

describe("a slow client", { timeout: 60_000 }, () => {
  const honest = { to: [HONEST], content: `${HEADER}\r\nhonest\r\n` };

  it("is closed after a minute without a valid key, wherever it stops", async (t) => {
    const { port, clock, key } = await startFakeSubmission(t);
    const steps = [[], ["EHLO a"], ["EHLO a", "AUTH LOGIN"], ["EHLO a", "AUTH LOGIN", "YW55"], ["EHLO a", "NOOP"]];
    const clients: SubmissionClient[] = [];
    for (const commands of steps) {
      const client = await SubmissionClient.open(t, port);
      for (const command of commands) await client.command(command);
      client.write("NOO");
      clients.push(client);
    }
    await clock.advance(MINUTE_MS);
    for (const client of clients) {
      assert.match(await client.reply(), /^421 4\.4\.2 /);
      await client.ended();
    }
    const other = await SubmissionClient.open(t, port);
    assert.match(await other.authenticate(key), /^235 /);
    assert.equal(await other.send(honest), "250 2.0.0 Accepted as msg_1");
  });

  it("is closed when it is idle, after each step", async (t) => {
    const { port, key } = await startFakeSubmission(t, { idleMs: 1500 });
    const steps = ["MAIL FROM:<a@shop.example>", `RCPT TO:<${HONEST}>`, "DATA"];
    const stopping = async (count: number): Promise<void> => {
      const client = await SubmissionClient.open(t, port);
      assert.match(await client.authenticate(key), /^235 /);
      for (const step of steps.slice(0, count)) await client.command(step);
      client.write("From: a@shop.exam");
      assert.match(await client.reply(), /^421 /, `after ${count} steps`);
      await client.ended();
    };
    await Promise.all([0, 1, 2, 3].map(stopping));
    const other = await SubmissionClient.open(t, port);
    assert.match(await other.authenticate(key), /^235 /);
    assert.equal(await other.send(honest), "250 2.0.0 Accepted as msg_1");
  });

  it("is cut off if its message arrives octet by octet", async (t) => {
    const { port, clock, key } = await startFakeSubmission(t);
    const client = await SubmissionClient.open(t, port);
    assert.match(await client.authenticate(key), /^235 /);
    await beginData(client);
    client.write("From: a@shop.example\r\n\r\n");
    for (let second = 0; second < 70 && !client.isClosed; second += 1) {
      client.write("x");
      await clock.advance(1000);
    }
    await client.ended();
    const other = await SubmissionClient.open(t, port);
    assert.match(await other.authenticate(key), /^235 /);
    assert.equal(await other.send(honest), "250 2.0.0 Accepted as msg_1");
  });
});

interface RawConnection {
  socket: Socket;
  /** Until it ends. */
  received: () => string;
  isOpen: () => boolean;
}

/** A connection that reads, and does nothing else. */
async function rawConnection(
  t: TestContext,
  { port, localAddress = "127.0.0.1" }: { port: number; localAddress?: string },
): Promise<RawConnection> {
  const socket = connect({ host: "127.0.0.1", port, localAddress });
  let received = "";
  let isOpen = true;
  socket.on("data", (chunk) => {
    received += chunk;
  });
  socket.on("error", () => {});
  socket.on("close", () => {
    isOpen = false;
  });
  t.after(() => socket.destroy());
  await Promise.race([once(socket, "connect"), once(socket, "close")]).catch(() => {});
  return { socket, received: () => received, isOpen: () => isOpen };
}

const IDLE = 5000;
const IDLE_OPEN_MAX = 1000;
/** Of this process, with the 5,000 sockets of the clients. */
const GROWTH_MAX = 250 * 1024 * 1024;

describe("many clients", { timeout: 300_000 }, () => {
  it("that are idle are closed for others, the longest-idle first", async (t) => {
    const site = await startSite(t);
    await assertServes(t, site);
    const before = process.memoryUsage.rss();
    const connections: RawConnection[] = [];
    while (connections.length < IDLE) {
      const localAddress = `127.0.1.${1 + (connections.length % 200)}`;
      const wave = Array.from({ length: 250 }, () => rawConnection(t, { port: site.port, localAddress }));
      connections.push(...(await Promise.all(wave)));
    }
    const open = (): number => connections.filter(({ isOpen }) => isOpen()).length;
    await until("all but a thousand are closed", () => open() <= IDLE_OPEN_MAX);
    await assertServes(t, site);
    assert.ok(process.memoryUsage.rss() - before < GROWTH_MAX, `${process.memoryUsage.rss() - before} bytes`);
    const ended = connections.filter(({ isOpen }) => !isOpen()).map(({ received }) => received());
    // Those that came while too many were in a greeting were closed at once.
    for (const text of ended) assert.match(text, /^$|421 4\.(3\.2 Too many connections: try again|4\.2 [^\r]+)\r\n$/);
    // A connection also ends when it does not authenticate for a minute; no more are closed for others than must be.
    const forOthers = ended.filter((text) => !text.includes("421 4.4.2"));
    assert.ok(forOthers.some((text) => text !== ""));
    assert.ok(forOthers.length <= IDLE - IDLE_OPEN_MAX + 10, `${forOthers.length} were closed`);
  });

  it("that guess keys from one address lock out neither another nor a valid key", async (t) => {
    const site = await startSite(t, { ADDRESS_RATE_PER_SECOND: "0.001", ADDRESS_RATE_BURST: "5" });
    const attacker = "127.0.0.2";
    const replies: string[] = [];
    for (let guess = 0; guess < 20; guess += 1) {
      const client = await SubmissionClient.open(t, site.port, attacker);
      replies.push(await client.authenticate(`svc_live_${"x".repeat(43)}`));
      client.close();
      await client.ended();
    }
    const kinds = replies.map((reply) => reply.slice(0, 9));
    const allowed = kinds.filter((kind) => kind === "535 5.7.8").length;
    assert.ok(allowed >= 2 && allowed <= 5, JSON.stringify(kinds));
    assert.deepEqual(kinds.slice(allowed), Array(20 - allowed).fill("421 4.7.0"));
    const neighbour = await SubmissionClient.open(t, site.port, attacker);
    assert.match(await neighbour.authenticate(site.world.key), /^235 /);
    await assertServes(t, site);
  });

  it("that guess keys on one connection are closed", async (t) => {
    const site = await startSite(t, { ADDRESS_RATE_PER_SECOND: "0.001", ADDRESS_RATE_BURST: "5" });
    const client = await SubmissionClient.open(t, site.port, "127.0.0.2");
    const guesses: string[] = [];
    for (let guess = 0; guess < 20 && !client.isClosed; guess += 1) {
      guesses.push((await client.authenticate(`svc_live_${"x".repeat(43)}`)).slice(0, 9));
      if (guesses.at(-1)?.startsWith("421")) break;
    }
    await client.ended();
    assert.deepEqual(guesses, [...Array(5).fill("535 5.7.8"), "421 4.7.0"]);
    await assertServes(t, site);
  });
});
