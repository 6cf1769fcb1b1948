/**
 * Commands that are too long are not parsed. Those that lead to no message: 421 after some dozens, and none for a client whose messages are
 * accepted.
 */
import assert from "node:assert/strict";
import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { describe, it, type TestContext } from "node:test";
import { setImmediate as nextIteration } from "node:timers/promises";
import type { Clock } from "../../src/lib/clock.ts";
import { silentLog } from "../../src/lib/log.ts";
import { DOMAIN_OCTETS_MAX } from "../../src/message/domain-encoding.ts";
import {
  AUTH_OCTETS_MAX,
  COMMAND_OCTETS_MAX,
  IDLE_COMMANDS_MAX,
  RECIPIENTS_OVERSHOOT_MAX,
  REJECTIONS_MAX,
} from "../../src/smtp-server/command-limits.ts";
import { MessageMemory } from "../../src/smtp-server/message-memory.ts";
import { Protocol, type Session } from "../../src/smtp-server/protocol.ts";
import { SmtpRejection } from "../../src/smtp-server/rejection.ts";
import { fakeClock } from "../support/fake-clock.ts";
import { SubmissionClient } from "../support/submission-client.ts";

const RECIPIENTS_MAX = 10;

class Lenient implements Session<object> {
  readonly #onCommand: () => void;

  constructor(onCommand = (): void => {}) {
    this.#onCommand = onCommand;
  }

  mail(): void {}
  recipient(address: string): void {
    this.#onCommand();
    if (address.startsWith("nobody@")) throw new SmtpRejection(550, "5.1.1 No such address", "unknown");
  }
  async data(stream: AsyncIterable<Buffer>): Promise<object> {
    for await (const _ of stream);
    return {};
  }
  end(): void {}
}

interface Serving {
  clock?: Clock;
  /** Called with each RCPT. */
  onCommand?: () => void;
}

async function connected(t: TestContext, { clock = fakeClock(), onCommand }: Serving = {}): Promise<SubmissionClient> {
  const protocol = new Protocol<object, Lenient>({
    hostname: "mta.test",
    clock,
    log: silentLog,
    messages: new MessageMemory(clock),
    octetsMax: 10_000,
    recipientsMax: RECIPIENTS_MAX,
    newSession: () => new Lenient(onCommand),
    acceptedText: () => "2.0.0 OK",
    onOutcome: () => {},
  });
  const kind = { secure: false, certificate: null, options: { disabledCommands: ["AUTH"] } };
  const server = createServer(protocol.kind(kind)).listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => server.close());
  const client = await SubmissionClient.open(t, (server.address() as AddressInfo).port);
  await client.command("EHLO client.example");
  return client;
}

/** The commands in turn until one gets 421. Returns how many got another reply. */
async function untilClosed(client: SubmissionClient, commands: readonly string[], most: number): Promise<number> {
  for (let count = 0; count < most; count += 1) {
    const reply = await client.command(commands[count % commands.length] as string);
    if (/^421 4\.7\.0 Too many commands/.test(reply)) return count;
  }
  return most;
}

/** The command, filled up to so many octets. */
const filled = (begin: string, octets: number, end = ""): string =>
  begin + "a".repeat(octets - begin.length - end.length) + end;

/** An address whose domain has so many octets. */
const addressAt = (octets: number): string => `<b@${filled("xn--", octets, ".example")}>`;

