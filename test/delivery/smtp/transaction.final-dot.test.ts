/** The content and the final dot: what the peer receives, when the dot may leave, and the results of interruptions. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { BLOCK_BYTES } from "../../../src/delivery/smtp/content.ts";
import { RFC_TIMEOUTS } from "../../../src/delivery/smtp/timeouts.ts";
import { transact } from "../../../src/delivery/smtp/transaction.ts";
import type { Step } from "../../support/scripted-smtp.ts";
import { selfSigned } from "../../support/self-signed.ts";
import { attempt, done, inShort, message, openOrFail, startPeer, until } from "./fixture.ts";

const TWO = ["a@example.test", "b@example.test"];
const never = () => new Promise<void>(() => {});

test("timeouts are at least those of RFC 5321 §4.5.3.2", () => {
  const minute = 60_000;
  const { greeting, mail, rcpt, data, block, dot } = RFC_TIMEOUTS;
  assert.ok(greeting >= 5 * minute && mail >= 5 * minute && rcpt >= 5 * minute);
  assert.ok(data >= 2 * minute && block >= 3 * minute && dot >= 10 * minute);
});

test("the peer receives the prefix and the content, dot-stuffed, and one final dot", async (t) => {
  const cases: [prefix: string, content: string, raw: string][] = [
    ["", "a\r\n", "a\r\n.\r\n"],
    ["", "a", "a\r\n.\r\n"],
    ["", "", ".\r\n"],
    ["P: q\r\n", "", "P: q\r\n.\r\n"],
    ["P: q\r\n .\r\n", ".a\r\n.\r\n..\r\n\r\n", "P: q\r\n .\r\n..a\r\n..\r\n...\r\n\r\n.\r\n"],
    ["", ".", "..\r\n.\r\n"],
  ];
  for (const [prefix, content, raw] of cases) {
    const { peer } = await attempt(t, {}, { prefix: Buffer.from(prefix), content: Buffer.from(content) });
    assert.equal(peer.transactions[0]?.raw.toString(), raw);
  }
});

test("dots around a block boundary arrive unchanged", async (t) => {
  for (const shift of [0, 1, 2, 3, 4]) {
    const filler = `${"x".repeat(60)}\r\n`.repeat(1_050);
    const head = `${filler}${"y".repeat(65_530 - filler.length + shift)}\r\n`;
    const content = Buffer.from(`${head}.\r\n..\r\n.z\r\n${filler}.\r\n`);
    const { peer, recipients } = await attempt(t, {}, { content });
    assert.deepEqual(inShort(recipients), ["final_dot 250"]);
    assert.ok(peer.transactions[0]?.message.equals(content));
    const stuffed = content.toString("latin1").replace(/\r\n\./gu, "\r\n..");
    assert.ok(peer.transactions[0]?.raw.equals(Buffer.from(`${stuffed}.\r\n`, "latin1")));
  }
});

/** Two blocks: the first is sent at once, the last with the dot. */
const TWO_BLOCKS = Buffer.from(`Subject: Hi\r\n\r\n${`${"x".repeat(70)}\r\n`.repeat(1_200)}`);

test("a large content is sent while its last block and the dot wait for beforeDot", async (t) => {
  const peer = await startPeer(t);
  const session = await openOrFail(peer);
  let release = () => {};
  const accepted: number[][] = [];
  const result = done(
    transact(
      session,
      message({
        recipients: TWO,
        content: TWO_BLOCKS,
        beforeDot: (indices) => {
          accepted.push(indices);
          return new Promise<void>((resolve) => {
            release = resolve;
          });
        },
      }),
    ),
  );
  await until(() => peer.states[0]?.content.length === BLOCK_BYTES);
  await new Promise((resolve) => setTimeout(resolve, 30));
  assert.equal(peer.transactions.length, 0, "no dot yet");
  assert.deepEqual(accepted, [[0, 1]]);
  release();
  assert.deepEqual(inShort((await result).recipients), ["final_dot 250", "final_dot 250"]);
  assert.equal(peer.transactions[0]?.raw.toString(), `${TWO_BLOCKS}.\r\n`);
  session.destroy();
});

test("beforeDot gets the accepted recipients only", async (t) => {
  let accepted: number[] = [];
  await attempt(
    t,
    { script: { rcpt: (argument) => (argument.includes("a@") ? "550 no" : undefined) } },
    {
      recipients: TWO,
      beforeDot: async (indices) => {
        accepted = indices;
      },
    },
  );
  assert.deepEqual(accepted, [1]);
});

