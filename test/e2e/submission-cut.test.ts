/**
 * A lost 250 causes no duplicate: connections are cut at and after the final dot, clients submit the same message again, and it is
 * accepted once, under one id, and delivered once.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { Prng } from "../../simulate/prng.ts";
import Sqlite from "../../src/spool/engine/sqlite/connection/driver.ts";
import { missingPostgres } from "../support/postgres/installation.ts";
import { startTwoServices } from "../support/postgres/two-services.ts";
import { type ScriptedSmtp, startScriptedSmtp } from "../support/scripted-smtp.ts";
import { CutClient } from "../support/submission-cuts/client.ts";
import { SubmissionConnection } from "../support/submission-cuts/connection.ts";
import { drawMessage } from "../support/submission-cuts/message.ts";
import { CUT_POINTS, CUT_WAYS, drawPlan, isAfterDot } from "../support/submission-cuts/plan.ts";
import { RECIPIENT_DOMAIN, SENDER_DOMAIN, startWorld, type World } from "../support/world.ts";

const SEED = 20_261_123;
const SUBMISSION = { SUBMISSION_PORT: "0", SUBMISSION_ALLOW_PLAINTEXT: "true" };
/** Messages that are submitted at a time. */
const WIDTH = 16;
const RETRY_AFTER_MS = 50;
const DELIVERED_MS = 60_000;

const KINDS = CUT_POINTS.flatMap((point) => CUT_WAYS.map((way) => `${point}, ${way}`));

/** A message in the spool. */
interface Stored {
  id: string;
  subject: string;
}

test("1,500 connections cut at and after the final dot", { timeout: 600_000 }, async (t) => {
  const receiver = await startReceiver(t);
  const world = await startWorld(t, { ...SUBMISSION, SMTP_PORT: String(receiver.port) });
  const ports = [world.service.submissionPort ?? 0];
  const submitted = await new Submissions(world, { cuts: 1500, ports, signal: t.signal }).run();
  const db = new Sqlite(join(world.env.DATA_DIR ?? "", "postrider.db"), { readonly: true });
  t.after(() => db.close());
  const stored = async () => db.prepare<[], Stored>("SELECT id, subject FROM messages").all();
  assertAcceptedOnce(submitted.clients, await untilDelivered(world, receiver, stored), receiver);
  assertEachOccurred(t, submitted);
});

test("the same on PostgreSQL, with each retry at the other node", {
  skip: missingPostgres(),
  timeout: 240_000,
}, async (t) => {
  const receiver = await startReceiver(t);
  const { world, second, client } = await startTwoServices(t, { ...SUBMISSION, SMTP_PORT: String(receiver.port) });
  const ports = [world.service.submissionPort ?? 0, second.submissionPort ?? 0];
  const submitted = await new Submissions(world, { cuts: 500, ports, signal: t.signal }).run();
  const stored = async () => (await client.query<Stored>("SELECT id, subject FROM messages")).rows;
  assertAcceptedOnce(submitted.clients, await untilDelivered(world, receiver, stored), receiver);
  assertEachOccurred(t, submitted);
});

async function startReceiver(t: TestContext): Promise<ScriptedSmtp> {
  const receiver = await startScriptedSmtp();
  t.after(() => receiver.close());
  return receiver;
}

interface Submission {
  /** Connections to cut. */
  cuts: number;
  /** Of the service. The attempts of a message use them by turns. */
  ports: readonly number[];
  signal: AbortSignal;
}

/** Messages whose connections are cut, and how often what happened to them. */
class Submissions {
  readonly clients: CutClient[] = [];
  /** By the name of what happened. */
  readonly counts = new Map<string, number>();
  readonly #prng = new Prng(SEED);
  readonly #key: string;
  readonly #options: Submission;

  constructor({ key }: World, options: Submission) {
    this.#key = key;
    this.#options = options;
  }

  get cuts(): number {
    return KINDS.reduce((sum, kind) => sum + (this.counts.get(kind) ?? 0), 0);
  }

  /** Submits messages, each with its cuts and retries, until enough connections have been cut. */
  async run(): Promise<this> {
    const work = async (): Promise<void> => {
      while (this.cuts < this.#options.cuts) await this.#newClient().run();
    };
    await Promise.all(Array.from({ length: WIDTH }, work));
    return this;
  }

  #newClient(): CutClient {
    const number = this.clients.length;
    const { ports, signal } = this.#options;
    const recipients = Array.from(
      { length: this.#prng.integer(1, 3) },
      (_, i) => `r${number}-${i}@${RECIPIENT_DOMAIN}`,
    );
    const message = drawMessage(this.#prng, {
      number,
      subject: `Message ${number}`,
      recipients,
      sender: `hello@${SENDER_DOMAIN}`,
    });
    const client = new CutClient(message, drawPlan(this.#prng), {
      connect: (attempt, onAccepted) =>
        SubmissionConnection.open({
          host: "127.0.0.1",
          port: ports[(number + attempt) % ports.length] ?? 0,
          key: this.#key,
          onAccepted,
        }),
      count: (name) => this.counts.set(name, (this.counts.get(name) ?? 0) + 1),
      retryAfterMs: RETRY_AFTER_MS,
      signal,
    });
    this.clients.push(client);
    return client;
  }
}

