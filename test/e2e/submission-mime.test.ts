/**
 * Thousands of generated MIME messages through SMTP submission to a receiver that keeps their octets: each arrives once, its body and its
 * header fields as they were sent, with the hash of its body in a DKIM signature, which is verified for one in four. At a receiver
 * without 8BITMIME, others arrive in 7 bits with the same parts.
 */
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { dkimBody } from "mailauth/lib/dkim/body/index.js";
import { dkimVerify } from "mailauth/lib/dkim/verify.js";
import { Prng } from "../../simulate/prng.ts";
import { mailauthResolver } from "../../src/dns/stub-resolver.ts";
import { decodeWords } from "../../src/message/encoded-words.ts";
import { mimeLeaves } from "../support/mime-leaves.ts";
import { utf8AsOctets } from "../support/mime-text.ts";
import { type GeneratedMessage, generateMessage, octetsOf } from "../support/mime-tree.ts";
import { startExchanger, until } from "../support/peers.ts";
import type { RecordedTransaction, ScriptedSmtp } from "../support/scripted-smtp.ts";
import { SubmissionClient } from "../support/submission-client.ts";
import { SENDER_DOMAIN, startWorld, type World } from "../support/world.ts";

/** The same seed makes the same messages. */
const SEED = 22;
const MESSAGES = 1000;
const MESSAGES_IN_SEVEN_BITS = 300;
const CONNECTIONS = 10;
/** Messages that are submitted before they are checked, which bounds the memory of the test. */
const BATCH = 500;

interface Sent extends GeneratedMessage {
  number: number;
  /** Of the envelope. */
  recipients: string[];
}

interface Site {
  world: World;
  clients: SubmissionClient[];
  receiver: ScriptedSmtp;
  /** Of the receiver. */
  domain: string;
}

async function startSite(t: TestContext, capabilities: string[]): Promise<Site> {
  const world = await startWorld(t, { SUBMISSION_PORT: "0", SUBMISSION_ALLOW_PLAINTEXT: "true" });
  const domain = "generated.example";
  const receiver = await startExchanger(t, world, { domain, capabilities });
  const port = world.service.submissionPort ?? assert.fail("it does not listen");
  const clients = await Promise.all(Array.from({ length: CONNECTIONS }, () => SubmissionClient.open(t, port)));
  for (const client of clients) assert.match(await client.authenticate(world.key), /^235 /);
  return { world, clients, receiver, domain };
}

/** Generates the messages and submits them in batches. `check` gets each message with what arrived of it. */
async function submitAll(
  site: Site,
  { count, eightBitTextOnly }: { count: number; eightBitTextOnly: boolean },
  check: (sent: Sent, arrived: RecordedTransaction) => Promise<void>,
): Promise<void> {
  const { clients, receiver, domain } = site;
  const random = new Prng(SEED);
  const ids = new Set<string>();
  for (let from = 0; from < count; from += BATCH) {
    const batch = Array.from({ length: Math.min(BATCH, count - from) }, (_, at): Sent => {
      const number = from + at;
      const named = `r${number}@${domain}`;
      const recipients = random.chance(0.1) ? [named, `hidden${number}@${domain}`] : [named];
      return { number, recipients, ...generateMessage(random, { number, recipients: [named], eightBitTextOnly }) };
    });
    const waiting = [...batch];
    await Promise.all(clients.map((client) => submitSome(client, { waiting, random, ids })));
    await until("all messages arrive", () => receiver.transactions.length >= batch.length);
    const arrived = new Map(receiver.transactions.map((each) => [each.rcptTo[0], each]));
    assert.deepEqual([receiver.transactions.length, arrived.size], [batch.length, batch.length]);
    for (const sent of batch) {
      const transaction = arrived.get(sent.recipients[0]) ?? assert.fail(`message ${sent.number} did not arrive`);
      assert.deepEqual(transaction.rcptTo, sent.recipients);
      await check(sent, transaction);
    }
    receiver.transactions.length = 0;
  }
  assert.equal(ids.size, count, "an id for each message");
  await assertNoOthers(site, count);
}

interface Shared {
  /** The messages that no client has taken yet. */
  waiting: Sent[];
  random: Prng;
  ids: Set<string>;
}

