/** The envelope and the results of its replies. The content and the final dot are in transaction.final-dot.test.ts. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { transact } from "../../../src/delivery/smtp/transaction.ts";
import type { Script, Step } from "../../support/scripted-smtp.ts";
import { attempt, done, inShort, MESSAGE, message, openOrFail, startPeer } from "./fixture.ts";

const THREE = ["a@example.test", "b@example.test", "c@example.test"];
const MODES = [
  ["pipelined", ["PIPELINING"]],
  ["one by one", []],
] as const;

/** A hook that replies for one address only. */
function forB(step: Step): Script {
  return { rcpt: (argument) => (argument.includes("b@") ? step : undefined) };
}

for (const [mode, offered] of MODES) {
  const capabilities = [...offered];
  const go = (t: Parameters<typeof attempt>[0], script: Script, recipients = THREE) =>
    attempt(t, { script, capabilities }, { recipients });

  test(`${mode}: the message arrives once for all recipients`, async (t) => {
    const { peer, session, recipients, dotSent } = await go(t, {});
    assert.deepEqual(inShort(recipients), ["final_dot 250", "final_dot 250", "final_dot 250"]);
    assert.equal(dotSent, true);
    assert.equal(session.usable, true);
    assert.equal(session.transactions, 1);
    assert.equal(peer.pipelined, mode === "pipelined");
    assert.deepEqual(
      peer.transactions.map(({ mailFrom, rcptTo, message }) => [mailFrom, rcptTo, message.toString()]),
      [["sender@example.org", THREE, MESSAGE.toString()]],
    );
  });

  test(`${mode}: each recipient keeps its own refusal, whatever comes later`, async (t) => {
    for (const dot of ["250 ok", "550 5.7.1 spam", "451 later", "421 bye"]) {
      const { peer, recipients } = await go(t, { ...forB("550 5.1.1 no such user"), dot: () => dot });
      const expected = `final_dot ${dot.slice(0, 3)}`;
      assert.deepEqual(inShort(recipients), [expected, "rcpt 550", expected]);
      assert.deepEqual(peer.transactions[0]?.rcptTo, ["a@example.test", "c@example.test"]);
    }
  });

  test(`${mode}: MAIL refused is the result of all recipients, and the session stays open`, async (t) => {
    const { peer, session, recipients, dotSent } = await go(t, { mail: () => "550 5.7.1 not you" });
    assert.deepEqual(inShort(recipients), ["mail 550", "mail 550", "mail 550"]);
    assert.equal(dotSent, false);
    assert.equal(session.usable, true);
    assert.equal(peer.transactions.length, 0);
  });

  test(`${mode}: all refused: RSET, and the next transaction works`, async (t) => {
    const { peer, session, recipients, dotSent } = await go(t, {
      rcpt: (argument) => (argument.includes("example.test") ? "450 4.2.1 busy" : undefined),
    });
    assert.deepEqual(inShort(recipients), ["rcpt 450", "rcpt 450", "rcpt 450"]);
    assert.equal(dotSent, false);
    assert.equal(peer.commands.at(-1), "RSET");
    assert.equal(peer.commands.includes("DATA"), mode === "pipelined");
    const next = await done(transact(session, message({ recipients: ["x@other.test"] })));
    assert.deepEqual(inShort(next.recipients), ["final_dot 250"]);
    assert.deepEqual(peer.transactions[0]?.rcptTo, ["x@other.test"]);
  });

  test(`${mode}: a session whose RSET is refused is not used again`, async (t) => {
    const { session } = await go(t, { mail: () => "451 no", rset: () => "500 what" });
    assert.equal(session.usable, false);
  });

  test(`${mode}: DATA refused is the reply of the accepted`, async (t) => {
    const { session, recipients, dotSent } = await go(t, { ...forB("550 no"), data: () => "451 4.3.0 no room" });
    assert.deepEqual(inShort(recipients), ["data 451", "rcpt 550", "data 451"]);
    assert.equal(dotSent, false);
    assert.equal(session.usable, true);
  });

  test(`${mode}: too many recipients: those over the limit are for another transaction`, async (t) => {
    for (const code of ["452", "552"]) {
      const { peer, recipients } = await go(t, {
        rcpt: (argument) => (argument.includes("a@") ? undefined : `${code} 4.5.3 too many`),
      });
      const rest = mode === "pipelined" ? `over_limit ${code}` : `not_sent ${code}`;
      assert.deepEqual(inShort(recipients), ["final_dot 250", `over_limit ${code}`, rest]);
      assert.deepEqual(peer.transactions[0]?.rcptTo, ["a@example.test"]);
    }
  });

  test(`${mode}: 452 before any acceptance is a normal refusal`, async (t) => {
    const { recipients } = await go(t, { rcpt: () => "452 4.3.1 disk full" });
    assert.deepEqual(inShort(recipients), ["rcpt 452", "rcpt 452", "rcpt 452"]);
  });

  const refusals: [name: string, script: Script, expected: string[]][] = [
    ["MAIL", { mail: () => "421 bye" }, ["mail 421", "mail 421", "mail 421"]],
    ["the second RCPT", forB("421 bye"), ["interrupted", "rcpt 421", "interrupted"]],
    ["DATA", { ...forB("550 no"), data: () => "421 bye" }, ["data 421", "rcpt 550", "data 421"]],
    ["the dot", { ...forB("550 no"), dot: () => "421 bye" }, ["final_dot 421", "rcpt 550", "final_dot 421"]],
  ];
  for (const [name, script, expected] of refusals) {
    test(`${mode}: 421 to ${name} decides every recipient and ends the session`, async (t) => {
      const { session, recipients, dotSent } = await go(t, script);
      assert.deepEqual(inShort(recipients), expected);
      assert.equal(session.usable, false);
      assert.equal(dotSent, name === "the dot");
    });
  }

  const endings: [kind: string, step: Step, type: string][] = [
    ["drop", { drop: true }, "lost"],
    ["silence", { silent: true }, "timeout"],
    ["rubbish", { raw: "hm\r\n" }, "protocol_error"],
    ["an over-long line", { raw: `250 ${"x".repeat(5_000)}\r\n` }, "protocol_error"],
    ["a reply of another kind", "354 go on", "protocol_error"],
  ];
  for (const [kind, step, type] of endings) {
    // Short only where the peer is silent: a loaded machine may reply late.
    const run = async (t: Parameters<typeof attempt>[0], stage: "mail" | "rcpt" | "data" | "dot", script: Script) => {
      const timeouts = kind === "silence" ? { [stage]: 100 } : {};
      const result = await attempt(t, { script, capabilities }, { recipients: THREE, timeouts });
      return { results: inShort(result.recipients), ...result };
    };

    test(`${mode}: ${kind} at MAIL`, async (t) => {
      const { results, session, dotSent } = await run(t, "mail", {
        mail: () => step,
        rcpt: () => ({ silent: true }),
        data: () => ({ silent: true }),
      });
      assert.deepEqual(results, [`${type} mail`, `${type} mail`, `${type} mail`]);
      assert.equal(session.usable, false);
      assert.equal(dotSent, false);
    });

    test(`${mode}: ${kind} at the first RCPT concerns that recipient alone`, async (t) => {
      const { results, session, dotSent } = await run(t, "rcpt", { rcpt: () => step, data: () => ({ silent: true }) });
      assert.deepEqual(results, [`${type} rcpt`, "interrupted", "interrupted"]);
      assert.equal(session.usable, false);
      assert.equal(dotSent, false);
    });

    test(`${mode}: ${kind} at the last RCPT, after one was refused`, async (t) => {
      const { results, session, dotSent } = await run(t, "rcpt", {
        rcpt: (argument) => (argument.includes("b@") ? "550 no" : argument.includes("c@") ? step : undefined),
        data: () => ({ silent: true }),
      });
      assert.deepEqual(results, ["interrupted", "rcpt 550", `${type} rcpt`]);
      assert.equal(session.usable, false);
      assert.equal(dotSent, false);
    });

    test(`${mode}: ${kind} at DATA`, async (t) => {
      const isBehind = step === "354 go on";
      const { results, session, peer, dotSent } = await run(t, "data", {
        ...forB("550 no"),
        data: () => (isBehind ? "250 thanks already" : step),
      });
      // A 250 here may be the reply to an earlier command, and so may each refusal have been.
      assert.deepEqual(results, [`${type} data`, isBehind ? "protocol_error rcpt" : "rcpt 550", `${type} data`]);
      assert.equal(session.usable, false);
      assert.equal(dotSent, false);
      assert.equal(peer.transactions.length, 0);
    });

    test(`${mode}: ${kind} after the dot`, async (t) => {
      const { results, session, peer, dotSent } = await run(t, "dot", { ...forB("550 no"), dot: () => step });
      assert.deepEqual(results, [`${type} final_dot`, "rcpt 550", `${type} final_dot`]);
      assert.equal(session.usable, false);
      assert.equal(dotSent, true);
      assert.equal(peer.transactions.length, 1);
    });
  }

  test(`${mode}: an ended session is the result of every recipient`, async (t) => {
    const peer = await startPeer(t, { capabilities });
    const session = await openOrFail(peer);
    session.destroy();
    const { recipients, dotSent } = await done(transact(session, message({ recipients: THREE })));
    assert.deepEqual(inShort(recipients), ["lost mail", "lost mail", "lost mail"]);
    assert.equal(dotSent, false);
  });
}

