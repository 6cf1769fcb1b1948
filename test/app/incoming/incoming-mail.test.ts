/** Mail that has come back, from the spool to its effect: each kind of recipient, what changes nothing, and failures on the way. */
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { describe, it, type TestContext } from "node:test";
import type { ForwardResult } from "../../../src/app/incoming/forward-to-users.ts";
import {
  type ComplaintCount,
  type IncomingMailParts,
  startIncomingMail,
} from "../../../src/app/incoming/incoming-mail.ts";
import { ReadingFailed } from "../../../src/app/incoming/incoming-reader.ts";
import { incomingRecipients } from "../../../src/app/incoming/incoming-recipients.ts";
import { NOTED_OCTETS_MIN } from "../../../src/app/incoming/reading-attempts.ts";
import { ReportIntake, readRefusals } from "../../../src/app/incoming/report-intake.ts";
import { NETWORK_SHARE_MAX, ReportPlaces, SHARED_PLACES } from "../../../src/app/incoming/report-places.ts";
import { readFeedback } from "../../../src/message/feedback/feedback.ts";
import { isSignedByLoop } from "../../../src/message/feedback/loop-signature.ts";
import { messageId } from "../../../src/message/ids.ts";
import { readSenderReport } from "../../../src/message/reports/sender-report.ts";
import type { Result } from "../../../src/message/result/outcome.ts";
import { returnPathAddress } from "../../../src/message/return-path.ts";
import { openSqliteSpool } from "../../../src/spool/engine/sqlite/sqlite-spool.ts";
import { SpoolUnavailable } from "../../../src/spool/port/errors.ts";
import { EARLY_MS } from "../../../src/spool/port/incoming.ts";
import type { RecipientReport } from "../../../src/spool/port/results.ts";
import type { Spool } from "../../../src/spool/port/spool.ts";
import * as samples from "../../message/feedback/samples.ts";
import { BEGIN_S, dmarcXml, gzipped, reportMessage, tlsJson } from "../../message/reports/samples.ts";
import { markMessage, settleMessage } from "../../support/attempts.ts";
import { fakeClock } from "../../support/fake-clock.ts";
import { type FakeZone, fakeResolver } from "../../support/fake-resolver.ts";
import { nextIncoming } from "../../support/incoming.ts";
import { newMessage, settlement } from "../../support/messages.ts";
import { until } from "../../support/peers.ts";
import { KEY_NAME, loopKey, loopReport, signedMail } from "../../support/signed-report.ts";
import { tempDir } from "../../support/temp-dir.ts";

const { lines, report } = samples;

const DAY_MS = 86_400_000;
/** Two days after the period of the sample reports. */
const START_MS = BEGIN_S * 1000 + 3 * DAY_MS;
const KEY = Buffer.alloc(32, 7);
const DOMAIN = "shop.example";
const [ANN, BOB] = ["Ann@customers.example", "bob@customers.example"];
const ACCOUNT = "acc_default";

/** What a test makes fail. */
interface Faults {
  next: Error | null;
  apply: Error | null;
  postpone: Error | null;
  read: Error | null;
  forward: Error | null;
  recipients: Error | null;
}

/** What the reader awaits before it reads. */
interface Gate {
  opened: Promise<void>;
  entered: number;
}

const failIf = (error: Error | null): void => {
  if (error !== null) throw error;
};

async function scene(t: TestContext) {
  const spool = await openSqliteSpool({ dataDir: tempDir(t), role: "client", onFatal: assert.fail });
  t.after(() => spool.close());
  const clock = fakeClock(START_MS);
  const faults: Faults = { next: null, apply: null, postpone: null, read: null, forward: null, recipients: null };
  const gate: Gate = { opened: Promise.resolve(), entered: 0 };
  const outcomes: string[] = [];
  const refused: string[] = [];
  const complaints: ComplaintCount[] = [];
  const warnings: Record<string, unknown>[] = [];
  const forwarded: { id: string; recipient: string; domain: string }[] = [];
  const forwarding: { result: ForwardResult } = { result: "forwarded" };
  const known = { accountId: ACCOUNT, domainId: "dom_a" };
  const recipients = incomingRecipients({
    key: KEY,
    domains: { returnPathOwner: async (name) => (name === DOMAIN ? known : null) },
  });
  const read = async <T>(reading: () => T | Promise<T>): Promise<T> => {
    gate.entered += 1;
    await gate.opened;
    failIf(faults.read);
    return reading();
  };
  const runs = { any: false };
  const zone: FakeZone = {};
  const resolver = fakeResolver(zone);
  const parts = (): IncomingMailParts => ({
    spool: failingSpool(spool, faults),
    recipients: {
      async find(address) {
        failIf(faults.recipients);
        return recipients.find(address);
      },
      ownerOf: recipients.ownerOf,
    },
    reader: {
      feedback: (content) => read(() => readFeedback(content)),
      report: (content) => read(() => readSenderReport(content)),
      isSignedByLoop: ({ content, keys, ...arrival }) => {
        const records = new Map(keys.map(({ name, texts }) => [name, texts]));
        return read(() => isSignedByLoop(Buffer.from(content), arrival, records));
      },
      canRead: () => true,
    },
    resolver,
    places: new ReportPlaces(spool),
    intake: new ReportIntake(spool),
    countRefused: (reason) => void refused.push(reason),
    countComplaint: (about) => void complaints.push(about),
    forward: {
      async forward({ id, recipient }, { domain }) {
        failIf(faults.forward);
        forwarded.push({ id, recipient, domain });
        return forwarding.result;
      },
    },
    key: KEY,
    clock,
    sendingIps: () => ["203.0.113.7"],
    count: (outcome) => void outcomes.push(outcome),
    log: { info: () => {}, warn: (fields: object) => void warnings.push(fields as Record<string, unknown>) } as never,
  });
  const start = () => {
    runs.any = true;
    const stop = startIncomingMail(parts());
    t.after(stop);
    return stop;
  };
  const startDying = () => void startIncomingMail(parts());
  return {
    zone,
    resolver,
    startDying,
    spool,
    clock,
    faults,
    gate,
    outcomes,
    warnings,
    forwarded,
    forwarding,
    start,
    runs,
    refused,
    complaints,
  };
}

