/**
 * Hosts send bounces and complaints about delivered messages, some of them twice, lose connections at the final dot and try again,
 * while the service is killed with SIGKILL at random moments and started again. In the end, each mail with a 250 has had its effect,
 * and each recipient has at most one bounce and one complaint, each with one event.
 */
import { connect } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import type { History, ReturnedMail } from "../simulate/history.ts";
import type { Prng } from "../simulate/prng.ts";
import { feedbackKey } from "../src/app/incoming/feedback-key.ts";
import { returnPathAddress } from "../src/message/return-path.ts";
import { openVault } from "../src/security/vault.ts";
import { freePort } from "./free-port.ts";
import { Harness } from "./harness.ts";
import { newIntents, send, unsent } from "./load.ts";
import { type Scenario, type ScenarioOptions, type ScenarioResult, violationUnless } from "./scenario.ts";
import { SENDER } from "./sender.ts";

/** Rounds on the same spool. */
const ROUNDS_PER_HARNESS = 20;
/** An address of its own: no other program connects from it, so the port stays free while the service is down. */
const HOST = "127.0.9.2";
const MESSAGES_PER_ROUND = 60;
const WIDTH = 20;
/** Hosts that send at a time. */
const REPORTERS = 8;
const KILL_DELAY_MAX_MS = 1500;
const DOWN_MAX_MS = 300;
const RETRY_AFTER_MS = 100;
const TIMEOUT_MS = 20_000;
const APPLIED_MAX_MS = 60_000;

const BOUNCE_PROBABILITY = 0.6;
const COMPLAINT_PROBABILITY = 0.3;
const TWICE_PROBABILITY = 0.2;
const CUT_PROBABILITY = 0.2;

export const bounces: Scenario = { name: "bounces", run };

interface Totals {
  rounds: number;
  messages: number;
  accepted: number;
  cuts: number;
}

/** It is stored once it has a 250. */
interface Mail extends ReturnedMail {
  email: string;
}

async function run({ prng, rounds, print }: ScenarioOptions): Promise<ScenarioResult> {
  const totals: Totals = { rounds: 0, messages: 0, accepted: 0, cuts: 0 };
  const violations: string[] = [];
  while (totals.rounds < rounds && violations.length === 0) {
    const most = Math.min(ROUNDS_PER_HARNESS, rounds - totals.rounds);
    violations.push(...(await runOnOneSpool(prng, most, totals)));
    print(`  ${describe(totals)}`);
  }
  return { figures: describe(totals), violations };
}

const describe = ({ rounds, messages, accepted, cuts }: Totals): string =>
  `${rounds} kills, ${messages} messages, ${accepted} bounces and complaints with a 250, ${cuts} connections cut at the final dot`;

async function runOnOneSpool(prng: Prng, most: number, totals: Totals): Promise<string[]> {
  const port = await freePort(HOST);
  const harness = await Harness.create({ prng, env: { HOST, INBOUND_PORT: String(port) } });
  try {
    const reporters = new Reporters({ prng, port, key: await keyOf(harness), history: harness.history });
    for (let round = 0; round < most; round += 1) {
      totals.rounds += 1;
      await killUnderLoad(harness, reporters, prng);
      const broken = await harness.checkInvariants({ expectEnd: false });
      if (broken.length > 0) return broken.map((line) => `round ${totals.rounds}: ${line}`);
    }
    return await finish(harness, reporters, totals);
  } finally {
    await harness.close();
  }
}

/** Makes the key that the service uses from its first start on. */
async function keyOf(harness: Harness): Promise<Buffer> {
  let key: Buffer = Buffer.alloc(0);
  await harness.withSpool(async (spool) => {
    key = await feedbackKey({ store: spool, vault: openVault(harness.env.CERTS_DIR ?? ""), log: { warn: () => {} } });
  });
  return key;
}

async function killUnderLoad(harness: Harness, reporters: Reporters, prng: Prng): Promise<void> {
  const service = await harness.startOrFail();
  newIntents(harness.history, prng, prng.integer(1, MESSAGES_PER_ROUND));
  const sending = send({ harness, prng, url: service.url, intents: unsent(harness.history), width: WIDTH });
  reporters.addAbout(delivered(harness));
  reporters.start();
  await delay(prng.next() * KILL_DELAY_MAX_MS);
  await service.kill("SIGKILL");
  await reporters.stop();
  await sending;
  await delay(prng.next() * DOWN_MAX_MS);
}

interface DeliveredRow {
  messageId: string;
  position: number;
  email: string;
}

const delivered = (harness: Harness): DeliveredRow[] =>
  harness.read((db) =>
    db
      .prepare<[], DeliveredRow>(
        `SELECT m.id AS messageId, r.position, r.email FROM recipient_states r JOIN messages m USING (seq)
           WHERE r.result = 'delivered' ORDER BY r.seq, r.position`,
      )
      .all(),
  );

async function finish(harness: Harness, reporters: Reporters, totals: Totals): Promise<string[]> {
  const last = await harness.startOrFail();
  harness.stopFaults();
  await send({ harness, prng: reporters.prng, url: last.url, intents: unsent(harness.history), width: WIDTH });
  const isDrained = await harness.waitUntilDrained();
  reporters.addAbout(delivered(harness));
  reporters.start();
  await reporters.finished();
  const isApplied = await untilApplied(harness);
  await last.kill("SIGTERM");
  totals.messages += harness.count("SELECT count(*) FROM messages") ?? 0;
  totals.accepted += harness.history.returned.filter(({ isStored }) => isStored).length;
  totals.cuts += reporters.cuts;
  return [
    ...violationUnless(isDrained, "pending recipients were not delivered"),
    ...violationUnless(isApplied, "mail that came back was not applied"),
    ...(await harness.checkInvariants({ expectEnd: true })),
    ...reporters.rejections,
  ];
}

