/** `queue retry`: the recipients that are due now, or in one line why none is. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { isFinal, lookUp, pollUntil, send } from "../support/api-client.ts";
import { edit, fillSpool, openSpool } from "../support/damaged-spool.ts";
import { apiTarget, startExchanger } from "../support/peers.ts";
import { runCli } from "../support/run-cli.ts";
import { tempDir } from "../support/temp-dir.ts";
import { RECIPIENT_DOMAIN, sendBody, startWorld } from "../support/world.ts";

const at = (local: string) => `${local}@${RECIPIENT_DOMAIN}`;

test("queue retry makes pending and unknown recipients due, and names the results of the others", {
  timeout: 60_000,
}, async (t) => {
  const world = await startWorld(t);
  const send = async (to: string[]): Promise<string> => {
    const { id } = (await (await world.post(sendBody({ to }))).json()) as { id: string };
    type Report = { recipients: { attempts: number }[] };
    const look = async () => ((await (await world.lookUp(id)).json()) as Report).recipients;
    while ((await look()).some(({ attempts }) => attempts === 0)) await new Promise((soon) => setTimeout(soon, 50));
    return id;
  };
  const retry = (...args: string[]) => runCli(["queue", "retry", ...args], world.env);
  const refused = async (args: string[], words: string) =>
    assert.deepEqual(await retry(...args), { code: 1, stdout: "", stderr: `postrider: ${words}\n` });

  const only = "only pending and unknown recipients can be sent to again, and failed ones with --failed";
  const mixed = await send([at("4xx-451"), at("4xx-450"), at("5xx-550"), at("delivered")]);
  await refused([mixed, at("5xx-550")], `${at("5xx-550")} is already failed: ${only}`);
  await refused([mixed, at("delivered")], `${at("delivered")} is already delivered: ${only}`);
  await refused([mixed, at("nobody")], `the message ${mixed} has no recipient ${at("nobody")}`);
  await refused([mixed, "nobody"], 'nobody is not an email address: The address has no "@".');
  await refused(["msg_unknown"], "the account default has no message msg_unknown");
  const final = await send([at("5xx-551"), at("ann"), at("bob")]);
  await refused([final], `every recipient of ${final} is final (2 delivered, 1 failed): ${only}`);

  const one = await retry(mixed, "4xx-451@Customers.EXAMPLE");
  assert.deepEqual(one, { code: 0, stdout: "1 recipient is due now.\n", stderr: "" });
  const single = await send([at("4xx-452")]);
  assert.equal((await retry(single)).stdout, "1 recipient is due now.\n");
  const two = await send([at("4xx-451+a"), at("4xx-451+b")]);
  assert.equal((await retry(two)).stdout, "2 recipients are due now.\n");
});

test("queue retry warns that a marked message released from quarantine may have lost its result", async (t) => {
  const dataDir = tempDir(t);
  const spool = await openSpool(dataDir);
  const [id = ""] = await fillSpool(spool, { count: 1 });
  await spool.close();
  edit(dataDir, (db) => {
    db.exec("UPDATE work SET mark = '{}'");
    db.exec(`INSERT INTO quarantined VALUES (1, '${id}', 'acc_default', 1, 'settlement', 'disk I/O error')`);
  });
  const { code, stderr } = await runCli(["queue", "retry", id], { DATA_DIR: dataDir });
  assert.equal(code, 1);
  assert.match(stderr, /was released from quarantine, but .* without a result it becomes unknown within 5 minutes\n$/);
});

interface RetryResult {
  retried: number;
  would_retry?: number;
  by_category: Record<string, number>;
  content_deleted: number;
  past_expires_in: number;
  unreadable: number;
  ids: string[];
}

test("queue retry --failed sends to failed recipients again after a delisting", { timeout: 60_000 }, async (t) => {
  const world = await startWorld(t);
  const door = apiTarget(world);
  let isListed = true;
  const rcpt = (argument: string) => {
    if (argument.includes("gone")) return "550 5.1.1 User unknown";
    return isListed ? "550 5.7.1 sender domain blocked using dbl.spamhaus.org" : undefined;
  };
  const peer = await startExchanger(t, world, { domain: "picky.example", script: { rcpt } });
  const retry = (...args: string[]) => runCli(["queue", "retry", "--failed", ...args], world.env);
  const resultOf = async (...args: string[]) => JSON.parse((await retry("--json", ...args)).stdout) as RetryResult;
  const first = await send(door, sendBody({ to: ["ann@picky.example", "gone@picky.example"] }));
  await pollUntil(door, first, isFinal);
  const second = await send(door, sendBody({ to: ["ben@picky.example"], expires_in: "1s" }));
  await pollUntil(door, second, isFinal);
  const other = await send(door, sendBody({ to: [at("5xx-550")] }));
  await pollUntil(door, other, isFinal);
  const [ben] = (await lookUp(door, second)).recipients;
  const endMs = Date.parse(ben?.events[0]?.at ?? "") + 1000;
  while (Date.now() <= endMs) await new Promise((soon) => setTimeout(soon, 50));

  assert.deepEqual(await resultOf("--dry-run", "--since", "1h"), {
    retried: 0,
    would_retry: 3,
    by_category: { reputation: 1, bad_address: 1, other: 1 },
    content_deleted: 0,
    past_expires_in: 1,
    unreadable: 0,
    ids: [first, other],
  });
  const since = new Date(Date.now() + 60_000).toISOString();
  assert.equal((await retry("--since", since)).stdout, "No failed recipient to send to again.\n");
  assert.equal((await resultOf("--domain", "Elsewhere.example")).retried, 0);
  const ofReceiver = async (name: string) => (await resultOf("--dry-run", "--receiver", name)).would_retry;
  assert.deepEqual([await ofReceiver("Picky.example"), await ofReceiver("gmail")], [2, 0]);
  const unknown = await retry("--receiver", "gmial");
  assert.deepEqual([unknown.code, unknown.stdout], [2, ""]);
  assert.match(unknown.stderr, /--receiver gmial: no receiver has this name/);

  isListed = false;
  const text = await retry("--category", "reputation", "--domain", "picky.example", "--reason", "recipient_refused");
  assert.deepEqual(text, {
    code: 0,
    stdout:
      "1 failed recipient is due now (reputation 1).\n1 recipient stays failed: the sender's expires_in is over.\n",
    stderr: "",
  });
  const { recipients } = await pollUntil(door, first, isFinal);
  assert.deepEqual(
    recipients.map(({ result, attempts }) => [result, attempts]),
    [
      ["delivered", 2],
      ["failed", 1],
    ],
  );
  assert.deepEqual(
    recipients[0]?.events.map(({ type }) => type),
    ["accepted", "failed", "retried", "delivered"],
  );
  assert.deepEqual(
    peer.transactions.map(({ rcptTo }) => rcptTo),
    [["ann@picky.example"]],
  );

  const named = await retry(second, "ben@PICKY.example", "--json");
  assert.deepEqual(
    (JSON.parse(named.stdout) as RetryResult).ids,
    [second],
    "a named recipient is sent to beyond expires_in",
  );
  await pollUntil(door, second, ({ result }) => result === "delivered");
  const none = await retry(second);
  assert.deepEqual([none.code, none.stdout], [1, ""]);
  assert.match(none.stderr, /^postrider: msg_\S+ has no failed recipient that matches/);
});

test("queue retry --failed counts recipients whose content was deleted", {
  timeout: 60_000,
}, async (t) => {
  const world = await startWorld(t);
  const door = apiTarget(world);
  const id = await send(door, sendBody({ to: at("5xx-550") }));
  await pollUntil(door, id, isFinal);
  const later = Date.now() + 3_600_000;
  await world.service.spool.applyRetention({ contentsBeforeMs: later, resultsBeforeMs: 0, nowMs: later, limit: 100 });
  const { code, stdout } = await runCli(["queue", "retry", "--failed"], world.env);
  const stays = "1 recipient stays failed: the content was deleted after RETENTION_BODY.";
  assert.deepEqual([code, stdout], [0, `No failed recipient to send to again.\n${stays}\n`]);
  const named = await runCli(["queue", "retry", id, "--failed"], world.env);
  assert.deepEqual([named.code, named.stdout], [1, ""]);
  assert.match(named.stderr, /content of msg_\S+ was deleted after RETENTION_BODY/);
});

test("queue retry --failed skips damaged messages, and reports them", { timeout: 60_000 }, async (t) => {
  const world = await startWorld(t);
  const door = apiTarget(world);
  const ids = [await send(door, sendBody({ to: at("5xx-550") })), await send(door, sendBody({ to: at("5xx-550") }))];
  for (const id of ids) await pollUntil(door, id, isFinal);
  edit(world.env.DATA_DIR ?? "", (db) => db.exec("DELETE FROM messages WHERE seq = (SELECT min(seq) FROM messages)"));
  const { code, stdout } = await runCli(["queue", "retry", "--failed"], world.env);
  const stays = "1 recipient stays failed: the stored message is damaged.";
  assert.deepEqual([code, stdout], [0, `1 failed recipient is due now (other 1).\n${stays}\n`]);
});

test("queue retry rejects invalid filters, and filters without --failed", async (t) => {
  const world = await startWorld(t);
  const wrong = async (args: string[], words: RegExp) => {
    const { code, stdout, stderr } = await runCli(["queue", "retry", ...args], world.env);
    assert.deepEqual([code, stdout], [2, ""], args.join(" "));
    assert.match(stderr, words, args.join(" "));
  };
  await wrong(
    [],
    /ID is missing; to send again to all failed recipients, add --failed; to all pending ones, --pending; to all unknown/,
  );
  await wrong(["--category", "policy"], /--category needs --failed/);
  await wrong(["msg_a", "--dry-run"], /--dry-run needs --failed or --pending or --unknown/);
  await wrong(["--failed", "--category", "spam"], /--category 'spam' is not known; it is one of bad_address, /);
  await wrong(["--failed", "--reason", "refused"], /--reason 'refused' is not known/);
  for (const reason of ["temporarily_refused", "interrupted_before_final_dot", "no_reply_to_final_dot"]) {
    const known =
      /no recipient fails for it; with --failed it is one of recipient_refused, [a-z0-9_, ]+, expired, suppressed, cancelled, discarded, resolved\n$/;
    await wrong(["--failed", "--reason", reason], known);
  }
  for (const since of ["yesterday", "2026-02-30T00:00:00Z", "2026-03-01", "5w"]) {
    await wrong(["--failed", "--since", since], /neither a time .* nor a duration/);
  }
});