type Scene = Awaited<ReturnType<typeof scene>>;

/** The spool with these faults. */
function failingSpool(spool: Spool, faults: Faults) {
  return {
    async incomingQueue(nowMs: number) {
      failIf(faults.next);
      return spool.incomingQueue(nowMs);
    },
    incomingMail: spool.incomingMail.bind(spool),
    setAsideIncoming: spool.setAsideIncoming.bind(spool),
    trimSetAside: spool.trimSetAside.bind(spool),
    setAsideMails: spool.setAsideMails.bind(spool),
    readValue: spool.readValue.bind(spool),
    writeValue: spool.writeValue.bind(spool),
    async applyIncoming(request: Parameters<Spool["applyIncoming"]>[0]) {
      failIf(faults.apply);
      return spool.applyIncoming(request);
    },
    storeIncoming: spool.storeIncoming.bind(spool),
    async postponeIncoming(id: string, dueMs: number) {
      failIf(faults.postpone);
      return spool.postponeIncoming(id, dueMs);
    },
    recordUnsubscribed: spool.recordUnsubscribed.bind(spool),
    sentMessage: spool.sentMessage.bind(spool),
    incomingBacklog: spool.incomingBacklog.bind(spool),
    onIncoming: spool.onIncoming.bind(spool),
    report: spool.report.bind(spool),
    storeSenderReport: spool.storeSenderReport.bind(spool),
  };
}

/** A message to Ann and Bob with this result of Ann's. Returns its id. */
async function sent({ spool }: Scene, result: Result = "delivered", header = "<m@shop.example>"): Promise<string> {
  const id = messageId(START_MS, randomBytes);
  const recipients = [ANN, BOB].map((email) => ({ email, domain: "customers.example" }));
  await spool.accept(
    newMessage({ id, recipients, messageId: header, createdAtMs: START_MS, expiresAtMs: START_MS + DAY_MS }),
  );
  const smtp = { mx: "mx1.mail.icloud.com", ip: null, tls: null, code: 250, enhanced_code: null, message: "ok" };
  await settleMessage(spool, id, START_MS, [{ ...settlement(0, result), smtp }, settlement(1, "delivered")]);
  return id;
}

const tagOf = (id: string, position = 0): string => returnPathAddress({ messageId: id, position, domain: DOMAIN }, KEY);

/** Stores a mail, as the listener does. */
const arrives = ({ spool, clock }: Scene, recipient: string, content: Buffer | string, envelopeSender = "") =>
  spool.storeIncoming({
    recipient,
    envelopeSender,
    ip: "192.0.2.1",
    receivedAtMs: clock.now(),
    content: Buffer.from(content),
  });

/** Starts the task, if it does not run, and resolves once it has counted what became of each mail so far. */
async function outcomesOf(world: Scene, count = 1): Promise<string[]> {
  if (!world.runs.any) world.start();
  await until("the outcomes", () => world.outcomes.length >= count);
  assert.equal(await nextIncoming(world.spool, world.clock.now() + 10 * DAY_MS), null, "a mail is left");
  return world.outcomes;
}

/** Resolves when the task sleeps for this long. */
const asleepFor = ({ clock }: Scene, ms: number): Promise<void> =>
  until(`a sleep of ${ms} ms`, () => clock.dueMs.length === 1 && clock.dueMs[0] === clock.monotonicMs() + ms);

async function recipientOf({ spool }: Scene, id: string, position = 0): Promise<RecipientReport> {
  return (await spool.report(id))?.recipients[position] ?? assert.fail();
}

async function suppressed({ spool, clock }: Scene): Promise<[string, string][]> {
  const { addresses: listed } = await spool.suppressions({
    accountId: ACCOUNT,
    after: 1,
    nowMs: clock.now() + 1000,
    limit: 10,
  });
  return listed.map(({ email, cause }) => [email, cause]);
}

async function eventTypes({ spool }: Scene, id: string): Promise<string[]> {
  const filter = { types: null, keys: null, domains: null };
  const page = await spool.events({ accountId: ACCOUNT, afterNumber: null, withDomains: true, limit: 100, filter });
  assert.ok(page !== "expired");
  return page.events.filter(({ messageId }) => messageId === id).map(({ type }) => type.replace("recipient.", ""));
}

/** Nothing has come back about the message. */
async function assertUnheard({ spool }: Scene, id: string): Promise<void> {
  for (const { bounce, complaint, unsubscribedAtMs } of (await spool.report(id))?.recipients ?? assert.fail())
    assert.deepEqual([bounce, complaint, unsubscribedAtMs], [undefined, undefined, undefined]);
}

/** Nothing has come back about the message, and no address is suppressed. */
async function assertUnchanged(world: Scene, id: string, result: Result = "delivered"): Promise<void> {
  await assertUnheard(world, id);
  assert.equal((await recipientOf(world, id)).result, result);
  assert.deepEqual((await eventTypes(world, id)).toSorted(), ["delivered", "message.accepted", result].toSorted());
  assert.deepEqual(await suppressed(world), []);
}

interface Status {
  recipient: string;
  original?: string;
  status: string;
  reply?: string;
}