describe("a command", () => {
  it("that is too long is rejected without being parsed, and the next one is answered", async (t) => {
    const recipients: number[] = [];
    const client = await connected(t, { onCommand: () => void recipients.push(1) });
    assert.match(await client.command(filled("NOOP ", COMMAND_OCTETS_MAX)), /^250 /);
    await client.command("MAIL FROM:<a@sender.example>");
    for (const begin of ["NOOP ", "EHLO ", "RSET ", "RCPT TO:<b@here.example> ORCPT=", "RCPT TO:<", "XYZ"])
      assert.match(await client.command(filled(begin, COMMAND_OCTETS_MAX + 1)), /^500 5\.5\.2 /, begin);
    assert.equal(recipients.length, 0);
    client.write(`${filled("NOOP ", AUTH_OCTETS_MAX)}\r\nRCPT TO:<b@here.example>\r\n`);
    assert.match(await client.reply(), /^500 5\.5\.2 /);
    assert.match(await client.reply(), /^250 /);
    assert.equal(recipients.length, 1);
  });

  it("that has more octets than AUTH may have closes the connection", async (t) => {
    const client = await connected(t);
    assert.match(await client.command(filled("NOOP ", AUTH_OCTETS_MAX + 1)), /^421 .*too long/);
    await client.ended();
  });

  it("with a domain that is too long is rejected without having it decoded", async (t) => {
    const recipients: number[] = [];
    const client = await connected(t, { onCommand: () => void recipients.push(1) });
    assert.match(await client.command(`MAIL FROM:${addressAt(DOMAIN_OCTETS_MAX + 1)} SIZE=1`), /^501 5\.5\.4 /);
    assert.match(await client.command(`MAIL FROM:${addressAt(DOMAIN_OCTETS_MAX)} SIZE=1`), /^250 /);
    assert.match(await client.command(`RCPT TO:${addressAt(DOMAIN_OCTETS_MAX + 1)}`), /^501 5\.5\.4 /);
    assert.equal(recipients.length, 0);
    assert.match(await client.command(`RCPT TO:${addressAt(DOMAIN_OCTETS_MAX)}`), /^250 /);
  });
});

describe("a client without an accepted message", () => {
  it("is closed after so many commands of no use", async (t) => {
    const client = await connected(t);
    const commands = await untilClosed(client, ["MAIL FROM:<a@sender.example>", "RSET"], 1000);
    assert.ok(commands >= 2 * (IDLE_COMMANDS_MAX - 5) && commands <= 2 * IDLE_COMMANDS_MAX + 2, `${commands}`);
  });

  it("is closed after so many rejections", async (t) => {
    const client = await connected(t);
    await client.command("MAIL FROM:<a@sender.example>");
    assert.equal(await untilClosed(client, ["RCPT TO:<nobody@here.example>"], 1000), REJECTIONS_MAX);
  });

  it("is closed after so many recipients beyond the limit, or the same one so often", async (t) => {
    for (const recipients of [
      ["RCPT TO:<b@here.example>"],
      Array.from({ length: 5000 }, (_, n) => `RCPT TO:<b${n}@here.example>`),
    ]) {
      const client = await connected(t);
      await client.command("MAIL FROM:<a@sender.example>");
      assert.equal(await untilClosed(client, recipients, 5000), RECIPIENTS_MAX + RECIPIENTS_OVERSHOOT_MAX);
    }
  });
});

it("pipelined commands leave the event loop to others after two milliseconds", async (t) => {
  // Each reading of the clock takes a millisecond.
  const clock = fakeClock();
  let readings = 0;
  const perIteration: number[] = [];
  let count = 0;
  const client = await connected(t, {
    clock: {
      ...clock,
      monotonicMs() {
        readings += 1;
        return readings;
      },
    },
    onCommand() {
      if (count === 0)
        setImmediate(() => {
          perIteration.push(count);
          count = 0;
        });
      count += 1;
    },
  });
  await client.command("MAIL FROM:<a@sender.example>");
  const recipients = Array.from({ length: RECIPIENTS_MAX }, (_, n) => `RCPT TO:<b${n}@here.example>\r\n`);
  client.write(recipients.join(""));
  for (const _ of recipients) assert.match(await client.reply(), /^250 /);
  await nextIteration();
  assert.equal(
    perIteration.reduce((sum, each) => sum + each, 0),
    RECIPIENTS_MAX,
  );
  assert.ok(Math.max(...perIteration) <= 3, perIteration.join());
});

it("a client that resets between accepted messages meets no limit", async (t) => {
  const client = await connected(t);
  for (let count = 0; count < 2 * IDLE_COMMANDS_MAX; count += 1) {
    assert.match(await client.command("RSET"), /^250 /);
    const to = ["b@here.example"];
    assert.match(await client.send({ from: "a@sender.example", to, content: "Subject: x\r\n\r\nHi\r\n" }), /^250 /);
  }
});