test("354 although no recipient was accepted: a lone dot and no delivery", async (t) => {
  for (const script of [{ rcpt: () => "550 no" }, { mail: () => "550 no", rcpt: () => "503 no" }]) {
    const expected = "mail" in script ? "mail 550" : "rcpt 550";
    const { peer, session, recipients, dotSent } = await attempt(
      t,
      { script: { ...script, data: () => "354 go on", dot: () => "250 thanks for nothing" } },
      { recipients: THREE, beforeDot: () => assert.fail("nothing to mark") },
    );
    assert.deepEqual(inShort(recipients), [expected, expected, expected]);
    assert.equal(dotSent, false);
    assert.equal(peer.transactions[0]?.raw.toString(), ".\r\n");
    assert.equal(session.usable, false);
  }
});

test("many recipients are sent in several batches, each with its own reply", async (t) => {
  const many = Array.from({ length: 350 }, (_, index) => `r${index}@example.test`);
  const script: Script = { rcpt: (argument) => (/r\d*7@/u.test(argument) ? "550 5.1.1 no" : undefined) };
  const { peer, recipients } = await attempt(t, { script }, { recipients: many });
  const expected = many.map((address) => (/7@/u.test(address) ? "rcpt 550" : "final_dot 250"));
  assert.deepEqual(inShort(recipients), expected);
  assert.equal(peer.transactions[0]?.rcptTo.length, 315);
});