/** A notification with a group of fields for each of these. */
const bounceOf = (...statuses: Status[]): Buffer =>
  report(["From: MAILER-DAEMON@mx.example", "Subject: Undelivered"], "delivery-status", [
    ["text/plain", "It was not delivered."],
    [
      "message/delivery-status",
      lines(
        "Reporting-MTA: dns; mx.example",
        ...statuses.flatMap(({ recipient, original, status, reply = `550 ${status} no` }) => [
          "",
          `Final-Recipient: rfc822; ${recipient}`,
          ...(original === undefined ? [] : [`Original-Recipient: rfc822; ${original}`]),
          "Action: failed",
          `Status: ${status}`,
          `Diagnostic-Code: smtp; ${reply}`,
        ]),
      ),
    ],
  ]);

const NO_USER = { recipient: ANN, status: "5.1.1", reply: "550 5.1.1 No such user" };

interface ComplaintParts {
  header?: string;
  mailFrom?: string;
  returnPath?: string;
  kind?: string;
}

const complaintOf = ({
  mailFrom,
  returnPath,
  kind = "abuse",
  header = "Message-ID: <m@shop.example>",
}: ComplaintParts): Buffer =>
  report(["From: feedback@provider.example", "Subject: FW: Your order"], "feedback-report", [
    ["text/plain", "This is an abuse report."],
    [
      "message/feedback-report",
      lines(
        `Feedback-Type: ${kind}`,
        "User-Agent: Provider/1.0",
        "Version: 1",
        ...(mailFrom === undefined ? [] : [`Original-Mail-From: <${mailFrom}>`]),
        `Original-Rcpt-To: <${ANN}>`,
      ),
    ],
    [
      "message/rfc822",
      lines(
        ...(returnPath === undefined ? [] : [`Return-Path: <${returnPath}>`]),
        header,
        "From: hello@shop.example",
        `To: ${ANN}`,
        "Subject: Your order",
        "",
        "Hi",
      ),
    ],
  ]);

const COMPLAINTS = `complaints@bounces.${DOMAIN}`;
const ABUSE = `abuse@bounces.${DOMAIN}`;

describe("a bounce", () => {
  it("is reported of the recipient whose envelope sender it came to, and suppresses an address at fault", async (t) => {
    const world = await scene(t);
    const id = await sent(world);
    await arrives(world, tagOf(id).toUpperCase(), bounceOf(NO_USER));
    assert.deepEqual(await outcomesOf(world), ["bounced"]);
    const { result, bounce } = await recipientOf(world, id);
    assert.equal(result, "delivered");
    assert.deepEqual(bounce, {
      atMs: START_MS,
      status: "5.1.1",
      category: "bad_address",
      permanent: true,
      diagnostic: "550 5.1.1 No such user",
    });
    assert.equal((await recipientOf(world, id, 1)).bounce, undefined);
    assert.deepEqual(await eventTypes(world, id), ["message.accepted", "delivered", "delivered", "bounced"]);
    assert.deepEqual(await suppressed(world), [[ANN, "refusals"]]);
  });

  it("that names another recipient is still about the one of the envelope sender: the message was forwarded", async (t) => {
    const world = await scene(t);
    const id = await sent(world);
    await arrives(world, tagOf(id, 1), bounceOf({ ...NO_USER, recipient: "else@where.example" }));
    assert.deepEqual(await outcomesOf(world), ["bounced"]);
    assert.equal((await recipientOf(world, id)).bounce, undefined);
    assert.equal((await recipientOf(world, id, 1)).bounce?.status, "5.1.1");
  });

  it("with several statuses has that of its recipient, by the final or the original address in any case", async (t) => {
    const world = await scene(t);
    const list = ["one", "two"].map((name) => ({ recipient: `${name}@list.example`, status: "5.7.1" }));
    const own = { recipient: ANN.toUpperCase(), status: "5.2.2", reply: "552 5.2.2 Mailbox full" };
    const byOriginal = { ...own, recipient: "x@list.example", original: ANN.toLowerCase() };
    const ids: string[] = [];
    for (const statuses of [[...list, own], [...list, byOriginal], list]) {
      const id = await sent(world);
      ids.push(id);
      await arrives(world, tagOf(id), bounceOf(...statuses));
    }
    assert.deepEqual(await outcomesOf(world, 3), ["bounced", "bounced", "bounced"]);
    const bounces = await Promise.all(ids.map(async (id) => (await recipientOf(world, id)).bounce));
    assert.deepEqual(
      bounces.map((bounce) => [bounce?.status, bounce?.category]),
      [
        ["5.2.2", "mailbox_full"],
        ["5.2.2", "mailbox_full"],
        ["5.7.1", "policy"],
      ],
    );
    assert.deepEqual(await suppressed(world), []);
  });

  it("of a host that gave up after days is temporary, and suppresses nothing", async (t) => {
    const world = await scene(t);
    const id = await sent(world);
    await arrives(world, tagOf(id), samples.expired);
    assert.deepEqual(await outcomesOf(world), ["bounced"]);
    const { bounce } = await recipientOf(world, id);
    assert.deepEqual([bounce?.status, bounce?.permanent], ["4.4.1", false]);
    assert.deepEqual(await suppressed(world), []);
  });

  it("fails an unknown recipient", async (t) => {
    const world = await scene(t);
    const id = await sent(world, "unknown");
    await arrives(world, tagOf(id), bounceOf(NO_USER));
    await outcomesOf(world);
    const { result, reason, category } = await recipientOf(world, id);
    assert.deepEqual([result, reason, category], ["failed", "bounced", "bad_address"]);
  });

  it("about a recipient at its final dot waits for the result", async (t) => {
    const world = await scene(t);
    const id = messageId(START_MS, randomBytes);
    const recipients = [{ email: ANN, domain: "customers.example" }];
    await world.spool.accept(newMessage({ id, recipients, createdAtMs: START_MS, expiresAtMs: START_MS + DAY_MS }));
    const lease = await markMessage(world.spool, id, [0]);
    await arrives(world, tagOf(id), bounceOf(NO_USER));
    world.start();
    await asleepFor(world, 1000);
    assert.deepEqual(world.outcomes, []);
    await world.spool.settle(id, START_MS + 1, [settlement(0, "delivered")], lease);
    await world.clock.advance(EARLY_MS);
    await asleepFor(world, 1000);
    await world.clock.advance(1000);
    assert.deepEqual(await outcomesOf(world), ["bounced"]);
    assert.deepEqual(await eventTypes(world, id), ["message.accepted", "delivered", "bounced"]);
  });

  it("to any other address than an envelope sender changes nothing, whomever it names", async (t) => {
    const world = await scene(t);
    const id = await sent(world);
    const [local] = tagOf(id).split("@");
    const forged = `${local?.slice(0, -1)}${local?.endsWith("a") ? "b" : "a"}@bounces.${DOMAIN}`;
    for (const recipient of [COMPLAINTS, forged, `${local}@bounces.other.example`, "abuse@bounces.other.example"])
      await arrives(world, recipient, bounceOf(NO_USER));
    assert.deepEqual(await outcomesOf(world, 4), Array(4).fill("unmatched"));
    await assertUnchanged(world, id);
  });
});

