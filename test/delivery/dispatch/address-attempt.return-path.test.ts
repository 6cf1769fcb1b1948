/** Messages with a return path: a transaction for each recipient, and what a host does with one copy that concerns the others. */
import assert from "node:assert/strict";
import { describe, it, type TestContext, test } from "node:test";
import type { ReturnPaths } from "../../../src/delivery/dispatch/return-paths.ts";
import { systemClock } from "../../../src/lib/clock.ts";
import { silentLog } from "../../../src/lib/log.ts";
import type { Outcome } from "../../../src/message/result/outcome.ts";
import { fakeClock } from "../../support/fake-clock.ts";
import { until } from "../../support/peers.ts";
import type { Hook, Script, ScriptedSmtp } from "../../support/scripted-smtp.ts";
import { type AttemptStage, DOMAIN, type StageOptions, setAttemptStage } from "./attempt-stage.ts";

const RETURN_PATHS: ReturnPaths = {
  of: async ({ domainId }) => {
    return (messageId, position) => `b-${messageId}-${position}@bounces.${domainId}.example`;
  },
};
const WITH_DSN = ["PIPELINING", "8BITMIME", "SMTPUTF8", "DSN"];

const setStage = (t: TestContext, options: Partial<StageOptions> = {}): Promise<AttemptStage> =>
  setAttemptStage(t, { clock: systemClock, returnPaths: RETURN_PATHS, ...options });

const senderOf = (position: number): string => `b-msg_a-${position}@bounces.dom_a.example`;
const user = (position: number): string => `user${position}@${DOMAIN}`;

/** What each recipient's copy came with. */
const copiesAt = (peer: ScriptedSmtp) =>
  peer.transactions.map(({ connection, mailFrom, rcptTo }) => [connection, mailFrom, ...rcptTo]);

const reasonsOf = (outcomes: Outcome[]): string[] =>
  outcomes.map((outcome) => (outcome.type === "delivered" ? "delivered" : (outcome.reason ?? "")));

/** Accepts the copies of all but these positions. */
const mailOf =
  (position: number, reply: string) =>
  (argument: string): string | undefined =>
    argument.includes(`-${position}@`) ? reply : undefined;

/** Begins a stop that lasts until the test's end. */
function stop({ shutdown }: AttemptStage, replyWaitMs: number): void {
  void shutdown.run({ clock: systemClock, log: silentLog, replyWaitMs, ended: () => new Promise(() => {}) });
}

