/** `queue resolve --unknown`, `queue cancel --pending`, `queue retry --unknown` and `--pending`: the recipients of a search, in batches. */
import assert from "node:assert/strict";
import { it, type TestContext } from "node:test";
import { testRouteOf } from "../../src/message/test-route.ts";
import type { NewMessage, Settlement } from "../../src/spool/port/mail.ts";
import { settleMessage } from "../support/attempts.ts";
import { openSpool } from "../support/damaged-spool.ts";
import { HOUR_MS, newMessage, recipientsAt, settlement } from "../support/messages.ts";
import { runCli } from "../support/run-cli.ts";
import { tempDir } from "../support/temp-dir.ts";

const ACCOUNT = "acc_default";
const ACCEPTED_AGO_MS = 6 * HOUR_MS;

async function installation(t: TestContext) {
  const dataDir = tempDir(t);
  const env = { DATA_DIR: dataDir };
  const spool = await openSpool(dataDir);
  t.after(() => spool.close());
  const accept = async (
    parts: Partial<NewMessage>,
    result: Settlement["result"] | null,
    { agoMs = HOUR_MS, reason }: { agoMs?: number; reason?: string } = {},
  ) => {
    const createdAtMs = Date.now() - ACCEPTED_AGO_MS;
    const message = newMessage({ createdAtMs, expiresAtMs: Date.now() + 48 * HOUR_MS, ...parts });
    assert.equal((await spool.accept(message)).type, "accepted");
    if (result !== null) {
      const atMs = Date.now() - agoMs;
      await settleMessage(
        spool,
        message.id,
        atMs,
        message.recipients.map((_, i) => ({
          ...settlement(i, result, result === "pending" ? Date.now() + HOUR_MS : null),
          ...(reason === undefined ? {} : { reason }),
        })),
      );
    }
    return message.id;
  };
  const questions: string[] = [];
  const terminal = (answer: string) => ({
    ask: async (question: string) => {
      questions.push(question);
      return answer;
    },
  });
  const jsonOf = async (...args: string[]) => {
    const { code, stdout, stderr } = await runCli([...args, "--json"], env);
    assert.deepEqual([code, stderr], [0, ""]);
    return JSON.parse(stdout);
  };
  const resultsOf = async (id: string) => {
    const report = await spool.report(id);
    return report?.recipients.map(({ result, reason }) => [result, reason]) ?? [];
  };
  const dueMsOf = async (id: string) => {
    const report = await spool.report(id);
    return report?.recipients.map(({ nextAttemptAtMs }) => nextAttemptAtMs ?? Number.POSITIVE_INFINITY) ?? [];
  };
  return { env, accept, terminal, questions, jsonOf, resultsOf, dueMsOf };
}

const testRecipient = { email: "ann@a.example", domain: testRouteOf(ACCOUNT) };

it("queue resolve --unknown counts, asks, and settles all that the filters select", async (t) => {
  const { env, accept, terminal, questions, jsonOf, resultsOf } = await installation(t);
  const resolve = ["queue", "resolve", "--unknown", "--as", "failed"];
  const many = await accept({ recipients: recipientsAt("a.example", 300), tags: ["news"] }, "unknown");
  const more = await accept({ recipients: recipientsAt("a.example", 5) }, "unknown");
  const old = await accept({ recipients: recipientsAt("a.example", 1) }, "unknown", { agoMs: 5 * HOUR_MS });
  const other = await accept({ recipients: recipientsAt("b.example", 2) }, "unknown");
  const ofTest = await accept({ recipients: [testRecipient], test: true }, "unknown");
  const failed = await accept({ recipients: recipientsAt("a.example", 1) }, "failed");

  const since = ["--domain", "A.example", "--since", "2h"];
  assert.deepEqual(await jsonOf(...resolve, ...since, "--dry-run"), { resolved: 0, would_resolve: 305 });
  assert.deepEqual(await jsonOf(...resolve, "--dry-run", "--tag", "news"), { resolved: 0, would_resolve: 300 });
  const no = await runCli([...resolve, ...since], env, "", terminal("n"));
  assert.deepEqual(no, { code: 1, stdout: "", stderr: "postrider: cancelled: nothing was changed\n" });
  assert.deepEqual(questions, ["Settle 305 unknown recipients as failed? [y/N] "]);
  const unasked = await runCli([...resolve, ...since], env);
  assert.deepEqual([unasked.code, unasked.stdout], [1, ""]);
  assert.match(
    unasked.stderr,
    /^postrider: Settle 305 unknown recipients as failed\? Nothing was changed: without a terminal, confirm it with --yes/,
  );
  assert.deepEqual(await resultsOf(more), Array(5).fill(["unknown", "test"]));

  const yes = await runCli([...resolve, ...since], env, "", terminal("y"));
  assert.deepEqual(yes, { code: 0, stdout: "305 recipients are failed now.\n", stderr: "" });
  for (const id of [many, more]) {
    assert.deepEqual([...new Set((await resultsOf(id)).map(String))], ["failed,resolved"]);
  }
  assert.deepEqual(await resultsOf(old), [["unknown", "test"]]);
  assert.deepEqual(await resultsOf(failed), [["failed", "test"]]);

  const delivered = ["queue", "resolve", "--unknown", "--as", "delivered", "--yes"];
  assert.deepEqual(await jsonOf(...delivered), { resolved: 3, result: "delivered", unreadable: 0, changed: 0 });
  for (const id of [old, other]) assert.equal((await resultsOf(id))[0]?.[0], "delivered");
  assert.deepEqual(await resultsOf(ofTest), [["unknown", "test"]], "test messages are left out");
  const none = await runCli(delivered, env);
  assert.deepEqual(none, { code: 0, stdout: "There is no such unknown recipient.\n", stderr: "" });
  const tested = await runCli([...delivered, "--test"], env);
  assert.equal(tested.stdout, "1 recipient is delivered now.\n");
});