describe("other mail to an envelope sender", () => {
  it("changes nothing unless it is a bounce or a complaint", async (t) => {
    const world = await scene(t);
    const cases = [
      ["a notice of a delay", samples.postfixDelay, "automatic"],
      ["a notice of a delay as a text", samples.eximWarning, "automatic"],
      ["an out-of-office reply", samples.outOfOffice, "automatic"],
      ["a challenge", samples.challenge, "automatic"],
      ["a report that it is not spam", complaintOf({ kind: "not-spam" }), "automatic"],
      ["a letter", samples.plain(["From: ann@customers.example", "Subject: Hello"], "How are you?"), "unknown"],
      ["nothing", Buffer.alloc(0), "unknown"],
    ] as const;
    const id = await sent(world, "unknown");
    for (const [i, [name, content, outcome]] of cases.entries()) {
      await arrives(world, tagOf(id), content);
      assert.equal((await outcomesOf(world, i + 1)).at(-1), outcome, name);
      await assertUnchanged(world, id, "unknown");
    }
  });

  it("a notification of the delivery settles an unknown recipient, and changes no other", async (t) => {
    const world = await scene(t);
    const [unknown, failed] = [await sent(world, "unknown"), await sent(world, "failed")];
    for (const id of [unknown, failed]) await arrives(world, tagOf(id), samples.delivered);
    assert.deepEqual(await outcomesOf(world, 2), ["confirmed", "confirmed"]);
    assert.equal((await recipientOf(world, unknown)).result, "delivered");
    assert.equal((await recipientOf(world, failed)).result, "failed");
    await arrives(world, COMPLAINTS, samples.delivered);
    assert.equal((await outcomesOf(world, 3)).at(-1), "unmatched");
  });
});