test("after a limit in the first batch, later recipients are not sent", async (t) => {
  const many = Array.from({ length: 250 }, (_, index) => `r${index}@example.test`);
  const script: Script = { rcpt: (_, { rcptTo }) => (rcptTo.length < 50 ? undefined : "452 4.5.3 too many") };
  const { peer, recipients } = await attempt(t, { script }, { recipients: many });
  const results = inShort(recipients);
  assert.deepEqual(new Set(results.slice(0, 50)), new Set(["final_dot 250"]));
  assert.equal(results[50], "over_limit 452");
  assert.equal(results[249], "not_sent 452");
  assert.ok(!peer.commands.includes("RCPT TO:<r249@example.test>"));
  assert.equal(peer.transactions[0]?.rcptTo.length, 50);
});

test("pipelined replies may arrive in one packet or byte by byte", async (t) => {
  const raw = "250 ok\r\n250 ok\r\n550-5.1.1 no\r\n550 5.1.1 user\r\n250 ok\r\n354 go\r\n";
  const silent = () => ({ silent: true }) as const;
  for (const byteByByte of [false, true]) {
    const script: Script = { mail: silent, rcpt: silent, data: () => ({ raw, byteByByte }) };
    const { recipients } = await attempt(t, { script }, { recipients: THREE });
    assert.deepEqual(inShort(recipients), ["final_dot 250", "rcpt 550", "final_dot 250"]);
    const refused = { code: 550, enhanced_code: "5.1.1", message: "no\nuser" };
    assert.deepEqual(recipients[1], { type: "reply", stage: "rcpt", reply: refused });
  }
});

