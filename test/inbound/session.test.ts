/** The commands of an inbound session: which recipients and sizes are accepted, what is stored, and what is rejected instead. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { incomingRecipients } from "../../src/app/incoming/incoming-recipients.ts";
import { AddressLimits } from "../../src/inbound/address-limits.ts";
import { Backlog } from "../../src/inbound/backlog.ts";
import { InboundSession, type Received, type ReceivedMail } from "../../src/inbound/session.ts";
import { MessageMemory } from "../../src/smtp-server/message-memory.ts";
import { errorReply } from "../../src/smtp-server/rejection.ts";
import { SpoolUnavailable } from "../../src/spool/port/errors.ts";
import type { IncomingBacklog } from "../../src/spool/port/incoming.ts";
import { Content, contentOf } from "../smtp-server/content.ts";
import { fakeClock } from "../support/fake-clock.ts";
import { DOMAIN, envelopeSender, FEEDBACK_KEY } from "../support/fake-inbound.ts";

const MIB = 1024 * 1024;
const IP = "192.0.2.1";
const MESSAGE = "From: a@b.example\r\nSubject: x\r\n\r\nHi\r\n";
const at = (name: string): string => `${name}@bounces.${DOMAIN}`;

function stage(limits = { connectionsMax: 20, messagesPerMinute: 1000, octetsPerMinute: 1000 * MIB }) {
  const clock = fakeClock(Date.parse("2026-11-02T10:00:00Z"));
  const stored: ReceivedMail[] = [];
  const state = {
    error: null as Error | null,
    isLow: false,
    isExhausted: false,
    backlog: { mails: 0, octets: 0, networks: [] as IncomingBacklog["networks"] },
  };
  const domains = {
    async returnPathOwner(name: string) {
      if (state.error !== null) throw state.error;
      return name === DOMAIN ? { accountId: "acc_1", domainId: "dom_1" } : null;
    },
  };
  const session = new InboundSession(
    {
      recipients: incomingRecipients({ key: FEEDBACK_KEY, domains }),
      store: {
        async storeIncoming(mail) {
          if (state.error !== null) throw state.error;
          stored.push({ ...mail, content: Buffer.from(mail.content) });
        },
      },
      addresses: new AddressLimits(clock, limits),
      backlog: new Backlog({ store: { incomingBacklog: async () => state.backlog }, clock }),
      memory: {
        get isLow() {
          return state.isLow;
        },
        get isExhausted() {
          return state.isExhausted;
        },
      },
      messages: new MessageMemory(clock),
      clock,
    },
    IP,
  );
  return { clock, stored, state, session };
}

/** The reply that is thrown, with its code; "none" without one. */
async function replyOf(run: () => unknown): Promise<string> {
  try {
    await run();
  } catch (error) {
    const reply = errorReply(error);
    assert.ok(reply !== null, String(error));
    return `${reply.responseCode} ${reply.message}`;
  }
  return "none";
}

const send = (session: InboundSession, content: Content = contentOf(MESSAGE)): Promise<Received | null> =>
  session.data(content.stream, {
    announcedOctets: null,
    gone: new AbortController().signal,
    cutOff: () => assert.fail("it is cut off"),
  });

/** A message of so many octets: a header of 18, and lines of 64. */
function large(octets: number): Content {
  const header = "Subject: large\r\n\r\n";
  const text = Buffer.alloc(octets, `${"x".repeat(62)}\r\n`);
  text.write(header);
  text.write("\r\n", octets - 2);
  const content = new Content();
  for (let from = 0; from < octets; from += MIB) content.add(text.subarray(from, from + MIB));
  return content.end();
}

async function toRecipients(session: InboundSession, addresses: string[], sender = ""): Promise<InboundSession> {
  session.mail(null, sender);
  for (const address of addresses) await session.recipient(address);
  return session;
}