describe("a message with a return path", () => {
  it("reaches each recipient in a transaction of its own, on one connection, with its own envelope sender", async (t) => {
    const { exchanger, attempt } = await setStage(t);
    const peer = await exchanger();
    assert.deepEqual(reasonsOf(await attempt(3)), ["delivered", "delivered", "delivered"]);
    assert.deepEqual(copiesAt(peer), [
      [0, senderOf(0), user(0)],
      [0, senderOf(1), user(1)],
      [0, senderOf(2), user(2)],
    ]);
    assert.ok(peer.pipelined);
    assert.equal(new Set(peer.transactions.map(({ message }) => message.toString())).size, 1);
  });

  it("asks for status notifications where the host offers them", async (t) => {
    const { exchanger, attempt } = await setStage(t);
    const peer = await exchanger({ capabilities: WITH_DSN });
    await attempt(2);
    assert.deepEqual(
      peer.commands.filter((line) => /^(MAIL|RCPT)/.test(line)),
      [0, 1].flatMap((position) => [
        `MAIL FROM:<${senderOf(position)}> RET=HDRS ENVID=msg_a`,
        `RCPT TO:<${user(position)}> NOTIFY=FAILURE ORCPT=rfc822;${user(position)}`,
      ]),
    );
  });

  it("asks for none where the host does not", async (t) => {
    const { exchanger, attempt } = await setStage(t);
    const peer = await exchanger({ capabilities: ["PIPELINING"] });
    await attempt(1);
    assert.deepEqual(peer.commands.slice(1, 4), [`MAIL FROM:<${senderOf(0)}>`, `RCPT TO:<${user(0)}>`, "DATA"]);
  });

  it("names a recipient that is not ASCII in UTF-8", async (t) => {
    const { exchanger, attempt } = await setStage(t);
    const peer = await exchanger({ capabilities: WITH_DSN });
    const email = `jürgen+a@${DOMAIN}`;
    await attempt(1, {
      recipients: [{ position: 7, email, attempts: 0, reason: null, category: null, smtp: null }],
    });
    assert.deepEqual(
      peer.commands.filter((line) => /^(MAIL|RCPT)/.test(line)),
      [
        `MAIL FROM:<${senderOf(7)}> SMTPUTF8 RET=HDRS ENVID=msg_a`,
        `RCPT TO:<${email}> NOTIFY=FAILURE ORCPT=utf-8;jürgen\\x{2B}a@${DOMAIN}`,
      ],
    );
  });

  it("needs no SMTPUTF8 for the From address, which is not the envelope sender", async (t) => {
    const { exchanger, attempt } = await setStage(t);
    const peer = await exchanger({ capabilities: [] });
    assert.deepEqual(reasonsOf(await attempt(1, { from: "jürgen@shop.example" })), ["delivered"]);
    assert.equal(peer.transactions[0]?.mail, `<${senderOf(0)}>`);
  });

  it("decides each recipient by its own replies, at MAIL, RCPT and the dot", async (t) => {
    const { exchanger, attempt } = await setStage(t);
    const peer = await exchanger({
      script: {
        mail: mailOf(0, "550 5.7.1 not from this address"),
        rcpt: (argument) => (argument.includes("user1@") ? "550 5.1.1 no such user" : undefined),
        dot: (_, { mail }) => (mail?.includes("-2@") ? "554 5.6.0 not this one" : undefined),
      },
    });
    const outcomes = await attempt(4);
    assert.deepEqual(reasonsOf(outcomes), ["sender_refused", "recipient_refused", "message_refused", "delivered"]);
    assert.equal(peer.connections, 1);
  });

  it("offers no other copy after a refusal of the sending domain or of our address", async (t) => {
    for (const [refusal, reason] of [
      ["550 5.7.26 unauthenticated", "sending_domain_refused"],
      ["550 5.7.25 no PTR record", "sending_address_blocked"],
    ] as const) {
      const { exchanger, attempt } = await setStage(t);
      const peer = await exchanger({ script: { rcpt: () => refusal } });
      assert.deepEqual(reasonsOf(await attempt(3)), [reason, reason, reason]);
      assert.equal(peer.commands.filter((line) => line.startsWith("RCPT")).length, 1);
    }
  });

  it("goes on in a new session after a copy at which the host hangs up", async (t) => {
    const hangUp: Hook = (_, { commands }) => (commands.at(-1)?.includes("user1@") ? { drop: true } : undefined);
    const hangUpAt: Hook = (_, { mail }) => (mail?.includes("-1@") ? { drop: true } : undefined);
    const scripts: [Script, string][] = [
      [{ rcpt: hangUp }, "connection_lost"],
      [{ data: hangUpAt }, "connection_lost"],
      [{ dot: hangUpAt }, "connection_lost_after_final_dot"],
    ];
    for (const [script, reason] of scripts) {
      const { exchanger, attempt } = await setStage(t);
      const peer = await exchanger({ script });
      assert.deepEqual(reasonsOf(await attempt(4)), ["delivered", reason, "delivered", "delivered"]);
      assert.equal(peer.connections, 2);
    }
  });

  it("tries a host that always hangs up five times, with a recipient each", async (t) => {
    const { exchanger, attempt } = await setStage(t);
    const peer = await exchanger({ script: { data: () => ({ drop: true }) } });
    const reasons = reasonsOf(await attempt(7));
    assert.deepEqual(reasons, [...new Array(5).fill("connection_lost"), ...new Array(2).fill("too_many_recipients")]);
    assert.equal(peer.connections, 5);
  });

  it("goes on in a new session where the host takes a few messages in each", async (t) => {
    const { exchanger, attempt } = await setStage(t);
    let mails = 0;
    const peer = await exchanger({
      script: {
        mail() {
          mails += 1;
          return mails % 3 === 0 ? "421 4.7.0 too many messages in this session" : undefined;
        },
      },
    });
    assert.deepEqual(reasonsOf(await attempt(6)), new Array(6).fill("delivered"));
    assert.deepEqual(
      peer.transactions.map(({ connection }) => connection),
      [0, 0, 1, 1, 2, 2],
    );
  });

  it("respects the host's limit of messages in a session", async (t) => {
    const { exchanger, attempt } = await setStage(t);
    const peer = await exchanger({ capabilities: ["LIMITS MAILMAX=2"] });
    assert.deepEqual(reasonsOf(await attempt(5)), new Array(5).fill("delivered"));
    assert.equal(peer.connections, 3);
  });
});

