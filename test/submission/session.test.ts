/** The commands of a session: who may do what, the order of rejections, and what reaches the use case. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { SmtpRejection } from "../../src/smtp-server/rejection.ts";
import { SubmissionSession, type Submitted } from "../../src/submission/session.ts";
import { Content, contentOf } from "../smtp-server/content.ts";
import { ADDRESS, API_KEY, ATTEMPTS_MAX, KEY, type Stage, stage, TEST_KEY } from "./stage.ts";

const TO = "you@customers.example";
const MESSAGE = `From: hello@shop.example\r\nMessage-ID: <1@shop.example>\r\nSubject: x\r\n\r\nHi\r\n`;

const newSession = ({ parts }: Stage): SubmissionSession => new SubmissionSession(parts, ADDRESS);

async function authenticated(set: Stage, key = KEY): Promise<SubmissionSession> {
  const session = newSession(set);
  await session.authenticate(key);
  return session;
}

/** The reply that is thrown, with its code. */
function replyOf(run: () => void): string {
  try {
    run();
  } catch (error) {
    assert.ok(error instanceof SmtpRejection, String(error));
    return `${error.responseCode} ${error.message}`;
  }
  return "none";
}

const rejection = (pending: Promise<unknown>): Promise<string> =>
  pending.then(
    () => "none",
    (error) =>
      replyOf(() => {
        throw error;
      }),
  );

function send(session: SubmissionSession, content: string | Content = MESSAGE): Promise<Submitted | null> {
  return session.data((typeof content === "string" ? contentOf(content) : content).stream, {
    announcedOctets: null,
    gone: new AbortController().signal,
    cutOff: () => assert.fail("it is cut off"),
  });
}

describe("authentication", () => {
  it("is by an active key, which is recorded as used", async () => {
    const set = stage();
    const session = newSession(set);
    assert.equal(session.key, null);
    await session.authenticate(KEY);
    assert.equal(session.key, API_KEY);
    assert.deepEqual(set.touched, ["key_1"]);
  });

  it("fails with 535 for a key without the permission to send, which is named and does not count as an attempt", async () => {
    const set = stage();
    set.state.key = { ...API_KEY, permissions: ["read"] };
    for (let i = 0; i <= ATTEMPTS_MAX; i += 1) {
      const session = newSession(set);
      assert.match(
        await rejection(session.authenticate(KEY)),
        /^535 5\.7\.8 .*lacks the permission send: it has only read/,
      );
      assert.deepEqual([session.key, session.sentKey?.id], [null, "key_1"]);
      assert.match(
        replyOf(() => session.mail(null)),
        /^530/,
      );
      session.end();
    }
    assert.deepEqual(set.touched, []);
  });

  it("fails with 535 for a password that is no key, and for one that is not active", async () => {
    const set = stage();
    const session = newSession(set);
    assert.match(await rejection(session.authenticate("secret")), /^535 5\.7\.8 /);
    assert.match(await rejection(session.authenticate("")), /^535 5\.7\.8 /);
    set.state.key = null;
    assert.match(await rejection(session.authenticate(KEY)), /^535 5\.7\.8 /);
    assert.equal(session.key, null);
    assert.deepEqual(set.touched, []);
  });

  it("is limited for each address: further attempts get 421, and a valid key does not", async () => {
    const set = stage();
    const session = newSession(set);
    for (let i = 0; i < ATTEMPTS_MAX; i += 1) assert.match(await rejection(session.authenticate("x")), /^535 /);
    assert.match(await rejection(session.authenticate("x")), /^421 4\.7\.0 /);
    assert.match(await rejection(newSession(set).authenticate("x")), /^421 4\.7\.0 /);
    assert.match(await rejection(new SubmissionSession(set.parts, "192.0.2.2").authenticate("x")), /^535 /);
    await newSession(set).authenticate(KEY);
  });

  it("counts a session that ends without a valid key, and no other", async () => {
    const set = stage();
    for (let i = 0; i < 3 * ATTEMPTS_MAX; i += 1) (await authenticated(set)).end();
    assert.match(await rejection(newSession(set).authenticate("x")), /^535 /);
    for (let i = 1; i < ATTEMPTS_MAX; i += 1) newSession(set).end();
    assert.match(await rejection(newSession(set).authenticate("x")), /^421 4\.7\.0 /);
  });

  it("is necessary for every command of a message", async () => {
    const session = newSession(stage());
    const replies = [
      replyOf(() => session.mail(null)),
      replyOf(() => session.recipient(TO)),
      await rejection(send(session)),
    ];
    for (const reply of replies) assert.match(reply, /^530 5\.7\.0 /);
  });
});