describe("a recipient", () => {
  it("is one of our addresses, once", async () => {
    const { session, stored } = stage();
    const addresses = [envelopeSender(1), at("dmarc-reports"), envelopeSender(1).toUpperCase(), at("abuse")];
    const result = await send(await toRecipients(session, addresses));
    assert.deepEqual(result, { types: ["bounces", "dmarc_reports", "abuse"], octets: MESSAGE.length });
    assert.deepEqual(
      stored.map(({ recipient }) => recipient),
      [envelopeSender(1), at("dmarc-reports"), at("abuse")],
    );
  });

  it("that is not is rejected, and ends the session after ten", async () => {
    const { session } = stage();
    session.mail(null, "a@b.example");
    for (let i = 0; i < 10; i += 1)
      assert.match(await replyOf(() => session.recipient(at(`user${i}`))), /^550 5\.1\.1 /);
    assert.match(await replyOf(() => session.recipient(at("user"))), /^421 4\.7\.0 /);
  });

  it("is one of ten", async () => {
    const { session } = stage();
    await toRecipients(
      session,
      Array.from({ length: 10 }, (_, i) => envelopeSender(i)),
    );
    assert.match(await replyOf(() => session.recipient(envelopeSender(10))), /^452 4\.5\.3 /);
    await session.recipient(envelopeSender(9));
    await toRecipients(session, [envelopeSender(10)]);
  });

  it("is asked for again while the spool is not available", async () => {
    const { session, state } = stage();
    session.mail(null, "");
    state.error = new SpoolUnavailable("down");
    assert.match(await replyOf(() => session.recipient(at("abuse"))), /^451 4\.3\.0 /);
    await session.recipient(envelopeSender());
    state.error = null;
    await session.recipient(at("abuse"));
  });
});

describe("a message", () => {
  it("is stored with its envelope, octet for octet, whatever its form", async () => {
    const { session, stored, clock } = stage();
    const forms = ["", "no header", "a\nb\rc\0d\r\n", `Subject: x\r\n\r\n${"y".repeat(5000)}`, "\r\n\r\n", "\xff\xfe"];
    for (const form of forms) {
      await send(
        await toRecipients(session, [envelopeSender()], "a@b.example"),
        contentOf(Buffer.from(form, "latin1")),
      );
    }
    assert.deepEqual(
      stored.map(({ content }) => content.toString("latin1")),
      forms,
    );
    const { content: _, ...envelope } = stored[0] as ReceivedMail;
    const expected = { recipient: envelopeSender(), envelopeSender: "a@b.example", ip: IP, receivedAtMs: clock.now() };
    assert.deepEqual(envelope, expected);
  });

  it("belongs to its own recipients alone", async () => {
    const { session, stored } = stage();
    await toRecipients(session, [at("abuse")], "a@b.example");
    await send(await toRecipients(session, [envelopeSender()]));
    assert.deepEqual(
      stored.map(({ recipient, envelopeSender: sender }) => [recipient, sender]),
      [[envelopeSender(), ""]],
    );
  });

  it("is not accepted if it cannot be stored, for each of its recipients", async () => {
    const { session, state } = stage();
    await toRecipients(session, [envelopeSender(1), envelopeSender(2)]);
    state.error = new SpoolUnavailable("full");
    assert.match(await replyOf(() => send(session)), /^451 4\.3\.0 /);
  });

  it("does not exist if the connection ends before the final dot", async () => {
    const { session, stored } = stage();
    const content = new Content().add(MESSAGE);
    const pending = send(await toRecipients(session, [envelopeSender()]), content);
    content.destroy();
    assert.equal(await pending, null);
    assert.deepEqual(stored, []);
  });

  it("with more than 50 Received fields is in a loop", async () => {
    const { session, stored } = stage();
    const hops = (count: number) => contentOf(`${"Received: from a by b\r\n".repeat(count)}${MESSAGE}`);
    await send(await toRecipients(session, [envelopeSender()]), hops(50));
    assert.match(
      await replyOf(async () => send(await toRecipients(session, [envelopeSender()]), hops(51))),
      /^554 5\.4\.6 /,
    );
    assert.equal(stored.length, 1);
  });
});

