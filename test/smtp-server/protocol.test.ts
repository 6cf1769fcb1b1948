/** What every listener has in common: when connections are admitted, what is recorded, and how they end. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { describe, it, type TestContext } from "node:test";
import type { SMTPServerAddress } from "smtp-server";
import { silentLog } from "../../src/lib/log.ts";
import { MessageMemory } from "../../src/smtp-server/message-memory.ts";
import { announcedOctetsOf, type Kind, type Outcome, Protocol, type Session } from "../../src/smtp-server/protocol.ts";
import { SmtpRejection } from "../../src/smtp-server/rejection.ts";
import { fakeClock } from "../support/fake-clock.ts";
import { SubmissionClient } from "../support/submission-client.ts";

const MESSAGE = { from: "a@sender.example", to: ["b@here.example"], content: "Subject: x\r\n\r\nHi\r\n" };

/** Accepts each message, and remembers its commands. */
class Recorder implements Session<{ octets: number }> {
  readonly commands: string[];
  isBroken = false;

  constructor(commands: string[]) {
    this.commands = commands;
  }

  mail(announcedOctets: number | null, sender: string): void {
    this.commands.push(`MAIL <${sender}> ${announcedOctets}`);
    if (this.isBroken) throw new Error("a secret detail");
  }

  recipient(address: string): void {
    this.commands.push(`RCPT <${address}>`);
    if (address.startsWith("nobody@")) throw new SmtpRejection(550, "5.1.1 No such address", "unknown");
  }

  async data(stream: AsyncIterable<Buffer>): Promise<{ octets: number }> {
    let octets = 0;
    for await (const chunk of stream) octets += chunk.length;
    return { octets };
  }

  end(): void {
    this.commands.push("end");
  }
}

interface Serving {
  port: number;
  sessions: Recorder[];
  commands: string[];
  outcomes: Outcome<Recorder, { octets: number }>[];
}

async function serving(t: TestContext, kind: Partial<Kind> = {}): Promise<Serving> {
  const clock = fakeClock();
  const [sessions, commands, outcomes]: [Recorder[], string[], Serving["outcomes"]] = [[], [], []];
  const protocol = new Protocol<{ octets: number }, Recorder>({
    hostname: "mta.test",
    clock,
    log: silentLog,
    messages: new MessageMemory(clock),
    octetsMax: 10_000,
    recipientsMax: 10,
    newSession() {
      const session = new Recorder(commands);
      sessions.push(session);
      return session;
    },
    acceptedText: ({ octets }) => `2.0.0 Got ${octets}`,
    onOutcome: (outcome) => void outcomes.push(outcome),
  });
  const options = { disabledCommands: ["AUTH"] };
  const server = createServer(protocol.kind({ secure: false, certificate: null, options, ...kind }));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(async () => {
    server.close();
    await protocol.close();
  });
  return { port: (server.address() as AddressInfo).port, sessions, commands, outcomes };
}

async function greeted(t: TestContext, port: number): Promise<SubmissionClient> {
  const client = await SubmissionClient.open(t, port);
  assert.match(await client.command("EHLO client.example"), /^250-mta\.test/);
  return client;
}

describe("a session", () => {
  it("gets each command, with the sender and the announced size", async (t) => {
    const { port, commands } = await serving(t);
    const client = await greeted(t, port);
    assert.equal(await client.send(MESSAGE), "250 2.0.0 Got 18");
    assert.match(await client.command("MAIL FROM:<> SIZE=99"), /^250 /);
    client.close();
    while (commands.at(-1) !== "end") await new Promise(setImmediate);
    assert.deepEqual(commands, ["MAIL <a@sender.example> null", "RCPT <b@here.example>", "MAIL <> 99", "end"]);
  });

  it("has its messages and its rejections recorded", async (t) => {
    const { port, outcomes, sessions } = await serving(t);
    const client = await greeted(t, port);
    await client.send(MESSAGE);
    assert.equal(await client.send({ ...MESSAGE, to: ["nobody@here.example"] }), "550 5.1.1 No such address");
    assert.deepEqual(
      outcomes.map(({ result }) => (result instanceof SmtpRejection ? result.problem : result)),
      [{ octets: 18 }, "unknown"],
    );
    assert.equal(outcomes[0]?.session, sessions[0]);
  });

  it("that fails is a temporary error without its details", async (t) => {
    const { port, sessions } = await serving(t);
    const client = await greeted(t, port);
    for (const session of sessions) session.isBroken = true;
    assert.equal(await client.command("MAIL FROM:<a@sender.example>"), "451 4.3.0 Internal error: try again");
  });
});

describe("a connection", () => {
  it("that is not admitted gets 421, and has no session", async (t) => {
    const { port, sessions } = await serving(t, {
      admit() {
        throw new SmtpRejection(421, "4.7.0 Not you", "too_many");
      },
    });
    const client = await SubmissionClient.open(t, port);
    assert.equal(client.greeting, "421 4.7.0 Not you");
    await client.ended();
    assert.deepEqual(sessions, []);
  });

  it("that was admitted leaves once, when it has closed", async (t) => {
    let open = 0;
    const { port } = await serving(t, {
      admit() {
        open += 1;
        return () => {
          open -= 1;
        };
      },
    });
    const clients = [await greeted(t, port), await greeted(t, port)];
    assert.equal(open, 2);
    clients[0]?.close();
    while (open === 2) await new Promise(setImmediate);
    clients[1]?.reset();
    while (open === 1) await new Promise(setImmediate);
    assert.equal(open, 0);
  });
});

it("the announced octets are those of SIZE", () => {
  const mail = (args: unknown): SMTPServerAddress => ({ address: "a@b.example", args }) as SMTPServerAddress;
  assert.equal(announcedOctetsOf(mail({ SIZE: "1000", BODY: "8BITMIME" })), 1000);
  assert.equal(announcedOctetsOf(mail({ BODY: "8BITMIME" })), null);
  assert.equal(announcedOctetsOf(mail(false)), null);
  assert.equal(announcedOctetsOf(null), null);
});