test("when beforeDot fails, the connection is closed without the dot", async (t) => {
  const failures = [
    () => Promise.reject(new Error("disk full")),
    () => {
      throw new Error("disk full");
    },
    async () => {
      await new Promise((resolve) => setTimeout(resolve, 30));
      throw new Error("disk full");
    },
  ];
  for (const beforeDot of failures) {
    const script = { rcpt: (argument: string) => (argument.includes("a@") ? "550 no" : undefined) };
    const { peer, session, recipients, dotSent } = await attempt(t, { script }, { recipients: TWO, beforeDot });
    assert.deepEqual(inShort(recipients), ["rcpt 550", "held_back"]);
    assert.deepEqual(recipients[1], { type: "held_back", error: "disk full" });
    assert.equal(dotSent, false);
    assert.equal(session.usable, false);
    await until(() => peer.open === 0);
    assert.equal(peer.transactions.length, 0);
  }
});

test("when refuseDot gives a reason after beforeDot, the connection is closed without the dot", async (t) => {
  const calls: string[] = [];
  const { peer, session, recipients, dotSent } = await attempt(
    t,
    {},
    {
      recipients: TWO,
      beforeDot: async () => void calls.push("beforeDot"),
      refuseDot: () => {
        calls.push("refuseDot");
        return "too late";
      },
      onDot: () => assert.fail("the dot leaves"),
    },
  );
  assert.deepEqual(calls, ["beforeDot", "refuseDot"]);
  assert.deepEqual(recipients, [
    { type: "held_back", error: "too late" },
    { type: "held_back", error: "too late" },
  ]);
  assert.deepEqual([dotSent, session.usable], [false, false]);
  await until(() => peer.open === 0);
  assert.equal(peer.transactions.length, 0);
});

test("when beforeDot fails while the peer does not read, the content is not awaited", async (t) => {
  const { recipients } = await attempt(
    t,
    { capabilities: [], script: { data: () => ({ pause: true, raw: "354 go\r\n" }) } },
    {
      content: Buffer.alloc(24 << 20, "x"),
      beforeDot: () => Promise.reject(new Error("no")),
      timeouts: { block: 60_000 },
    },
  );
  assert.deepEqual(inShort(recipients), ["held_back"]);
});

const early: [name: string, step: Step, expected: string][] = [
  ["a 552", "552 5.3.4 too big", "content 552"],
  ["a 452", "452 4.3.1 no room", "content 452"],
  ["a 421", "421 4.3.2 bye", "content 421"],
  ["a 250", "250 2.0.0 thanks, enough", "protocol_error content"],
  ["a 354", "354 more", "protocol_error content"],
  ["rubbish", { raw: "hm\r\n" }, "protocol_error content"],
  ["a drop", { drop: true }, "lost content"],
];
for (const [name, step, expected] of early) {
  test(`${name} before the dot: ${expected}, no dot`, async (t) => {
    let answered = false;
    const { peer, session, recipients, dotSent } = await attempt(
      t,
      {
        script: {
          rcpt: (argument) => (argument.includes("a@") ? "550 no" : undefined),
          content: () => {
            if (answered) return undefined;
            answered = true;
            return step;
          },
        },
      },
      {
        recipients: TWO,
        content: TWO_BLOCKS,
        // Enough event loop iterations for the reply to arrive first; the dot must not follow it.
        beforeDot: async () => {
          await until(() => answered);
          for (let turns = 0; turns < 10; turns++) await delay(5);
        },
      },
    );
    assert.deepEqual(inShort(recipients), ["rcpt 550", expected]);
    assert.equal(dotSent, false);
    assert.equal(session.usable, false);
    await until(() => peer.open === 0);
    assert.equal(peer.transactions.length, 0);
  });
}

test("a reply in the middle of a large content is read although the peer has stopped reading", async (t) => {
  let isData = false;
  const data = (): Step => {
    isData = true;
    return { pause: true, raw: "354 go\r\n" };
  };
  const peer = await startPeer(t, { capabilities: [], script: { data } });
  const session = await openOrFail(peer);
  const content = Buffer.alloc(24 << 20, "x");
  const result = done(transact(session, message({ content, timeouts: { block: 60_000 } })));
  await until(() => isData);
  // By then the buffers between the two are full.
  await new Promise((resolve) => setTimeout(resolve, 200));
  peer.say("552 5.3.4 too big\r\n");
  const { recipients, dotSent } = await result;
  assert.deepEqual(inShort(recipients), ["content 552"]);
  assert.equal(dotSent, false);
});

test("a peer that stops reading the content over TLS", async (t) => {
  const peer = await startPeer(t, {
    tls: selfSigned("mx.example.test"),
    capabilities: [],
    script: { data: () => ({ pause: true, raw: "354 go\r\n" }) },
  });
  const session = await openOrFail(peer);
  const content = Buffer.alloc(24 << 20, "x");
  const { recipients } = await done(transact(session, message({ content, timeouts: { block: 200 } })));
  assert.deepEqual(inShort(recipients), ["timeout content"]);
  assert.equal(session.usable, false);
});