describe("a complaint", () => {
  for (const [name, parts] of [
    ["Original-Mail-From", (tag: string) => ({ mailFrom: tag })],
    ["the Return-Path of the returned message", (tag: string) => ({ returnPath: tag, mailFrom: "a@b.example" })],
  ] as const) {
    it(`is matched by ${name}, and suppresses the address at once`, async (t) => {
      const world = await scene(t);
      const id = await sent(world);
      await arrives(world, COMPLAINTS, complaintOf(parts(tagOf(id))), "feedback@provider.example");
      assert.deepEqual(await outcomesOf(world), ["complained"]);
      assert.deepEqual((await recipientOf(world, id)).complaint, { atMs: START_MS, kind: "abuse" });
      assert.equal((await recipientOf(world, id, 1)).complaint, undefined);
      assert.equal((await eventTypes(world, id)).at(-1), "complained");
      assert.deepEqual(await suppressed(world), [[ANN, "complaint"]]);
    });
  }

  it("is counted once for the receiver that had taken the message", async (t) => {
    const world = await scene(t);
    const id = await sent(world);
    for (let times = 0; times < 2; times += 1)
      await arrives(world, COMPLAINTS, complaintOf({ mailFrom: tagOf(id) }), "feedback@provider.example");
    // Bob's receiver is not known.
    await arrives(world, COMPLAINTS, complaintOf({ mailFrom: tagOf(id, 1) }), "feedback@provider.example");
    assert.deepEqual(await outcomesOf(world, 3), ["complained", "complained", "complained"]);
    assert.deepEqual(world.complaints, [{ messageId: id, receiver: "icloud", atMs: START_MS }]);
  });

  it("is matched by the envelope sender that it came to, unless it names another one", async (t) => {
    const world = await scene(t);
    const [first, second] = [await sent(world), await sent(world)];
    await arrives(world, tagOf(first, 1), complaintOf({ mailFrom: "a@b.example" }));
    await arrives(world, tagOf(first), complaintOf({ mailFrom: tagOf(second) }));
    assert.deepEqual(await outcomesOf(world, 2), ["complained", "complained"]);
    assert.equal((await recipientOf(world, first)).complaint, undefined);
    assert.equal((await recipientOf(world, first, 1)).complaint?.kind, "abuse");
    assert.equal((await recipientOf(world, second)).complaint?.kind, "abuse");
  });

  it("without a return path only informs: each recipient knows the Message-ID, and could name another one", async (t) => {
    const world = await scene(t);
    const [made, chosen] = [`<${"a".repeat(24)}@${DOMAIN}>`, "<order-1@shop.example>"];
    const ids = [await sent(world, "delivered", made), await sent(world, "delivered", chosen)];
    const date = `Date: ${new Date(START_MS).toUTCString()}`;
    for (const header of [`Message-ID: ${chosen}\r\n${date}`, `Message-ID: ${made}`, `Message-ID: ${made}\r\n${date}`])
      await arrives(world, COMPLAINTS, complaintOf({ header }));
    assert.deepEqual(await outcomesOf(world, 3), ["unmatched", "unmatched", "unverified"]);
    for (const id of ids) await assertUnchanged(world, id);
    const [id = ""] = ids;
    const types = async () => (await recipientOf(world, id)).events.map(({ type }) => type);
    assert.equal((await types()).at(-1), "complaint_unverified");
    await arrives(world, COMPLAINTS, complaintOf({ header: `Message-ID: ${made}\r\n${date}` }));
    assert.equal((await outcomesOf(world, 4)).at(-1), "unverified");
    assert.deepEqual((await types()).filter((type) => type === "complaint_unverified").length, 1, "it is shown once");
  });

  describe("that a feedback loop has signed", () => {
    const made = `<${"a".repeat(24)}@${DOMAIN}>`;
    const original = [`Message-ID: ${made}`, `Date: ${new Date(START_MS).toUTCString()}`, "From: hello@shop.example"];
    const key = loopKey();

    async function signedScene(t: TestContext) {
      const world = await scene(t);
      world.zone[KEY_NAME] = { TXT: [key.record] };
      return { world, id: await sent(world, "delivered", made) };
    }

    const from = (recipient: string | null, to = COMPLAINTS, signingKey = key): Buffer =>
      signedMail(loopReport({ to, recipient, original }), { key: signingKey });

    for (const to of [COMPLAINTS, ABUSE]) {
      it(`suppresses the recipient that it names, without a tag: ${to}`, async (t) => {
        const { world, id } = await signedScene(t);
        await arrives(world, to.toUpperCase(), from(ANN.toLowerCase(), to), "fbl@bounce.mailstream.senderscore.net");
        assert.deepEqual(await outcomesOf(world), ["complained"]);
        assert.deepEqual((await recipientOf(world, id)).complaint, { atMs: START_MS, kind: "abuse" });
        assert.equal((await recipientOf(world, id, 1)).complaint, undefined);
        assert.deepEqual(await suppressed(world), [[ANN, "complaint"]]);
        assert.deepEqual(world.resolver.asked, [`TXT ${KEY_NAME}`]);
      });
    }

    it("only informs if it is forged, altered, or was sent to somebody else", async (t) => {
      const { world, id } = await signedScene(t);
      const genuine = from(ANN);
      await arrives(world, COMPLAINTS, from(ANN, COMPLAINTS, loopKey()));
      await arrives(world, COMPLAINTS, genuine.toString().replaceAll(ANN, BOB));
      await arrives(world, COMPLAINTS, from(ANN, "complaints@bounces.other.example"));
      await arrives(world, COMPLAINTS, loopReport({ to: COMPLAINTS, recipient: ANN, original }));
      assert.deepEqual(await outcomesOf(world, 4), Array(4).fill("unverified"));
      await assertUnchanged(world, id);
    });

    it("only informs of a recipient whom the report withholds, and changes nothing of one who is none of the message", async (t) => {
      const { world, id } = await signedScene(t);
      const toAnn = ["To: ann@customers.example", ...original];
      await arrives(
        world,
        COMPLAINTS,
        signedMail(loopReport({ to: COMPLAINTS, recipient: null, original: toAnn }), { key }),
      );
      await arrives(world, COMPLAINTS, from("cid@customers.example"));
      assert.deepEqual((await outcomesOf(world, 2)).toSorted(), ["unmatched", "unverified"]);
      await assertUnchanged(world, id);
      assert.deepEqual(world.resolver.asked, [], "nothing is looked up for it");
    });

    it("waits an hour for a key that cannot be looked up, and only informs then", async (t) => {
      const { world, id } = await signedScene(t);
      world.zone[KEY_NAME] = { TXT: { failure: "SERVFAIL" } };
      await arrives(world, COMPLAINTS, from(ANN));
      world.start();
      await until("the look-up", () => world.warnings.length === 1);
      assert.match(String(world.warnings[0]?.error), /senderscore\.net, cannot be looked up/);
      for (let tries = 0; world.outcomes.length === 0; tries += 1) {
        assert.ok(tries < 8, "it still waits");
        await world.clock.advance(600_000);
        await asleepFor(world, 1000);
      }
      assert.deepEqual(world.outcomes, ["unverified"]);
      await assertUnchanged(world, id);
    });

    it("has its effect as soon as the key can be looked up", async (t) => {
      const { world } = await signedScene(t);
      world.zone[KEY_NAME] = { TXT: { failure: "SERVFAIL" } };
      await arrives(world, COMPLAINTS, from(ANN));
      world.start();
      await until("the look-up", () => world.warnings.length === 1);
      world.zone[KEY_NAME] = { TXT: [key.record] };
      await asleepFor(world, 1000);
      await world.clock.advance(600_000);
      await asleepFor(world, 1000);
      await world.clock.advance(1000);
      assert.deepEqual(await outcomesOf(world), ["complained"]);
      assert.deepEqual(await suppressed(world), [[ANN, "complaint"]]);
    });
  });

  it("without a valid tag changes nothing, whomever it names", async (t) => {
    const world = await scene(t);
    const id = await sent(world);
    const foreign = returnPathAddress({ messageId: id, position: 0, domain: DOMAIN }, Buffer.alloc(32, 8));
    const moved = tagOf(id).replace(DOMAIN, "other.example");
    for (const parts of [{}, { mailFrom: foreign }, { returnPath: foreign }, { mailFrom: moved, returnPath: moved }])
      await arrives(world, COMPLAINTS, complaintOf(parts));
    assert.deepEqual(await outcomesOf(world, 4), Array(4).fill("unmatched"));
    await assertUnchanged(world, id);
  });

  it("that takes the message out of the spam folder is none", async (t) => {
    const world = await scene(t);
    const id = await sent(world);
    await arrives(world, COMPLAINTS, complaintOf({ mailFrom: tagOf(id), kind: "not-spam" }));
    assert.deepEqual(await outcomesOf(world), ["automatic"]);
    await assertUnchanged(world, id);
  });
});