test("MAIL has the parameters that are offered and needed, and no others", async (t) => {
  const plain = await attempt(t, { capabilities: [] });
  assert.equal(plain.peer.transactions[0]?.mail, "<sender@example.org>");

  const prefix = Buffer.from("X: y\r\n");
  const sized = await attempt(t, { capabilities: ["SIZE", "8BITMIME", "SMTPUTF8"] }, { prefix, from: "" });
  assert.equal(sized.peer.transactions[0]?.mail, `<> SIZE=${MESSAGE.length + prefix.length}`);

  const unended = await attempt(t, { capabilities: ["SIZE 100"] }, { content: Buffer.from("ab") });
  assert.equal(unended.peer.transactions[0]?.mail, "<sender@example.org> SIZE=4");

  const content = Buffer.from("Subject: grüezi\r\n\r\n");
  const eightBit = await attempt(t, { capabilities: ["8BITMIME", "SMTPUTF8"] }, { content });
  assert.equal(eightBit.peer.transactions[0]?.mail, "<sender@example.org> BODY=8BITMIME");

  const utf8 = await attempt(t, {}, { smtpUtf8: true, recipients: ["grün@example.test"] });
  assert.equal(utf8.peer.transactions[0]?.mail, `<sender@example.org> SIZE=${MESSAGE.length} SMTPUTF8`);
  assert.deepEqual(utf8.peer.transactions[0]?.rcptTo, ["grün@example.test"]);
});

test("notifications are asked for where they are wanted and offered", async (t) => {
  const notifications = { envelopeId: "msg_a" };
  const recipients = ["a@example.test", "b+c@example.test"];
  const commandsOf = async (capabilities: string[], options: Parameters<typeof attempt>[2]) => {
    const { peer } = await attempt(t, { capabilities }, { recipients, ...options });
    return peer.commands.filter((line) => /^(MAIL|RCPT)/.test(line));
  };
  const plain = ["MAIL FROM:<sender@example.org>", "RCPT TO:<a@example.test>", "RCPT TO:<b+c@example.test>"];
  assert.deepEqual(await commandsOf(["DSN"], { notifications }), [
    `${plain[0]} RET=HDRS ENVID=msg_a`,
    `${plain[1]} NOTIFY=FAILURE ORCPT=rfc822;a@example.test`,
    `${plain[2]} NOTIFY=FAILURE ORCPT=rfc822;b+2Bc@example.test`,
  ]);
  assert.deepEqual(await commandsOf(["DSN"], {}), plain);
  assert.deepEqual(await commandsOf([], { notifications }), plain);
});

test("a message that the peer cannot accept is reported without a command", async (t) => {
  const peer = await startPeer(t, { capabilities: ["SIZE 30"] });
  const session = await openOrFail(peer);
  const content = Buffer.alloc(30, "a");
  assert.deepEqual(await transact(session, message({ content })), { type: "too_large", limit: 30 });
  assert.deepEqual(await transact(session, message({ content: Buffer.from("ü") })), { type: "needs_8bitmime" });
  assert.deepEqual(await transact(session, message({ prefix: Buffer.from("ü\r\n") })), { type: "needs_8bitmime" });
  assert.deepEqual(await transact(session, message({ smtpUtf8: true })), { type: "needs_smtputf8" });
  assert.deepEqual(peer.commands, ["EHLO client.test"]);
  assert.equal(session.transactions, 0);
  const { recipients } = await done(transact(session, message({ content: content.subarray(2) })));
  assert.deepEqual(inShort(recipients), ["final_dot 250"]);
  session.destroy();
});

test("an invalid message or envelope throws", async (t) => {
  const peer = await startPeer(t);
  const session = await openOrFail(peer);
  const broken = [
    { content: Buffer.from("a\nb\r\n") },
    { content: Buffer.from("a\r\n.\n\r\n") },
    { content: Buffer.from("a\r") },
    { prefix: Buffer.from("X: y") },
    { prefix: Buffer.from("X: y\n") },
    { recipients: [] },
    { recipients: ["a@b>\r\nDATA"] },
    { from: "a@b\r\nRSET" },
  ];
  for (const options of broken) await assert.rejects(transact(session, message(options)), JSON.stringify(options));
  assert.deepEqual(peer.commands, ["EHLO client.test"]);
  session.destroy();
});