async function untilApplied(harness: Harness): Promise<boolean> {
  const giveUpMs = Date.now() + APPLIED_MAX_MS;
  while (harness.count("SELECT count(*) FROM incoming") !== 0) {
    if (Date.now() > giveUpMs) return false;
    await delay(100);
  }
  return true;
}

/** Hosts that report about recipients, each mail until it has a 250. */
class Reporters {
  readonly prng: Prng;
  readonly rejections: string[] = [];
  cuts = 0;
  readonly #port: number;
  readonly #key: Buffer;
  readonly #history: History;
  readonly #reported = new Set<string>();
  #waiting: Mail[] = [];
  #running: Promise<void>[] = [];
  #isStopping = false;

  constructor({ prng, port, key, history }: { prng: Prng; port: number; key: Buffer; history: History }) {
    this.prng = prng;
    this.#port = port;
    this.#key = key;
    this.#history = history;
  }

  addAbout(recipients: readonly DeliveredRow[]): void {
    for (const row of recipients) {
      const name = `${row.messageId} ${row.position}`;
      if (this.#reported.has(name)) continue;
      this.#reported.add(name);
      if (this.prng.chance(BOUNCE_PROBABILITY)) this.#add("bounce", row);
      if (this.prng.chance(COMPLAINT_PROBABILITY)) this.#add("complaint", row);
    }
  }

  start(): void {
    this.#isStopping = false;
    this.#running = Array.from({ length: REPORTERS }, () => this.#work());
  }

  /** Ends after the attempts under way. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    await this.finished();
  }

  async finished(): Promise<void> {
    await Promise.all(this.#running);
  }

  #add(kind: Mail["kind"], row: DeliveredRow): void {
    const times = this.prng.chance(TWICE_PROBABILITY) ? 2 : 1;
    const mails = Array.from({ length: times }, (): Mail => ({ kind, ...row, isStored: false }));
    this.#waiting.push(...mails);
  }

  async #work(): Promise<void> {
    for (let mail = this.#next(); mail !== undefined; mail = this.#next()) {
      const isCut = this.prng.chance(CUT_PROBABILITY);
      await this.#submit(mail, isCut).catch(() => {});
      if (mail.isStored) continue;
      this.#waiting.push(mail);
      await delay(RETRY_AFTER_MS);
    }
  }

  #next(): Mail | undefined {
    return this.#isStopping ? undefined : this.#waiting.shift();
  }

  /** Rejects if the connection ends, or a reply is not the expected one. */
  async #submit(mail: Mail, isCut: boolean): Promise<void> {
    const { messageId, position } = mail;
    const address = returnPathAddress({ messageId, position, domain: SENDER }, this.#key);
    const socket = connect({ host: HOST, port: this.#port, noDelay: true });
    socket.setTimeout(TIMEOUT_MS, () => socket.destroy());
    const lines = replyLines(socket);
    const expect = async (code: string): Promise<void> => {
      const { value: line = "" } = await lines.next();
      if (line.startsWith("5")) this.rejections.push(`${mail.kind} about ${messageId} was rejected: ${line}`);
      if (!line.startsWith(code)) throw new Error(line);
    };
    try {
      await expect("220");
      for (const [command, code] of [
        ["HELO mx.d0.example", "250"],
        ["MAIL FROM:<>", "250"],
        [`RCPT TO:<${address}>`, "250"],
        ["DATA", "354"],
      ] as const) {
        socket.write(`${command}\r\n`);
        await expect(code);
      }
      if (!this.#history.returned.includes(mail)) this.#history.returned.push(mail);
      socket.write(`${mail.kind === "bounce" ? bounceOf(mail) : complaintOf(mail, address)}\r\n.\r\n`);
      if (isCut) {
        this.cuts += 1;
        return;
      }
      await expect("250");
      mail.isStored = true;
    } finally {
      socket.destroy();
    }
  }
}

async function* replyLines(socket: ReturnType<typeof connect>): AsyncGenerator<string> {
  let received = "";
  for await (const chunk of socket) {
    received += String(chunk);
    for (let end = received.indexOf("\r\n"); end !== -1; end = received.indexOf("\r\n")) {
      yield received.slice(0, end);
      received = received.slice(end + 2);
    }
  }
}

const bounceOf = ({ email }: Mail): string =>
  report("delivery-status", [
    "Content-Type: message/delivery-status",
    "",
    "Reporting-MTA: dns; mx.d0.example",
    "",
    `Final-Recipient: rfc822; ${email}`,
    "Action: failed",
    "Status: 5.1.1",
    "Diagnostic-Code: smtp; 550 5.1.1 No such user",
  ]);

const complaintOf = ({ email }: Mail, address: string): string =>
  report("feedback-report", [
    "Content-Type: message/feedback-report",
    "",
    "Feedback-Type: abuse",
    "User-Agent: torture/1",
    "Version: 1",
    `Original-Mail-From: <${address}>`,
    `Original-Rcpt-To: <${email}>`,
  ]);

function report(type: string, part: readonly string[]): string {
  return [
    "From: mailer-daemon@mx.d0.example",
    "Subject: Report",
    "MIME-Version: 1.0",
    `Content-Type: multipart/report; report-type=${type}; boundary=b`,
    "",
    "--b",
    "Content-Type: text/plain",
    "",
    "A report.",
    "--b",
    ...part,
    "",
    "--b--",
  ].join("\r\n");
}