describe("a large message", () => {
  it("is kept up to 1 MiB for an envelope sender, and up to 10 MiB for reports", async () => {
    const { session, stored, clock } = stage();
    await send(await toRecipients(session, [envelopeSender()]), large(12 * MIB));
    assert.equal(stored.pop()?.content.length, MIB);
    for (const name of ["dmarc-reports", "tls-reports", "complaints"]) {
      // The mail before is read by then.
      await clock.advance(60_000);
      await send(await toRecipients(session, [at(name)]), large(10 * MIB));
      assert.equal(stored.pop()?.content.length, 10 * MIB);
      const reply = await replyOf(async () => send(await toRecipients(session, [at(name)]), large(10 * MIB + 1)));
      assert.match(reply, /^552 5\.3\.4 /);
    }
    for (const name of ["postmaster", "abuse"]) {
      await send(await toRecipients(session, [at(name)]), large(MIB));
      assert.equal(stored.pop()?.content.length, MIB);
      const reply = await replyOf(async () => send(await toRecipients(session, [at(name)]), large(MIB + 1)));
      assert.match(reply, /^552 5\.3\.4 /);
    }
    assert.deepEqual(stored, []);
  });

  it("has the lowest limit of its recipients, and each keeps what it may", async () => {
    const { session, stored } = stage();
    await send(await toRecipients(session, [envelopeSender(), at("complaints")]), large(2 * MIB));
    assert.deepEqual(
      stored.map(({ content }) => content.length),
      [MIB, 2 * MIB],
    );
    const mixed = await toRecipients(session, [envelopeSender(), at("abuse")]);
    assert.match(await replyOf(() => send(mixed, large(2 * MIB))), /^552 5\.3\.4 /);
    assert.equal(stored.length, 2);
  });

  it("is rejected at RCPT if it has announced its size", async () => {
    const { session } = stage();
    session.mail(11 * MIB, "");
    assert.match(await replyOf(() => session.recipient(at("dmarc-reports"))), /^552 5\.3\.4 /);
    assert.match(await replyOf(() => session.recipient(at("abuse"))), /^552 5\.3\.4 /);
    await session.recipient(envelopeSender());
    assert.equal((await send(session))?.octets, MESSAGE.length);
  });

  it("has two recipients at most to which anyone can write, because it is stored for each", async () => {
    const { session } = stage();
    session.mail(null, "");
    for (const name of ["dmarc-reports", "tls-reports"]) await session.recipient(at(name));
    assert.match(await replyOf(() => session.recipient(at("complaints"))), /^452 4\.5\.3 /);
    await session.recipient(envelopeSender());
    assert.equal(await replyOf(() => session.recipient(at("tls-reports"))), "none");
  });

  it("releases its memory, whatever becomes of it", async () => {
    const { session, state, stored } = stage();
    // Without releases, an address has memory for ten messages of 1 MiB.
    for (let i = 0; i < 15; i += 1) {
      await send(await toRecipients(session, [envelopeSender()]), large(MIB));
      await replyOf(async () => send(await toRecipients(session, [at("abuse")]), large(MIB + 1)));
      const failing = await toRecipients(session, [envelopeSender()]);
      state.error = new SpoolUnavailable("full");
      await replyOf(() => send(failing, large(MIB)));
      state.error = null;
    }
    assert.equal(stored.length, 15);
  });
});