async function submitSome(client: SubmissionClient, { waiting, random, ids }: Shared): Promise<void> {
  for (let sent = waiting.shift(); sent !== undefined; sent = waiting.shift()) {
    const cut = random.chance(0.1) ? (whole: Buffer) => inPieces(random, whole) : undefined;
    const reply = await client.send({
      to: sent.recipients,
      content: octetsOf(sent),
      ...(cut === undefined ? {} : { cut }),
    });
    const [, id] = /^250 2\.0\.0 Accepted as (msg_\S+)$/.exec(reply) ?? [];
    assert.ok(id !== undefined, `message ${sent.number}: ${reply}`);
    ids.add(id);
  }
}

/** Pieces of a few octets at first and at the end, where dots and line ends are cut apart. */
function inPieces(random: Prng, whole: Buffer): Buffer[] {
  const pieces: Buffer[] = [];
  for (let at = 0; at < whole.length; ) {
    const isEdge = at < 60 || at > whole.length - 60;
    const length = random.integer(1, isEdge ? 4 : 1000);
    pieces.push(whole.subarray(at, at + length));
    at += length;
  }
  return pieces;
}

/** Exactly so many messages were accepted and delivered. */
async function assertNoOthers({ world, receiver }: Site, count: number): Promise<void> {
  const metrics = await (await fetch(`${world.service.url}/metrics`)).text();
  assert.match(metrics, new RegExp(`^postrider_messages_accepted_total ${count}$`, "m"));
  assert.equal(receiver.transactions.length, 0);
  assert.deepEqual(world.sink.entries, []);
}

/** The DKIM-Signature field that the service has added, the other fields, and the body. */
function parsed({ message }: RecordedTransaction): { signature: string; fields: string[]; body: Buffer } {
  const end = message.indexOf("\r\n\r\n");
  assert.ok(end > 0, "no end of the header");
  const header = message.toString("latin1", 0, end + 2);
  const [signature = "", ...fields] = header.match(/[^\r\n][^\r]*(?:\r\n[ \t][^\r]*)*\r\n/g) ?? [];
  assert.match(signature, new RegExp(`^DKIM-Signature: v=1;[^]* d=${SENDER_DOMAIN};`));
  return { signature, fields, body: message.subarray(end + 4) };
}

const keyOf = (field: string): string => field.slice(0, field.indexOf(":")).trim().toLowerCase();
const contentsOf = (field: string): string =>
  field
    .slice(field.indexOf(":") + 1)
    .replaceAll("\r\n", "")
    .trim();
const isRemoved = (field: string): boolean =>
  /^(?:bcc|resent-bcc|return-path|authentication-results|arc-.*|dkim-signature|x-postrider-.*)$/.test(keyOf(field));
const isEmptyOrMissing = ({ fields }: Sent, key: string): boolean =>
  !fields.some((field) => keyOf(field) === key && contentsOf(field) !== "");

/** Whether a part's header has text outside ASCII, which is encoded. */
const hasRawPartHeader = ({ body }: Sent): boolean =>
  body !== null && /^content-disposition:[^\r]*[\u0080-\u00ff]/im.test(body.toString("latin1"));

/** The fields that are sent on arrive in their order, then those that the message lacked. */
function assertFields(sent: Sent, arrived: string[], isCompared: (field: string) => boolean): void {
  const missing = ["message-id", "date"].filter((key) => isEmptyOrMissing(sent, key));
  const kept = sent.fields.filter((field) => !isRemoved(field) && !missing.includes(keyOf(field)));
  const added = missing.map((key) => arrived.find((field) => keyOf(field) === key) ?? assert.fail(`${key} is missing`));
  const expected = [...kept, ...added].filter(isCompared);
  const compared = arrived.filter(isCompared);
  assert.deepEqual(compared.map(keyOf), expected.map(keyOf));
  for (const [at, field] of expected.entries()) assertField(field, compared[at] ?? "");
  for (const field of added)
    assert.match(field, /^(?:Message-ID: <[\w-]+@[\w.]+>|Date: \w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d \+0000)\r\n$/);
}

/** Those of MIME are checked by what they say of the parts. */
const isKeptInSevenBits = (field: string): boolean => !/^(?:mime-version|content-.*)$/.test(keyOf(field));

/** The same octets, without white space before the colon; text that is not ASCII arrives as encoded words, or in a parameter as RFC 2231 has it. */
function assertField(written: string, arrived: string): void {
  const sent = written.replace(/^([!-9;-~]+)[ \t]+:/, "$1:");
  if (/^[^\u0080-\u00ff]*$/.test(sent)) {
    assert.equal(arrived, sent);
    return;
  }
  assert.doesNotMatch(arrived, /[\u0080-\u00ff]/);
  if (keyOf(sent) === "content-disposition") {
    const written = arrived.replace(
      /filename\*=utf-8''(\S+)/,
      (_, text: string) => `filename="${decodeURIComponent(text)}"`,
    );
    assert.equal(utf8AsOctets(written), sent);
    return;
  }
  assert.equal(utf8AsOctets(decodeWords(contentsOf(arrived)).replace(/ +/g, " ")), contentsOf(sent));
}