describe("MAIL", () => {
  it("is rejected while more arrives than can be stored", async () => {
    const set = stage();
    const session = await authenticated(set);
    set.state.isOverloaded = true;
    assert.match(
      replyOf(() => session.mail(1000)),
      /^451 4\.3\.0 /,
    );
    set.state.isOverloaded = false;
    assert.equal(
      replyOf(() => session.mail(1000)),
      "none",
    );
  });

  it("is rejected for what the use case knows before the content, unless the message is short", async () => {
    const set = stage();
    const session = await authenticated(set);
    set.state.rejection = { type: "rejected", code: "rate_limit_exceeded", detail: "Too many.", retryAfterS: 3 };
    const expected = "451 4.7.1 Too many. Try again in 3 s.";
    assert.equal(
      replyOf(() => session.mail(null)),
      expected,
    );
    assert.equal(
      replyOf(() => session.mail(64 * 1024 + 1)),
      expected,
    );
    // A repeated message must get its id: the use case decides about it.
    assert.equal(
      replyOf(() => session.mail(64 * 1024)),
      "none",
    );
  });

  it("is rejected while memory is low for long messages, and while it is exhausted for all", async () => {
    const set = stage();
    const session = await authenticated(set);
    set.state.isLow = true;
    assert.match(
      replyOf(() => session.mail(null)),
      /^452 4\.3\.1 /,
    );
    assert.match(
      replyOf(() => session.mail(65 * 1024)),
      /^452 4\.3\.1 /,
    );
    assert.equal(
      replyOf(() => session.mail(1000)),
      "none",
    );
    set.state.isExhausted = true;
    assert.match(
      replyOf(() => session.mail(1000)),
      /^452 4\.3\.1 /,
    );
  });
});

describe("RCPT", () => {
  it("takes addresses of any domain, each once, as delivery compares them", async () => {
    const set = stage({ recipientsMax: 4, messageBytesMax: 1000 });
    const session = await authenticated(set);
    session.mail(null);
    const written = [TO, "you@CUSTOMERS.example", "You@customers.example", '"a b"@x.invalid', "ü@bücher.example", TO];
    for (const address of written) session.recipient(address);
    await send(session);
    const [request] = set.accepted;
    assert.deepEqual(
      request?.draft.summary.bcc?.map(({ address }) => address),
      [TO, "You@customers.example", '"a b"@x.invalid', "ü@bücher.example"],
    );
  });

  it("rejects more than the limit, and those before it stand", async () => {
    const set = stage({ recipientsMax: 2, messageBytesMax: 1000 });
    const session = await authenticated(set);
    session.mail(null);
    for (const name of ["a", "b"]) session.recipient(`${name}@customers.example`);
    assert.equal(
      replyOf(() => session.recipient("c@customers.example")),
      "452 4.5.3 A message may have at most 2 recipients: send it to the others as another message",
    );
    assert.equal(
      replyOf(() => session.recipient("a@customers.example")),
      "none",
      "it is one of the two",
    );
    await send(session);
    assert.equal(set.accepted[0]?.draft.summary.bcc?.length, 2);
  });

  it("rejects what is no address, or has a name", async () => {
    const session = await authenticated(stage());
    session.mail(null);
    for (const address of [
      "",
      "you",
      ".a@x.example",
      "a@b@c.example",
      "a@[192.0.2.1]",
      "You <you@x.example>",
      "a@x.example, b@x.example",
    ]) {
      assert.match(
        replyOf(() => session.recipient(address)),
        /^553 5\.1\.3 \S/,
        address,
      );
    }
  });

  it("begins anew with each MAIL", async () => {
    const set = stage();
    const session = await authenticated(set);
    for (const name of ["first", "second"]) {
      session.mail(null);
      session.recipient(`${name}@customers.example`);
    }
    await send(session);
    assert.deepEqual(
      set.accepted[0]?.draft.summary.bcc?.map(({ local }) => local),
      ["second"],
    );
  });
});