describe("a host that refuses one copy", () => {
  const refusals: [name: string, script: Script][] = [
    ["MAIL for now", { mail: mailOf(1, "451 4.3.2 try again later") }],
    ["MAIL for the sender's domain, for now", { mail: mailOf(1, "451 4.1.8 domain of sender not found") }],
    ["a copy for too high a rate", { data: (_, { mail }) => mailOf(1, "450 4.7.1 rate limit exceeded")(mail ?? "") }],
    [
      "the content for too high a rate",
      { dot: (_, { mail }) => mailOf(1, "451 4.7.0 too many messages, slow down")(mail ?? "") },
    ],
  ];
  for (const [name, script] of refusals) {
    it(`${name} is offered no other, and the next host gets those`, async (t) => {
      const { exchanger, attempt } = await setStage(t);
      const first = await exchanger({ script });
      const second = await exchanger();
      const outcomes = await attempt(4);
      assert.equal(first.commands.filter((line) => line.startsWith("MAIL")).length, 2);
      assert.deepEqual(copiesAt(first)[0], [0, senderOf(0), user(0)]);
      const delivered = second.transactions.map(({ rcptTo }) => rcptTo[0]);
      assert.deepEqual(delivered.slice(-2), [user(2), user(3)]);
      for (const { type, tries } of [outcomes[2], outcomes[3]].flatMap((outcome) => outcome ?? [])) {
        assert.equal(type, "delivered");
        assert.match(tries[0]?.error ?? "", /^not offered: the copy for another recipient ended with: /);
      }
    });
  }

  it("keeps the others pending if there is no other host", async (t) => {
    const { exchanger, attempt } = await setStage(t);
    const peer = await exchanger({ script: { mail: () => "451 4.7.1 rate limit exceeded" } });
    const outcomes = await attempt(3);
    assert.deepEqual(reasonsOf(outcomes), new Array(3).fill("temporarily_refused"));
    assert.ok(outcomes.every((outcome) => outcome.type === "deferred" && outcome.category === "rate_limited"));
    assert.equal(peer.commands.filter((line) => line.startsWith("MAIL")).length, 1);
  });

  it("for the recipient or for its content is offered the others", async (t) => {
    const { exchanger, attempt } = await setStage(t);
    await exchanger({
      script: {
        rcpt: (argument) => (argument.includes("user0@") ? "450 4.2.1 mailbox busy" : undefined),
        dot: (_, { mail }) => (mail?.includes("-1@") ? "451 4.7.1 greylisted" : undefined),
      },
    });
    assert.deepEqual(reasonsOf(await attempt(3)), ["temporarily_refused", "temporarily_refused", "delivered"]);
  });

  it("by silence is offered no other: after a dot that recipient is unknown, and the next host gets the others", async (t) => {
    const clock = fakeClock();
    const { exchanger, attempt } = await setStage(t, { clock });
    const silent = await exchanger({
      script: { dot: (_, { mail }) => (mail?.includes("-1@") ? { silent: true } : undefined) },
    });
    const second = await exchanger();
    const attempted = attempt(4);
    await until("the second dot", () => silent.transactions.length === 2);
    await clock.advance(10 * 60_000);
    const outcomes = await attempted;
    assert.deepEqual(reasonsOf(outcomes), ["delivered", "no_reply_to_final_dot", "delivered", "delivered"]);
    assert.equal(silent.connections, 1);
    assert.deepEqual(copiesAt(second), [
      [0, senderOf(2), user(2)],
      [0, senderOf(3), user(3)],
    ]);
  });
});