/** Of the messages whose signature mailauth verifies: two milliseconds each. The body hash is compared for all. */
const VERIFIED = 0.25;

/** Compares the body hash of the signature with mailauth's, and verifies a sample of the signatures. */
function verifier({ world }: Site): (arrived: RecordedTransaction) => Promise<void> {
  const random = new Prng(SEED);
  const answers = new Map<string, Promise<string[] | string[][]>>();
  const ask = mailauthResolver(world.resolver);
  const resolver = async (name: string, type: string) => {
    const key = `${name} ${type}`;
    const answer = answers.get(key) ?? ask(name, type);
    answers.set(key, answer);
    return answer;
  };
  return async (arrived) => {
    const { signature, body } = parsed(arrived);
    const hash = dkimBody("relaxed", "sha256", false);
    hash.update(body);
    assert.equal(/\sbh=([^;]+);/.exec(signature)?.[1], hash.digest("base64"));
    if (!random.chance(VERIFIED)) return;
    const { results } = await dkimVerify(arrived.message, { resolver });
    const own = results.filter(({ signingDomain }) => signingDomain === SENDER_DOMAIN);
    assert.deepEqual(
      own.map(({ status }) => status.result),
      ["pass"],
      JSON.stringify(own),
    );
  };
}

/** Adds to an error which message it is about. */
async function about({ number }: Sent, check: () => Promise<void>): Promise<void> {
  try {
    await check();
  } catch (error) {
    throw new Error(`message ${number} of seed ${SEED}`, { cause: error });
  }
}

const plain = ({ type, octets }: { type: string; octets: Buffer }): [string, string] => [
  type,
  octets.toString("latin1"),
];

test("generated messages arrive once, as they were sent and validly signed", { timeout: 1_200_000 }, async (t) => {
  const site = await startSite(t, ["PIPELINING", "8BITMIME", "SMTPUTF8"]);
  const verify = verifier(site);
  await submitAll(site, { count: MESSAGES, eightBitTextOnly: false }, (sent, transaction) =>
    about(sent, async () => {
      const { fields, body } = parsed(transaction);
      if (hasRawPartHeader(sent)) {
        // What is signed stays as it was sent.
        const isSigned = /multipart\/signed/i.test(octetsOf(sent).toString("latin1"));
        if (!isSigned) assert.doesNotMatch(body.toString("latin1"), /^content-disposition:[^\r]*[\u0080-\u00ff]/im);
        assert.deepEqual(mimeLeaves(transaction.message).map(plain), mimeLeaves(octetsOf(sent)).map(plain));
      } else assert.ok(body.equals(sent.body ?? Buffer.alloc(0)), "the body is the same");
      assertFields(sent, fields, () => true);
      await verify(transaction);
    }),
  );
});

test("a receiver without 8BITMIME gets the same parts in 7 bits, validly signed", { timeout: 1_200_000 }, async (t) => {
  const site = await startSite(t, ["PIPELINING"]);
  const verify = verifier(site);
  await submitAll(site, { count: MESSAGES_IN_SEVEN_BITS, eightBitTextOnly: true }, (sent, transaction) =>
    about(sent, async () => {
      const { message, mail } = transaction;
      assert.doesNotMatch(mail, /BODY=|SMTPUTF8/);
      const isVersion = (field: string): boolean => keyOf(field) === "mime-version";
      const versions = parsed(transaction).fields.filter(isVersion).length;
      // With 8-bit text in headers of parts alone, the message is in 7 bits already when it is accepted, and gets no version.
      assert.ok(versions === 1 || (hasRawPartHeader(sent) && !sent.fields.some(isVersion)), `${versions} versions`);
      assert.ok(
        message.every((octet) => octet < 128),
        "7 bits",
      );
      assert.ok(
        message
          .toString("latin1")
          .split("\r\n")
          .every((line) => line.length <= 998),
        "a line is too long",
      );
      assert.deepEqual(mimeLeaves(message).map(plain), sent.leaves.map(plain));
      assertFields(sent, parsed(transaction).fields, isKeptInSevenBits);
      await verify(transaction);
    }),
  );
});