describe("a report", () => {
  it("is stored of the domain whose address it came to, once, and no mail is left", async (t) => {
    const world = await scene(t);
    const dmarc = reportMessage([{ type: "application/gzip", filename: "r.xml.gz", content: gzipped(dmarcXml()) }]);
    const tls = reportMessage([{ type: "application/tlsrpt+gzip", filename: "r.gz", content: gzipped(tlsJson()) }]);
    for (const [name, content] of [
      ["dmarc-reports", dmarc],
      ["tls-reports", tls],
      ["dmarc-reports", dmarc],
    ] as const)
      await arrives(world, `${name}@bounces.${DOMAIN}`, content, "noreply@mail.example");
    assert.deepEqual(await outcomesOf(world, 3), ["report", "report", "report"]);
    const [week, ...others] = await world.spool.reportedWeeks(ACCOUNT, DOMAIN);
    assert.deepEqual([week?.dmarc.reports, week?.tls.reports, others.length], [1, 1, 0]);
  });

  it("about another domain, or in a mail without one, is not stored", async (t) => {
    const world = await scene(t);
    const other = gzipped(dmarcXml({ domain: "other.example" }));
    const content = reportMessage([{ type: "application/gzip", filename: "r.xml.gz", content: other }]);
    await arrives(world, `dmarc-reports@bounces.${DOMAIN}`, content);
    await arrives(world, `tls-reports@bounces.${DOMAIN}`, samples.outOfOffice);
    // The smaller one first.
    assert.deepEqual(await outcomesOf(world, 2), ["unknown", "unmatched"]);
    assert.deepEqual(await world.spool.reportedWeeks(ACCOUNT, DOMAIN), []);
    assert.deepEqual(world.refused, ["no_report", "other_domain"]);
    const { total, newest } = await readRefusals(world.spool, "dom_a", START_MS);
    assert.deepEqual([total, ...newest.map(({ reason }) => reason)], [2, "other_domain", "no_report"]);
  });

  const gzippedReport = (reportId: string): Buffer =>
    reportMessage([{ type: "application/gzip", filename: "r.xml.gz", content: gzipped(dmarcXml({ reportId })) }]);

  const comesFrom = ({ spool, clock }: Scene, reportId: string, ip: string): Promise<void> => {
    const mail = { recipient: `dmarc-reports@bounces.${DOMAIN}`, envelopeSender: "x@made-up.example" };
    return spool.storeIncoming({ ...mail, ip, receivedAtMs: clock.now(), content: gzippedReport(reportId) });
  };

  const storedReports = async ({ spool }: Scene): Promise<number | undefined> =>
    (await spool.reportedWeeks(ACCOUNT, DOMAIN))[0]?.dmarc.reports;

  it("of a network that has sent too many on a day is counted, and takes no place of others", async (t) => {
    const world = await scene(t);
    for (let i = 0; i < NETWORK_SHARE_MAX + 5; i += 1) await comesFrom(world, `made-up ${i}`, `203.0.113.${i}`);
    await comesFrom(world, "genuine", "198.51.100.1");
    const outcomes = await outcomesOf(world, NETWORK_SHARE_MAX + 6);
    assert.equal(outcomes.filter((outcome) => outcome === "dropped").length, 5);
    assert.equal(await storedReports(world), NETWORK_SHARE_MAX + 1);
    const { reasons } = await readRefusals(world.spool, "dom_a", START_MS);
    assert.deepEqual(reasons, [{ reason: "share_used", reports: 5 }]);
  });

  it("that comes again takes no place, and is not counted where there is none", async (t) => {
    const world = await scene(t);
    for (let i = 0; i < 3; i += 1) await comesFrom(world, "one", "203.0.113.1");
    for (let i = 1; i < NETWORK_SHARE_MAX; i += 1) await comesFrom(world, `r-${i}`, "203.0.113.1");
    const outcomes = await outcomesOf(world, NETWORK_SHARE_MAX + 2);
    assert.deepEqual([...new Set(outcomes)], ["report"]);
    assert.equal(await storedReports(world), NETWORK_SHARE_MAX);
    await comesFrom(world, "one", "203.0.113.1");
    await comesFrom(world, "new", "203.0.113.1");
    assert.deepEqual((await outcomesOf(world, NETWORK_SHARE_MAX + 4)).slice(-2).toSorted(), ["dropped", "report"]);
    assert.equal((await readRefusals(world.spool, "dom_a", START_MS)).total, 1);
  });

  it("of a receiver that has reported before is stored, however many new networks make up", async (t) => {
    const world = await scene(t);
    await comesFrom(world, "of the day before", "198.51.100.1");
    await outcomesOf(world);
    await world.clock.advance(DAY_MS);
    // As ten networks with all their places would leave it.
    const networks = Array.from({ length: SHARED_PLACES / NETWORK_SHARE_MAX }, (_, i) => `203.${i}.113`);
    const shared = Object.fromEntries(networks.map((network) => [network, NETWORK_SHARE_MAX]));
    const name = "report-places dmarc dom_a";
    const entry = JSON.parse((await world.spool.readValue(name)) ?? assert.fail("it has no entry"));
    const day = Math.floor(world.clock.now() / DAY_MS);
    await world.spool.writeValue(name, JSON.stringify({ ...entry, day, shared, reserved: {} }));
    await comesFrom(world, "made-up", "203.0.114.1");
    await comesFrom(world, "genuine", "198.51.7.9");
    assert.deepEqual((await outcomesOf(world, 3)).slice(1).toSorted(), ["dropped", "report"]);
    assert.equal(await storedReports(world), 2);
    assert.deepEqual(world.refused, ["day_full"]);
  });
});