/** Resolves when each stored message has been delivered; one whose connection was cut last may be stored only now. */
async function untilDelivered(
  world: World,
  receiver: ScriptedSmtp,
  stored: () => Promise<Stored[]>,
): Promise<Stored[]> {
  const giveUpMs = Date.now() + DELIVERED_MS;
  for (;;) {
    const messages = await stored();
    const { transactions } = receiver;
    if ((await world.service.spool.backlog()) === 0 && transactions.length >= messages.length) return messages;
    assert.ok(Date.now() < giveUpMs, `${transactions.length} of ${messages.length} messages were delivered`);
    await delay(100);
  }
}

/** Compares what clients were told with what is stored, and what has arrived. */
function assertAcceptedOnce(clients: readonly CutClient[], messages: readonly Stored[], receiver: ScriptedSmtp): void {
  const idsOf = new Map<string, string[]>();
  for (const { id, subject } of messages) idsOf.set(subject, [...(idsOf.get(subject) ?? []), id]);
  const copies = copiesOf(receiver);
  const faults = clients.flatMap((client) => {
    const { subject, recipients, body } = client.message;
    const stored = idsOf.get(subject) ?? [];
    const arrived = recipients.map((recipient) => copies.get(`${subject} ${recipient}`) ?? []);
    const fewest = client.plan.isAbandoned ? 0 : 1;
    const most = client.plan.isAbandoned && !client.plan.cuts.some(isAfterDot) ? 0 : 1;
    return [
      ...client.rejections,
      ...(stored.length < fewest || stored.length > most ? [`is stored ${stored.length} times`] : []),
      ...client.ids.filter((id) => id !== stored[0]).map((id) => `got a 250 for ${id}, and is ${stored[0]}`),
      ...(client.ids.length < fewest ? ["got no 250"] : []),
      ...arrived.filter(({ length }) => length !== stored.length).map(({ length }) => `arrived ${length} times`),
      ...arrived
        .flat()
        .filter((arrivedBody) => arrivedBody !== body)
        .map(() => "arrived with another body"),
    ].map((fault) => `${subject} ${fault}: ${JSON.stringify(client.plan)}`);
  });
  assert.deepEqual(faults.slice(0, 10), [], `${faults.length} faults`);
  const expected = clients.reduce((sum, { message }) => {
    return sum + message.recipients.length * (idsOf.get(message.subject)?.length ?? 0);
  }, 0);
  assert.equal([...copies.values()].flat().length, expected, "something else arrived");
}

/** The bodies that arrived, by subject and recipient. */
function copiesOf({ transactions }: ScriptedSmtp): Map<string, string[]> {
  const copies = new Map<string, string[]>();
  for (const { message, rcptTo } of transactions) {
    const text = message.toString("latin1");
    const subject = /^Subject: (.*)\r$/m.exec(text)?.[1];
    const body = text.slice(text.indexOf("\r\n\r\n") + 4);
    for (const recipient of rcptTo) {
      const name = `${subject} ${recipient}`;
      copies.set(name, [...(copies.get(name) ?? []), body]);
    }
  }
  return copies;
}

/** A kind of cut that never occurred proves nothing. */
function assertEachOccurred(t: TestContext, { clients, counts, cuts }: Submissions): void {
  for (const [name, count] of [...counts].sort()) t.diagnostic(`${count} × ${name}`);
  const missing = [...KINDS, "2 attempts at once", "3 attempts at once"].filter((kind) => !counts.has(kind));
  assert.deepEqual(missing, []);
  const repeats = clients.reduce((sum, { ids }) => sum + Math.max(0, ids.length - 1), 0);
  t.diagnostic(`${clients.length} messages, ${cuts} connections cut, ${repeats} further 250s with the id of the first`);
  assert.ok(repeats > 0);
  const givenUp = clients.filter(({ plan }) => plan.isAbandoned);
  assert.ok(givenUp.some(({ plan }) => !plan.cuts.some(isAfterDot)));
  assert.ok(givenUp.some(({ plan }) => plan.cuts.some(isAfterDot)));
}
