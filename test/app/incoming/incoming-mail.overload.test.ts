/** The task that reads mail that came back: in what order, and what keeps one mail from holding up the others. */
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { type IncomingMailParts, startIncomingMail } from "../../../src/app/incoming/incoming-mail.ts";
import { incomingRecipients } from "../../../src/app/incoming/incoming-recipients.ts";
import { silentLog } from "../../../src/lib/log.ts";
import { SpoolUnavailable } from "../../../src/spool/port/errors.ts";
import type { IncomingMail } from "../../../src/spool/port/incoming.ts";
import { fakeClock } from "../../support/fake-clock.ts";
import { DOMAIN, envelopeSender, FEEDBACK_KEY } from "../../support/fake-inbound.ts";

const ABUSE = `abuse@bounces.${DOMAIN}`;

const mailOf = (id: string, ip: string, recipient = envelopeSender()): IncomingMail => ({
  id,
  ip,
  recipient,
  envelopeSender: "ben@other.example",
  receivedAtMs: 0,
  content: Buffer.from("Subject: x\r\n\r\n"),
});

interface Scene {
  mails: IncomingMail[];
  /** How long a mail of an address is read. */
  readingMs?: Record<string, number>;
  forward?: IncomingMailParts["forward"]["forward"];
  /** Errors of the first calls of incomingQueue. */
  errors?: Error[];
  accountOf?: (domain: string) => string;
}

function start(
  t: TestContext,
  { mails, readingMs = {}, forward = async () => "forwarded", errors = [], accountOf = () => "acc_1" }: Scene,
) {
  const clock = fakeClock();
  let readMs = 0;
  let current = "";
  const due = new Map(mails.map((mail) => [mail, 0]));
  const applied: string[] = [];
  const spool = {
    onIncoming: () => {},
    readValue: async () => null,
    writeValue: async () => {},
    trimSetAside: async () => {},
    async incomingQueue(nowMs: number) {
      const error = errors.shift();
      if (error !== undefined) throw error;
      return [...due]
        .filter(([, dueMs]) => dueMs <= nowMs)
        .toSorted((a, b) => a[1] - b[1])
        .map(([mail]) => ({ ...mail, octets: mail.content.length }));
    },
    async incomingMail(id: string) {
      const found = [...due.keys()].find((mail) => mail.id === id) ?? null;
      current = found?.ip ?? "";
      return found;
    },
    async postponeIncoming(id: string, dueMs: number) {
      for (const mail of due.keys()) if (mail.id === id) due.set(mail, dueMs);
    },
    async applyIncoming({ id }: { id: string }) {
      for (const mail of due.keys()) if (mail.id === id) due.delete(mail);
      applied.push(id);
      return "applied" as const;
    },
  };
  const domains = { returnPathOwner: async (name: string) => ({ accountId: accountOf(name), domainId: "dom_1" }) };
  const stop = startIncomingMail({
    spool: spool as unknown as IncomingMailParts["spool"],
    key: FEEDBACK_KEY,
    log: silentLog,
    count: () => {},
    recipients: incomingRecipients({ key: FEEDBACK_KEY, domains }),
    reader: {
      async feedback() {
        readMs += readingMs[current] ?? 0;
        return { type: "ignored", because: "not_understood" };
      },
      report: async () => ({ type: "unread", reason: "no_report" }),
      canRead: () => true,
      isSignedByLoop: async () => false,
    },
    resolver: { txt: async () => ({ type: "nxdomain" }) },
    forward: { forward },
    places: { find: async () => ({ type: "none", because: "day_full" }) },
    intake: { refuse: async () => {} },
    countRefused: () => {},
    countComplaint: () => {},
    sendingIps: () => [],
    clock: { ...clock, monotonicMs: () => clock.monotonicMs() + readMs },
  });
  t.after(stop);
  return { clock, applied };
}

test("mail of a network that takes long to read waits, so that it does not keep the others waiting", async (t) => {
  const slow = ["a1", "a2", "a3", "a4"].map((id) => mailOf(id, "192.0.2.1"));
  const { clock, applied } = start(t, {
    mails: [...slow, mailOf("b1", "198.51.100.1")],
    readingMs: { "192.0.2.1": 20_000 },
  });
  await clock.advance(5000);
  assert.deepEqual(applied, ["a1", "a2", "b1"]);
  await clock.advance(60_000);
  assert.deepEqual(applied, ["a1", "a2", "b1", "a3"]);
});

test("a mail that cannot be forwarded now does not keep the others waiting", async (t) => {
  let rejections = 2;
  const { clock, applied } = start(t, {
    mails: [mailOf("a1", "192.0.2.1", ABUSE), mailOf("b1", "198.51.100.1")],
    async forward() {
      rejections -= 1;
      if (rejections >= 0) throw new SpoolUnavailable("the service accepts nothing");
      return "forwarded";
    },
  });
  await clock.advance(1000);
  assert.deepEqual(applied, ["b1"]);
  await clock.advance(11_000);
  assert.deepEqual(applied, ["b1", "a1"]);
});

test("goes on after any failure of the store", async (t) => {
  const errors = [new Error("invalid page"), new SpoolUnavailable("down")];
  const { clock, applied } = start(t, { mails: [mailOf("a1", "192.0.2.1")], errors });
  await clock.advance(4000);
  assert.deepEqual(applied, []);
  await clock.advance(7000);
  assert.deepEqual(applied, ["a1"]);
});

test("accounts take turns, so that the many mails of one do not keep another waiting", async (t) => {
  const flood = Array.from({ length: 8 }, (_, i) =>
    mailOf(`a${i}`, `192.0.${i}.1`, `complaints@bounces.d${i % 2}.example`),
  );
  const { applied, clock } = start(t, {
    mails: [...flood, mailOf("b1", "198.51.100.1", "complaints@bounces.other.example")],
    accountOf: (domain) => (domain === "other.example" ? "acc_other" : "acc_flood"),
  });
  await clock.advance(1000);
  assert.equal(applied.length, 9);
  assert.ok(applied.indexOf("b1") <= 1, `read as number ${applied.indexOf("b1") + 1}`);
});