describe("MAIL", () => {
  it("is rejected while memory is low for long messages, and while it is exhausted for all", async () => {
    const { session, state } = stage();
    state.isLow = true;
    assert.match(await replyOf(() => session.mail(null, "")), /^452 4\.3\.1 /);
    assert.match(await replyOf(() => session.mail(65 * 1024, "")), /^452 4\.3\.1 /);
    assert.equal(await replyOf(() => session.mail(1000, "")), "none");
    state.isExhausted = true;
    assert.match(await replyOf(() => session.mail(1000, "")), /^452 4\.3\.1 /);
  });

  it("is rejected after too many messages of an address, or too many octets", async () => {
    const { session, clock } = stage({ connectionsMax: 1, messagesPerMinute: 3, octetsPerMinute: MIB });
    for (let i = 0; i < 3; i += 1) await send(await toRecipients(session, [envelopeSender()]));
    assert.match(await replyOf(() => session.mail(null, "")), /^451 4\.7\.1 /);
    await clock.advance(60_000);
    await send(await toRecipients(session, [envelopeSender()]), large(3 * MIB));
    await clock.advance(60_000);
    assert.match(await replyOf(() => session.mail(null, "")), /^451 4\.7\.1 /);
    await clock.advance(61_000);
    assert.equal(await replyOf(() => session.mail(null, "")), "none");
  });
});

describe("while much mail waits to be read", () => {
  it("mail for the names that anyone can write to is put off first, then all", async () => {
    const { session, state, clock } = stage();
    const tried = async (backlog: Omit<IncomingBacklog, "networks">): Promise<string[]> => {
      state.backlog = { ...backlog, networks: [] };
      await clock.advance(1000);
      session.mail(null, "");
      const replies = [at("abuse"), envelopeSender()].map((address) => replyOf(() => session.recipient(address)));
      return (await Promise.all(replies)).map((reply) => reply.slice(0, 10));
    };
    assert.deepEqual(await tried({ mails: 4999, octets: 127 * MIB }), ["none", "none"]);
    for (const backlog of [
      { mails: 5000, octets: 0 },
      { mails: 0, octets: 128 * MIB },
    ])
      assert.deepEqual(await tried(backlog), ["452 4.3.1 ", "none"]);
    for (const backlog of [
      { mails: 10_000, octets: 0 },
      { mails: 0, octets: 256 * MIB },
    ])
      assert.deepEqual(await tried(backlog), ["452 4.3.1 ", "452 4.3.1 "]);
    assert.deepEqual(await tried({ mails: 0, octets: 0 }), ["none", "none"]);
  });

  it("mail of one client for those names is put off at a tenth of their share, and no other", async () => {
    const { session, state, clock, stored } = stage();
    const tried = async (ip: string, waiting: Omit<IncomingBacklog, "networks">): Promise<string[]> => {
      state.backlog = { ...waiting, networks: [{ network: ip, ...waiting }] };
      await clock.advance(1000);
      session.mail(null, "");
      const replies = [at("abuse"), envelopeSender()].map((address) => replyOf(() => session.recipient(address)));
      return (await Promise.all(replies)).map((reply) => reply.slice(0, 10));
    };
    const most = { mails: 499, octets: 12 * MIB };
    assert.deepEqual(await tried(IP, most), ["none", "none"]);
    assert.deepEqual(await tried(IP, { ...most, mails: 500 }), ["452 4.3.1 ", "none"]);
    assert.deepEqual(await tried(IP, { ...most, octets: 13 * MIB }), ["452 4.3.1 ", "none"]);
    assert.deepEqual(await tried("203.0.113.200", { ...most, mails: 500 }), ["none", "none"]);
    // What is stored meanwhile counts.
    await tried(IP, most);
    const first = await toRecipients(session, [at("abuse")]);
    assert.equal(await replyOf(() => send(first)), "none");
    assert.match(await replyOf(() => send(first)), /^452 4\.3\.1 /);
    assert.equal(stored.length, 1);
  });

  it("a message whose content arrives then is put off, and what is stored meanwhile counts", async () => {
    const { session, state, stored } = stage();
    state.backlog = { mails: 9999, octets: 0, networks: [] };
    const first = await toRecipients(session, [envelopeSender()]);
    assert.equal(await replyOf(() => send(first)), "none");
    assert.match(await replyOf(() => send(first)), /^452 4\.3\.1 /);
    assert.equal(stored.length, 1);
  });
});