describe("the message", () => {
  async function begun(set: Stage, key = KEY): Promise<SubmissionSession> {
    const session = await authenticated(set, key);
    session.mail(null);
    session.recipient(TO);
    return session;
  }

  it("reaches the use case with its account, key and idempotency key", async () => {
    const set = stage();
    set.state.key = { ...API_KEY, test: true };
    const session = await begun(set, TEST_KEY);
    const submitted = await send(session);
    const [request] = set.accepted;
    assert.ok(request !== undefined);
    const { requestId, clientKey } = request;
    assert.deepEqual(submitted, { requestId, messageId: "msg_1", isReplay: false });
    assert.deepEqual([requestId?.slice(0, 4), clientKey], ["req_", null], "a derived key is not the client's");
    const { accountId, keyId, isTest, isRated, receivedAtMs, idempotencyKey, draft } = request;
    assert.deepEqual([accountId, keyId, isTest, isRated], ["acc_1", "key_1", true, true]);
    assert.equal(receivedAtMs, set.clock.now());
    assert.ok(idempotencyKey?.startsWith("\u0001submission "), String(idempotencyKey));
    assert.equal(draft.messageId, "<1@shop.example>");
  });

  it("is accepted with the access that the key has now", async () => {
    const set = stage();
    const session = await begun(set);
    set.state.key = { ...API_KEY, domains: ["other.example"] };
    await send(session);
    assert.deepEqual(set.accepted[0]?.access.domains, ["other.example"]);
    // A revoked key: the commit notices it.
    set.state.key = null;
    session.mail(null);
    session.recipient(TO);
    await send(session);
    assert.equal(set.accepted[1]?.keyId, "key_1");
  });

  it("is a replay with the id of the first", async () => {
    const set = stage();
    set.state.result = { type: "replayed", id: "msg_0" };
    const { requestId: _, ...submitted } = (await send(await begun(set))) ?? assert.fail();
    assert.deepEqual(submitted, { messageId: "msg_0", isReplay: true });
  });

  it("is rejected as the use case decides, and for its form before that", async () => {
    const set = stage();
    const session = await begun(set);
    set.state.result = { type: "rejected", code: "sender_not_allowed", detail: "No." };
    assert.equal(await rejection(send(session)), "550 5.7.1 No.");
    set.state.result = { type: "rejected", code: "invalid_api_key", detail: "Revoked." };
    assert.equal(await rejection(send(session)), "535 5.7.8 Revoked.");
    const reached = set.accepted.length;
    assert.match(await rejection(send(session, "Subject: x\r\n\r\n")), /^550 5\.6\.0 The message has no From field/);
    assert.match(await rejection(send(session, "From: a@b.example\n\r\n")), /^550 5\.6\.0 Line 1 has an LF/);
    assert.equal(set.accepted.length, reached);
  });

  it("has a reply in ASCII of at most 512 octets, whatever it repeats", async () => {
    const session = await begun(stage());
    const contents = [
      `Föld: x\r\n${MESSAGE}`,
      `${"x".repeat(900)}\r\n${MESSAGE}`,
      `${`X-Postrider-Tag: ${"t".repeat(900)}\r\n`.repeat(100)}${MESSAGE}`,
      `X-Postrider-${"n".repeat(900)}: 1\r\n${MESSAGE}`,
    ];
    for (const content of contents) {
      const reply = await rejection(send(session, content));
      assert.match(reply, /^550 5\.6\.0 [ -~]+$/);
      assert.ok(reply.length + 2 <= 512, reply);
    }
  });

  it("releases its memory, whatever becomes of it", async () => {
    const set = stage();
    const session = await begun(set);
    const outcomes = async (): Promise<void> => {
      set.state.result = { type: "accepted", id: "msg_1" };
      await send(session);
      set.state.result = new Error("broken");
      await assert.rejects(send(session), /broken/);
      await rejection(send(session, "a\nb"));
    };
    // Without releases, an account has memory for 85 messages.
    for (let i = 0; i < 100; i += 1) await outcomes();
    assert.equal(set.accepted.length, 200);
  });

  it("is 8-bit by its body", async () => {
    const set = stage();
    const session = await begun(set);
    await send(session, MESSAGE.replace("Subject: x", "Subject: ü"));
    await send(session, MESSAGE.replace("Hi", "Grüße"));
    assert.deepEqual(
      set.accepted.map(({ draft }) => draft.eightBit),
      [false, true],
    );
  });

  it("does not exist if the connection ends before the final dot", async () => {
    const set = stage();
    const session = await begun(set);
    const content = new Content().add(MESSAGE);
    const pending = send(session, content);
    content.destroy();
    assert.equal(await pending, null);
    assert.deepEqual(set.accepted, []);
  });
});
