/** Mail for postmaster and abuse: who receives it, once, with the original, and what is never forwarded. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import PostalMime from "postal-mime";
import { type ForwardableMail, ForwardToUsers } from "../../../src/app/incoming/forward-to-users.ts";
import { ReadingFailed } from "../../../src/app/incoming/incoming-reader.ts";
import type { AcceptRequest, AcceptResult, RejectionCode } from "../../../src/app/send/accept-message.ts";
import { forwardedOriginal } from "../../../src/message/compose/forwarded.ts";
import { SpoolUnavailable } from "../../../src/spool/port/errors.ts";
import type { Role } from "../../../src/spool/port/memberships.ts";
import type { User } from "../../../src/spool/port/people.ts";
import { fakeClock } from "../../support/fake-clock.ts";

const TO = { accountId: "acc_1", domain: "shop.example" };
const ORIGINAL = "From: ben@other.example\r\nSubject: Your host =?utf-8?Q?=C3=A4rgert?=\r\n\r\nStop it.\r\n";

const user = (id: string, email: string, roles: Record<string, Role>): User => {
  const memberships = Object.entries(roles).map(([accountId, role]) => ({ accountId, role }));
  return { id, email, memberships } as unknown as User;
};

const MAIL: ForwardableMail = {
  id: "inc_1",
  recipient: "abuse@bounces.shop.example",
  envelopeSender: "ben@other.example",
  ip: "192.0.2.1",
  receivedAtMs: Date.parse("2026-11-02T10:00:00Z"),
  content: Buffer.from(ORIGINAL),
};

function scene() {
  const clock = fakeClock(MAIL.receivedAtMs);
  const sent: AcceptRequest[] = [];
  const logged: { fields: Record<string, unknown>; message: string }[] = [];
  const state: { rejection: RejectionCode | "spool" | "reader" | null } = { rejection: null };
  const uses = new Map<string, string>();
  async function accept(request: AcceptRequest): Promise<AcceptResult> {
    if (state.rejection === "spool") throw new SpoolUnavailable("down");
    if (state.rejection !== null && state.rejection !== "reader")
      return { type: "rejected", code: state.rejection, detail: "It is rejected." };
    const key = request.idempotencyKey ?? assert.fail("it has no key");
    const hash = request.draft.payloadHash();
    assert.equal(uses.get(key) ?? hash, hash, "the same key for another payload");
    if (uses.has(key)) return { type: "replayed", id: "msg_1" };
    uses.set(key, hash);
    sent.push(request);
    return { type: "accepted", id: "msg_1" };
  }
  const users = ["ann@customers.example", "no address", "cid@customers.example"].map((email, i) =>
    user(`usr_${i}`, email, { acc_1: "owner", acc_2: "owner" }),
  );
  users.push(user("usr_9", "dan@customers.example", { acc_other: "owner", acc_1: "developer" }));
  const note = (fields: Record<string, unknown>, message: string): void => void logged.push({ fields, message });
  const read: Buffer[] = [];
  const reader = {
    async original(content: Buffer) {
      read.push(content);
      if (state.rejection === "reader") throw new ReadingFailed("not read within 10 s");
      return forwardedOriginal(content);
    },
  };
  const forwarding = new ForwardToUsers({
    clock,
    reader,
    acceptMessage: { accept },
    people: { users: async (accountId) => (accountId === "acc_1" ? users : []) },
    log: { warn: note, info: note } as never,
  });
  const forward = (mail: Partial<ForwardableMail> = {}, to = TO) => forwarding.forward({ ...MAIL, ...mail }, to);
  return { clock, sent, logged, state, read, forward };
}

const withField = (field: string): Buffer => Buffer.from(`${field}\r\n${ORIGINAL}`);

describe("a forwarded message", () => {
  it("has what the reader makes of the original, once; what is not forwarded is not read", async () => {
    const { sent, read, state, forward } = scene();
    await forward({ content: withField("Auto-Submitted: auto-replied") });
    assert.deepEqual(read, []);
    await forward();
    assert.deepEqual(read, [MAIL.content]);
    state.rejection = "reader";
    await assert.rejects(forward({ id: "inc_2" }), ReadingFailed);
    assert.equal(sent.length, 1);
  });

  it("is one message to the owners of the account, from its domain, with the original attached", async () => {
    const { sent, logged, forward } = scene();
    assert.equal(await forward(), "forwarded");
    assert.deepEqual(
      sent.map(({ accountId, keyId, isRated, isTest, idempotencyKey }) => [
        accountId,
        keyId,
        isRated,
        isTest,
        idempotencyKey,
      ]),
      [["acc_1", "forward", false, false, "incoming inc_1"]],
    );
    const parsed = await PostalMime.parse(sent[0]?.draft.content().bytes ?? "", { forceRfc822Attachments: true });
    assert.deepEqual(
      [parsed.from?.address, ...(parsed.to ?? []).map(({ address }) => address)],
      ["postrider@shop.example", "ann@customers.example", "cid@customers.example"],
    );
    assert.equal(parsed.subject, "Fwd: Your host ärgert");
    assert.match(
      parsed.text ?? "",
      /^A message to abuse@bounces\.shop\.example arrived at 2026-11-02T10:00:00\.000Z from ben@other\.example \(192\.0\.2\.1\)\. It is attached\./,
    );
    assert.equal(parsed.headers.find(({ key }) => key === "auto-submitted")?.value, "auto-generated");
    const [attachment] = parsed.attachments;
    assert.equal(attachment?.mimeType, "message/rfc822");
    assert.ok(sent[0]?.draft.content().bytes.includes(`\r\n\r\n${ORIGINAL}`), "octet for octet");
    assert.deepEqual(logged, []);
  });

  it("is sent once, however often it is forwarded", async () => {
    const { clock, sent, forward } = scene();
    await forward();
    await clock.advance(60_000);
    assert.equal(await forward(), "forwarded");
    assert.equal(sent.length, 1);
    await forward({ id: "inc_2" });
    assert.equal(sent.length, 2);
  });

  it("is left to a later call while the spool or the service is not available", async () => {
    const { sent, state, forward } = scene();
    for (const rejection of ["spool", "engine_unavailable"] as const) {
      state.rejection = rejection;
      await assert.rejects(forward(), SpoolUnavailable);
    }
    state.rejection = null;
    assert.equal(await forward(), "forwarded");
    assert.equal(sent.length, 1);
  });

  it("that cannot be sent is logged, and is no reason to try again", async () => {
    const { sent, state, logged, forward } = scene();
    for (const rejection of ["domain_not_verified", "body_too_large", "quota_exceeded"] as const) {
      state.rejection = rejection;
      assert.equal(await forward(), "forwarded");
    }
    assert.equal(logged.filter(({ fields }) => fields.fault === "It is rejected.").length, 3);
    assert.deepEqual(sent, []);
  });
});

describe("mail of programs", () => {
  it("is never forwarded", async () => {
    const { sent, forward } = scene();
    assert.equal(await forward({ envelopeSender: "" }), "automatic");
    for (const value of ["auto-replied", "auto-generated", "Auto-Notified; x=y"]) {
      assert.equal(await forward({ content: withField(`Auto-Submitted: ${value}`) }), "automatic", value);
    }
    assert.deepEqual(sent, []);
  });

  it("includes what was forwarded", async () => {
    const { sent, forward } = scene();
    await forward();
    const [first] = sent;
    assert.equal(await forward({ id: "inc_2", content: first?.draft.content().bytes ?? Buffer.alloc(0) }), "automatic");
  });

  it("is not what says that a person has sent it", async () => {
    const { forward } = scene();
    assert.equal(await forward({ content: withField("Auto-Submitted: no") }), "forwarded");
  });
});

describe("more than 20 within an hour", () => {
  it("are dropped for that account, with a line in the log", async () => {
    const { clock, logged, forward } = scene();
    const results: string[] = [];
    for (let i = 0; i < 22; i += 1) results.push(await forward({ id: `inc_${i}` }));
    assert.deepEqual(results, [...Array(20).fill("forwarded"), "too_many", "too_many"]);
    assert.equal(logged.filter(({ message }) => /too many/.test(message)).length, 2);
    assert.equal(await forward({ id: "inc_x" }, { accountId: "acc_2", domain: "other.example" }), "forwarded");
    await clock.advance(3 * 60_000);
    assert.equal(await forward({ id: "inc_30" }), "forwarded");
    assert.equal(await forward({ id: "inc_31" }), "too_many");
  });

  it("are dropped for that account if they have too many octets within a day", async () => {
    const { clock, sent, forward } = scene();
    const content = Buffer.concat([Buffer.from(ORIGINAL), Buffer.alloc(1024 * 1024, "x\r\n")]);
    const results: string[] = [];
    for (let i = 0; i < 12; i += 1) {
      results.push(await forward({ id: `inc_${i}`, content }));
      await clock.advance(5 * 60_000);
    }
    assert.equal(results.filter((result) => result === "forwarded").length, 11);
    assert.equal(sent.length, 11);
    await clock.advance(3 * 3_600_000);
    assert.equal(await forward({ id: "inc_x", content }), "forwarded");
  });

  it("do not include those that could not be stored", async () => {
    const { state, forward } = scene();
    state.rejection = "spool";
    for (let i = 0; i < 30; i += 1) await assert.rejects(forward());
    state.rejection = null;
    assert.equal(await forward(), "forwarded");
  });
});