describe("mail for postmaster and abuse", () => {
  const letter = samples.plain(["From: ben@other.example", "Subject: Hello"], "Stop it.");

  it("is forwarded", async (t) => {
    const world = await scene(t);
    for (const name of ["postmaster", "abuse"]) {
      await arrives(world, `${name}@bounces.${DOMAIN}`, letter, "ben@other.example");
    }
    assert.deepEqual(await outcomesOf(world, 2), ["forwarded", "forwarded"]);
    assert.deepEqual(
      world.forwarded.map(({ recipient, domain }) => [recipient, domain]),
      ["postmaster", "abuse"].map((name) => [`${name}@bounces.${DOMAIN}`, DOMAIN]),
    );
    world.forwarding.result = "automatic";
    await arrives(world, ABUSE, letter);
    assert.equal((await outcomesOf(world, 3)).at(-1), "automatic");
  });

  it("is a complaint if it is one with a valid tag, and is forwarded otherwise", async (t) => {
    const world = await scene(t);
    const id = await sent(world);
    await arrives(world, ABUSE, complaintOf({ mailFrom: "b-forged@bounces.shop.example" }), "x@provider.example");
    assert.deepEqual(await outcomesOf(world), ["forwarded"]);
    await assertUnchanged(world, id);
    await arrives(world, ABUSE, complaintOf({ mailFrom: tagOf(id) }), "x@provider.example");
    assert.deepEqual(await outcomesOf(world, 2), ["forwarded", "complained"]);
    assert.deepEqual(await suppressed(world), [[ANN, "complaint"]]);
    assert.equal(world.forwarded.length, 1);
  });

  it("is forwarded under the same id if the store fails in between, so that it is sent once", async (t) => {
    const world = await scene(t);
    await arrives(world, ABUSE, letter, "ben@other.example");
    world.faults.apply = world.faults.postpone = new SpoolUnavailable("disk full");
    world.start();
    await asleepFor(world, 5000);
    world.faults.apply = world.faults.postpone = null;
    await world.clock.advance(5000);
    assert.deepEqual(await outcomesOf(world), ["forwarded"]);
    assert.equal(world.forwarded.length, 2);
    assert.equal(world.forwarded[0]?.id, world.forwarded[1]?.id);
  });
});

describe("a mail that cannot be read within the limits", () => {
  it("is set aside and reported, and none after it is held up", async (t) => {
    const world = await scene(t);
    const id = await sent(world);
    world.faults.read = new ReadingFailed("not read within 10 s");
    for (const recipient of [tagOf(id), COMPLAINTS, `tls-reports@bounces.${DOMAIN}`, ABUSE])
      await arrives(world, recipient, bounceOf(NO_USER));
    assert.deepEqual(await outcomesOf(world, 4), Array(4).fill("set_aside"));
    assert.equal(world.warnings[0]?.because, "not read within 10 s");
    assert.deepEqual(world.refused, ["too_slow"]);
    await assertUnchanged(world, id);
    world.faults.read = null;
    await arrives(world, tagOf(id), bounceOf(NO_USER));
    assert.equal((await outcomesOf(world, 5)).at(-1), "bounced");
    assert.equal((await world.spool.setAsideMails()).length, 4);
  });

  const long = (id: string) => ({ recipient: tagOf(id), content: Buffer.alloc(NOTED_OCTETS_MIN, "x") });

  it("is set aside at the third start if the process has died in it twice", async (t) => {
    const world = await scene(t);
    const { recipient, content } = long(await sent(world));
    world.gate.opened = new Promise(() => {});
    await arrives(world, recipient, content);
    for (const starts of [1, 2]) {
      // As a process that dies: it is never stopped, and reads no more.
      world.startDying();
      await until("the mail is read", () => world.gate.entered === starts);
    }
    world.gate.opened = Promise.resolve();
    assert.deepEqual(await outcomesOf(world), ["set_aside"]);
    assert.equal(world.gate.entered, 2);
    assert.match(String(world.warnings[0]?.because), /ended the process twice/);
  });

  it("is read again as often as the store fails: only a reading that does not end counts", async (t) => {
    const world = await scene(t);
    const { recipient, content } = long(await sent(world));
    world.faults.apply = new SpoolUnavailable("disk full");
    await arrives(world, recipient, content);
    for (let i = 1; i <= 4; i += 1) {
      const stop = world.start();
      await until("the mail is read", () => world.gate.entered === i);
      await asleepFor(world, 1000);
      await stop();
      await world.clock.advance(5000);
    }
    world.faults.apply = null;
    world.start();
    assert.deepEqual(await outcomesOf(world), ["unknown"]);
  });
});