describe("the spool's marks", () => {
  it("are made for each copy before its dot", async (t) => {
    const marks: number[][] = [];
    const mark: StageOptions["mark"] = async ({ positions }) => {
      marks.push(positions);
      return "marked";
    };
    const { exchanger, attempt } = await setStage(t, { mark });
    await exchanger();
    await attempt(3);
    assert.deepEqual(marks, [[0], [1], [2]]);
  });

  it("that cannot be stored end the attempt: no host is offered another copy", async (t) => {
    const mark: StageOptions["mark"] = async () => {
      throw new Error("the disk is full");
    };
    const { exchanger, attempt } = await setStage(t, { mark });
    const first = await exchanger();
    const second = await exchanger();
    assert.deepEqual(reasonsOf(await attempt(3)), new Array(3).fill("internal_error"));
    assert.deepEqual([first.connections, second.connections, first.transactions.length], [1, 0, 0]);
  });
});

test("a host without TLS refuses some copies: all are offered in one session", async (t) => {
  const { exchanger, attempt } = await setStage(t);
  const peer = await exchanger({
    capabilities: ["STARTTLS"],
    script: {
      starttls: () => "454 4.7.0 TLS not available",
      rcpt: (argument) => (/user[0-6]@/.test(argument) ? "550 5.7.1 no" : undefined),
    },
  });
  const outcomes = await attempt(8);
  assert.deepEqual(reasonsOf(outcomes), [...new Array(7).fill("refused_on_fallback"), "delivered"]);
  const rcpts = peer.states.map(({ commands }) => commands.filter((line) => line.startsWith("RCPT")).length);
  assert.deepEqual(
    rcpts.filter((count) => count > 0),
    [8],
  );
});

test("a stop between two copies: the first is delivered, the others are due at once", async (t) => {
  const stage = await setStage(t);
  await stage.exchanger({
    script: {
      dot() {
        stop(stage, 5000);
        return undefined;
      },
    },
  });
  const outcomes = await stage.attempt(3);
  assert.deepEqual(
    outcomes.map((outcome) => (outcome.type === "deferred" ? [outcome.reason, outcome.atOnce] : outcome.type)),
    ["delivered", ["interrupted_before_final_dot", true], ["interrupted_before_final_dot", true]],
  );
});

test("a stop while the mark of a copy fails: the other copies are due at once", async (t) => {
  const stage: AttemptStage = await setStage(t, {
    async mark() {
      stop(stage, 0);
      await until("the end of the connection", () => peer.open === 0);
      throw new Error("the disk is full");
    },
  });
  const peer = await stage.exchanger();
  const outcomes = await stage.attempt(2);
  assert.deepEqual(
    outcomes.map((outcome) => outcome.type === "deferred" && [outcome.reason, outcome.atOnce]),
    [
      ["internal_error", undefined],
      ["interrupted_before_final_dot", true],
    ],
  );
});

test("without a return path, a host that offers status notifications gets the same commands as before", async (t) => {
  const { exchanger, attempt } = await setAttemptStage(t, { clock: systemClock });
  const peer = await exchanger({ capabilities: WITH_DSN });
  await attempt(2);
  assert.deepEqual(peer.commands.slice(1, 5), [
    "MAIL FROM:<news@shop.example>",
    `RCPT TO:<${user(0)}>`,
    `RCPT TO:<${user(1)}>`,
    "DATA",
  ]);
});