test("a peer that stops reading the content", async (t) => {
  const { session, recipients, dotSent } = await attempt(
    t,
    { capabilities: [], script: { data: () => ({ pause: true, raw: "354 go\r\n" }) } },
    { content: Buffer.alloc(24 << 20, "x"), timeouts: { block: 100 } },
  );
  assert.deepEqual(inShort(recipients), ["timeout content"]);
  assert.equal(dotSent, false);
  assert.equal(session.usable, false);
});

test("a peer that is slow at every step is limited in total", async (t) => {
  const { session, recipients, dotSent } = await attempt(
    t,
    { capabilities: [], script: { rcpt: () => delay(20, "250 ok") } },
    {
      recipients: Array.from({ length: 100 }, (_, index) => `r${index}@example.test`),
      timeouts: { rcpt: 60_000, handover: 150 },
    },
  );
  const results = inShort(recipients);
  assert.deepEqual(new Set(results), new Set(["interrupted", "timeout rcpt"]));
  assert.equal(results.filter((result) => result === "timeout rcpt").length, 1);
  assert.deepEqual([dotSent, session.usable], [false, false]);
});

test("once the dot has left, only its own timeout applies", async (t) => {
  const dot = () => delay(120, "250 ok");
  const { recipients } = await attempt(t, { script: { dot } }, { timeouts: { handover: 60 } });
  assert.deepEqual(inShort(recipients), ["final_dot 250"]);
});

test("when the peer disconnects while beforeDot runs, the transaction settles after beforeDot", async (t) => {
  const peer = await startPeer(t, { script: { content: () => ({ drop: true }) } });
  const session = await openOrFail(peer);
  let settled = false;
  let release = () => {};
  const beforeDot = () =>
    new Promise<void>((resolve) => {
      release = resolve;
    });
  const result = done(transact(session, message({ content: TWO_BLOCKS, beforeDot }))).finally(() => {
    settled = true;
  });
  await until(() => !session.usable);
  await new Promise((resolve) => setTimeout(resolve, 20));
  assert.equal(settled, false);
  release();
  const { recipients, dotSent } = await result;
  assert.deepEqual(inShort(recipients), ["lost content"]);
  assert.equal(dotSent, false);
});

test("a 421 in the packet of the 354: beforeDot is not called", async (t) => {
  const { recipients, dotSent } = await attempt(
    t,
    { script: { data: () => ({ raw: "354 go\r\n421 or rather not\r\n" }) } },
    { beforeDot: never },
  );
  assert.deepEqual(inShort(recipients), ["content 421"]);
  assert.equal(dotSent, false);
});

test("a refusal in the packet of the 354 is the message's result", async (t) => {
  for (const code of [550, 451]) {
    const { recipients, session, dotSent } = await attempt(t, {
      script: { data: () => ({ raw: `354 go\r\n${code} or rather not\r\n` }) },
    });
    assert.deepEqual(inShort(recipients), [`content ${code}`]);
    assert.deepEqual([dotSent, session.usable], [false, false]);
  }
});

test("a reply to the dot is final, whatever follows in the same packet", async (t) => {
  for (const more of ["250 again\r\n", "421 bye\r\n", "rubbish\r\n"]) {
    const { session, recipients } = await attempt(t, { script: { dot: () => ({ raw: `250 queued\r\n${more}` }) } });
    assert.deepEqual(inShort(recipients), ["final_dot 250"]);
    assert.equal(session.usable, false);
  }
});

test("an incomplete reply to the dot is not an acceptance", async (t) => {
  for (const raw of ["250-queued\r\n", "250 queued", "25"]) {
    const { recipients, dotSent } = await attempt(t, { script: { dot: () => ({ drop: true, raw }) } });
    assert.deepEqual(inShort(recipients), ["lost final_dot"]);
    assert.equal(dotSent, true);
  }
});

test("several transactions on one session", async (t) => {
  const peer = await startPeer(t);
  const session = await openOrFail(peer);
  for (let count = 1; count <= 5; count += 1) {
    const { recipients } = await done(transact(session, message({ recipients: [`r${count}@example.test`] })));
    assert.deepEqual(inShort(recipients), ["final_dot 250"]);
    assert.equal(session.transactions, count);
  }
  assert.deepEqual(
    peer.transactions.map(({ rcptTo }) => rcptTo.join()),
    [1, 2, 3, 4, 5].map((count) => `r${count}@example.test`),
  );
  assert.equal(peer.connections, 1);
  session.destroy();
});