describe("a store that is not available", () => {
  it("delays the mail, and loses none, wherever it is needed", async (t) => {
    const world = await scene(t);
    const faults = ["next", "apply", "recipients", "forward"] as const;
    for (const [i, fault] of faults.entries()) {
      const id = await sent(world);
      world.faults[fault] = world.faults.postpone = new SpoolUnavailable("disk full");
      await arrives(world, fault === "forward" ? ABUSE : tagOf(id), bounceOf({ recipient: ANN, status: "5.7.1" }));
      if (i === 0) world.start();
      for (let attempt = 0; attempt < 3; attempt += 1) {
        await asleepFor(world, 5000);
        await world.clock.advance(5000);
      }
      await asleepFor(world, 5000);
      assert.equal(world.outcomes.length, i, fault);
      await assertUnheard(world, id);
      world.faults[fault] = world.faults.postpone = null;
      await world.clock.advance(5000);
      assert.equal((await outcomesOf(world, i + 1)).at(-1), fault === "forward" ? "forwarded" : "bounced", fault);
      await asleepFor(world, 1000);
    }
  });
});

describe("another error", () => {
  it("postpones the mail for ten minutes, and others pass it", async (t) => {
    const world = await scene(t);
    const [first, second] = [await sent(world), await sent(world)];
    world.faults.apply = new Error("damaged");
    await arrives(world, tagOf(first), bounceOf(NO_USER));
    world.start();
    await asleepFor(world, 1000);
    assert.deepEqual(
      world.warnings.map(({ error, isGivenUp }) => [error, isGivenUp]),
      [["damaged", false]],
    );
    world.faults.apply = null;
    await arrives(world, tagOf(second), bounceOf(NO_USER));
    await until("the second", () => world.outcomes.length === 1);
    assert.notEqual((await recipientOf(world, second)).bounce, undefined);
    assert.equal((await recipientOf(world, first)).bounce, undefined);
    await asleepFor(world, 1000);
    world.clock.step(600_000);
    await world.clock.advance(1000);
    assert.deepEqual(await outcomesOf(world, 2), ["bounced", "bounced"]);
    assert.notEqual((await recipientOf(world, first)).bounce, undefined);
  });

  it("has the mail deleted after five days", async (t) => {
    const world = await scene(t);
    const id = await sent(world);
    world.faults.read = new Error("damaged");
    await arrives(world, tagOf(id), bounceOf(NO_USER));
    world.clock.step(5 * DAY_MS - 1);
    world.start();
    await asleepFor(world, 1000);
    assert.deepEqual(world.outcomes, []);
    world.clock.step(600_000);
    await world.clock.advance(1000);
    assert.deepEqual(await outcomesOf(world), ["unreadable"]);
    assert.deepEqual(
      world.warnings.map(({ isGivenUp }) => isGivenUp),
      [false, true],
    );
    await assertUnchanged(world, id);
  });

  it("on the way to the mail, or while it is postponed, does not end the task", async (t) => {
    const world = await scene(t);
    const id = await sent(world);
    await arrives(world, tagOf(id), bounceOf(NO_USER));
    world.faults.next = new Error("damaged");
    world.start();
    await asleepFor(world, 5000);
    assert.deepEqual(world.warnings, [{ error: "damaged" }]);
    Object.assign(world.faults, { next: null, read: new Error("damaged"), postpone: new Error("damaged too") });
    await world.clock.advance(5000);
    await asleepFor(world, 5000);
    Object.assign(world.faults, { read: null, postpone: null });
    await world.clock.advance(5000);
    assert.deepEqual(await outcomesOf(world), ["bounced"]);
  });
});

describe("the task", () => {
  it("takes mail that this process stores at once, and that of another process within a second", async (t) => {
    const world = await scene(t);
    const id = await sent(world);
    world.start();
    await asleepFor(world, 1000);
    await arrives(world, tagOf(id), bounceOf(NO_USER));
    await until("the first", () => world.outcomes.length === 1);
    assert.equal(world.clock.now(), START_MS);
    await asleepFor(world, 1000);
    world.spool.onIncoming(() => {});
    await arrives(world, tagOf(id, 1), bounceOf({ ...NO_USER, recipient: BOB }));
    assert.equal(world.outcomes.length, 1);
    await world.clock.advance(1000);
    assert.deepEqual(await outcomesOf(world, 2), ["bounced", "bounced"]);
  });

  it("stops after the mail under way, and leaves the rest to the next start", async (t) => {
    const world = await scene(t);
    const [first, second] = [await sent(world), await sent(world)];
    let open = (): void => {};
    world.gate.opened = new Promise((resolve) => {
      open = resolve;
    });
    for (const id of [first, second]) await arrives(world, tagOf(id), bounceOf(NO_USER));
    const stop = world.start();
    await until("the first is read", () => world.gate.entered === 1);
    let isStopped = false;
    const stopped = stop().then(() => {
      isStopped = true;
    });
    await new Promise((resolve) => setImmediate(resolve));
    assert.equal(isStopped, false);
    open();
    await stopped;
    assert.deepEqual(world.outcomes, ["bounced"]);
    assert.equal((await nextIncoming(world.spool, START_MS))?.recipient, tagOf(second));
    world.start();
    assert.deepEqual(await outcomesOf(world, 2), ["bounced", "bounced"]);
    assert.notEqual((await recipientOf(world, second)).bounce, undefined);
  });

  it("stops at once while it waits, also for the store", async (t) => {
    const world = await scene(t);
    const stop = world.start();
    await asleepFor(world, 1000);
    await stop();
    world.faults.next = new SpoolUnavailable("disk full");
    const again = world.start();
    await asleepFor(world, 5000);
    await again();
    assert.deepEqual(world.clock.dueMs, []);
  });
});