it("queue cancel --pending cancels what is pending, and says what it left alone", async (t) => {
  const { env, accept, terminal, questions, jsonOf, resultsOf } = await installation(t);
  const early = await accept({ recipients: recipientsAt("a.example", 2), tags: ["newsletter"] }, "pending");
  const late = await accept({ recipients: recipientsAt("b.example", 1), createdAtMs: Date.now() - 60_000 }, null);
  const ofTest = await accept({ recipients: [testRecipient], test: true }, null);
  const cancel = ["queue", "cancel", "--pending"];
  assert.deepEqual(await jsonOf(...cancel, "--since", "1h", "--dry-run"), { cancelled: 0, would_cancel: 1 });
  const tagged = await runCli([...cancel, "--tag", "newsletter"], env, "", terminal("yes"));
  assert.deepEqual(tagged, { code: 0, stdout: "2 recipients are cancelled.\n", stderr: "" });
  assert.deepEqual(questions, ["Cancel the delivery to 2 pending recipients? [y/N] "]);
  assert.deepEqual(await resultsOf(early), Array(2).fill(["failed", "cancelled"]));
  assert.deepEqual(await jsonOf(...cancel, "--yes"), {
    cancelled: 1,
    unknown: 0,
    at_final_dot: 0,
    unreadable: 0,
    changed: 0,
  });
  assert.deepEqual(await resultsOf(late), [["failed", "cancelled"]]);
  assert.deepEqual(await resultsOf(ofTest), [["pending", null]]);
  const tested = await runCli([...cancel, "--test", "--dry-run"], env);
  assert.equal(tested.stdout, "1 pending test recipient would be cancelled.\n");
});

it("queue retry --unknown sends again to unknown recipients, and warns that they may get it twice", async (t) => {
  const { env, accept, terminal, questions, resultsOf } = await installation(t);
  const ids = [
    await accept({ recipients: recipientsAt("a.example", 2) }, "unknown"),
    await accept({ recipients: recipientsAt("b.example", 1) }, "unknown"),
  ];
  const failed = await accept({ recipients: recipientsAt("a.example", 1) }, "failed");
  const dry = await runCli(["queue", "retry", "--unknown", "--dry-run", "--domain", "a.example"], env);
  assert.equal(dry.stdout, "2 unknown recipients would be due now. They may get the message twice.\n");
  const done = await runCli(["queue", "retry", "--unknown"], env, "", terminal("y"));
  assert.deepEqual(done, { code: 0, stdout: "3 recipients are due now.\n", stderr: "" });
  assert.deepEqual(questions, ["Send again to 3 unknown recipients? They may get the message twice. [y/N] "]);
  const results = await Promise.all(ids.map(resultsOf));
  assert.deepEqual(
    results.flat().map(([result]) => result),
    ["pending", "pending", "pending"],
  );
  assert.deepEqual(await resultsOf(failed), [["failed", "test"]]);
});

it("queue retry --pending tries recipients now that wait, narrowed by their reason, without a question", async (t) => {
  const { env, accept, jsonOf, dueMsOf } = await installation(t);
  const warmingUp = await accept({ recipients: recipientsAt("a.example", 2) }, "pending", { reason: "warm_up" });
  const refused = await accept({ recipients: recipientsAt("a.example", 1) }, "pending");
  const retry = ["queue", "retry", "--pending"];
  assert.deepEqual(await jsonOf(...retry, "--reason", "warm_up", "--dry-run"), { retried: 0, would_retry: 2 });
  const done = await runCli([...retry, "--reason", "warm_up"], env);
  assert.deepEqual(done, { code: 0, stdout: "2 recipients are due now.\n", stderr: "" });
  for (const dueMs of await dueMsOf(warmingUp)) assert.ok(dueMs <= Date.now());
  for (const dueMs of await dueMsOf(refused)) assert.ok(dueMs > Date.now());
  assert.equal((await jsonOf(...retry)).retried, 3);
  for (const dueMs of await dueMsOf(refused)) assert.ok(dueMs <= Date.now());
});

it("is wrong usage with ID, and filters are without it", async (t) => {
  const { env } = await installation(t);
  const wrong: [string, RegExp][] = [
    ["resolve msg_a --unknown --as failed", /--unknown is about all messages: leave out msg_a, or --unknown/],
    ["resolve --as failed", /ID is missing; for all unknown recipients, add --unknown/],
    ["resolve msg_a --as failed --domain a.example", /--domain needs --unknown/],
    ["resolve --unknown", /queue resolve needs --as RESULT/],
    ["cancel", /ID is missing; for all pending recipients, add --pending/],
    ["cancel msg_a --dry-run", /--dry-run needs --pending/],
    ["cancel --pending --since yesterday", /neither a time .* nor a duration/],
    ["cancel --unknown", /queue cancel takes no --unknown/],
    ["retry --failed --unknown", /--failed and --unknown exclude each other/],
    ["retry --failed --pending", /--failed and --pending exclude each other/],
    ["retry --failed --tag news", /--tag needs --pending or --unknown/],
    ["retry --unknown --reason expired", /--reason needs --failed or --pending/],
    ["retry --pending --category spam", /--category/],
    ["retry --pending --receiver gmail", /--receiver needs --failed/],
    ["retry msg_a --pending", /--pending is about all messages/],
    ["retry msg_a --unknown", /--unknown is about all messages/],
  ];
  for (const [args, words] of wrong) {
    const { code, stdout, stderr } = await runCli(["queue", ...args.split(" ")], env);
    assert.deepEqual([code, stdout], [2, ""], args);
    assert.match(stderr, words, args);
  }
});
