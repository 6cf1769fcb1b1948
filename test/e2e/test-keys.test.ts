/** Messages of test keys, as seen from outside: the sink in the service plays their recipients, and nothing leaves the host. */
import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import type { Database } from "better-sqlite3";
import {
  type ApiTarget,
  isFinal,
  lookUp,
  type MessageReport,
  pollUntil,
  post,
  type RecipientReport,
  send,
} from "../support/api-client.ts";
import { edit } from "../support/damaged-spool.ts";
import { missingPostgres } from "../support/postgres/installation.ts";
import { startTwoServices } from "../support/postgres/two-services.ts";
import { runCli } from "../support/run-cli.ts";
import { startSecondService } from "../support/second-service.ts";
import { bindUnverified, RECIPIENT_DOMAIN, SENDER_DOMAIN, sendBody, startWorld, type World } from "../support/world.ts";

type Tested = MessageReport & { test?: boolean };

const at = (local: string): string => `${local}@${RECIPIENT_DOMAIN}`;

async function startWithTestKey(t: TestContext, env: Record<string, string> = {}) {
  const world = await startWorld(t, env);
  const { key, id: keyId } = await world.newTestKey();
  const { url } = world.service;
  return { world, keyId, live: { url, key: world.key }, test: { url, key } };
}

/** The questions about the recipients' domain so far. */
const queriesOfRecipients = ({ zone }: World): string[] =>
  zone.queries.map(({ name }) => name).filter((name) => name.endsWith(RECIPIENT_DOMAIN));

/** Neither a connection to the recipients' host, nor a question about their domain. */
function assertNothingLeft(world: World): void {
  assert.deepEqual(world.sink.entries, []);
  assert.deepEqual(queriesOfRecipients(world), []);
}

const get = async <T>(target: ApiTarget, path: string): Promise<T> =>
  (await (await fetch(target.url + path, { headers: { Authorization: `Bearer ${target.key}` } })).json()) as T;

const dataDirOf = ({ env }: World): string => env.DATA_DIR ?? assert.fail();

/** Returns a function that sets the stored domain of a message's recipients. */
const setDomainOf = (db: Database) => (domain: string, seq: number) => {
  for (const table of ["recipients", "work"])
    db.prepare(`UPDATE ${table} SET domain = ? WHERE seq = ?`).run(domain, seq);
};

describe("a test key", { timeout: 120_000 }, () => {
  it("has each local part played, without a connection or a question to anybody outside", async (t) => {
    const { world, test } = await startWithTestKey(t, { RETRY_SCHEDULE: "1s" });
    const locals = ["delivered", "5xx-550", "nobody", "greylist-1", "drop-after-dot", "slow-1s", "5xx-600"];
    const id = await send(test, sendBody({ to: locals.map(at), cc: "delivered@other.example" }));
    const report = (await pollUntil(test, id, isFinal)) as Tested;
    assert.deepEqual(
      report.recipients.map(({ email, result, reason, smtp }) => [email, result, reason, smtp?.code]),
      [
        [at("delivered"), "delivered", null, 250],
        [at("5xx-550"), "failed", "recipient_refused", 550],
        [at("nobody"), "failed", "recipient_refused", 550],
        [at("greylist-1"), "delivered", null, 250],
        [at("drop-after-dot"), "unknown", "connection_lost_after_final_dot", undefined],
        [at("slow-1s"), "delivered", null, 250],
        [at("5xx-600"), "failed", "recipient_refused", 501],
        ["delivered@other.example", "delivered", null, 250],
      ],
    );
    assert.equal(report.test, true);
    assert.equal(report.recipients[3]?.attempts, 2);
    assertNothingLeft(world);
    assert.ok(!world.zone.queries.some(({ name }) => name.includes("test..") || name.includes("other.example")));
  });

  it("has a bounce of bounce-later@ reported, also without a return path, and no address suppressed", async (t) => {
    const { world, live, test } = await startWithTestKey(t, { SUPPRESS_AFTER: "1" });
    const id = await send(test, sendBody({ to: ["bounce-later", "delivered"].map(at) }));
    type Bounced = RecipientReport & { bounce?: { status: string; category: string; permanent: boolean } };
    const isBounced = ({ email, bounce }: Bounced) => email !== at("bounce-later") || bounce !== undefined;
    const { recipients } = await pollUntil(test, id, isBounced);
    const [later, other] = recipients as Bounced[];
    assert.equal(later?.result, "delivered");
    const { status, category, permanent } = later?.bounce ?? assert.fail();
    assert.deepEqual([status, category, permanent], ["5.1.1", "bad_address", true]);
    assert.equal(other?.bounce, undefined);
    interface Feed {
      events: { type: string; test: boolean; message_id: string; recipient?: { email: string } }[];
    }
    const { events } = await get<Feed>(test, "/api/sending/events");
    assert.deepEqual(
      events
        .filter(({ type }) => type === "recipient.bounced")
        .map((event) => [event.test, event.message_id, event.recipient?.email]),
      [[true, id, at("bounce-later")]],
    );
    assertNothingLeft(world);
    assert.deepEqual((await get<Feed>(live, "/api/sending/events")).events, []);
    for (const target of [test, live]) {
      const again = await pollUntil(target, await send(target, sendBody({ to: at("bounce-later") })), isFinal);
      assert.equal(again.recipients[0]?.result, "delivered");
    }
    const { stdout } = await runCli(["suppressions", "list", "--json"], world.env);
    assert.deepEqual(JSON.parse(stdout), []);
  });

  it("sends from a bound domain that is not verified, and from no other", async (t) => {
    const { world, live, test } = await startWithTestKey(t);
    await bindUnverified(world.service, world.env.CERTS_DIR ?? "", "new.example");
    const from = (domain: string) => sendBody({ from: `a@${domain}` });
    const codeOf = async (target: ApiTarget, domain: string) => {
      const response = await post(target, from(domain));
      return ((await response.json()) as { code: string }).code;
    };
    assert.equal(await codeOf(live, "new.example"), "domain_not_verified");
    assert.equal(await codeOf(test, "unbound.example"), "sender_not_allowed");
    const report = await pollUntil(test, await send(test, from("mail.new.example")), isFinal);
    assert.equal(report.recipients[0]?.result, "delivered");
    assertNothingLeft(world);
  });

  it("has its messages marked in lookups, lists, events and metrics, where live ones are not", async (t) => {
    const { world, live, test } = await startWithTestKey(t);
    for (const [target, isTest] of [
      [test, true],
      [live, false],
    ] as const) {
      const id = await send(target, sendBody());
      assert.equal(((await pollUntil(target, id, isFinal)) as Tested).test, isTest ? true : undefined);
      const { messages } = await get<{ messages: { id: string; test: boolean }[] }>(target, "/api/sending/messages");
      assert.deepEqual(
        messages.map((message) => [message.id, message.test]),
        [[id, isTest]],
      );
      const { events } = await get<{ events: { type: string; test: boolean }[] }>(target, "/api/sending/events");
      assert.deepEqual(
        events.map((event) => [event.type, event.test]),
        [
          ["message.accepted", isTest],
          ["recipient.delivered", isTest],
        ],
      );
    }
    assert.equal(world.sink.entries.length, 1);
    const metrics = await (await fetch(`${live.url}/metrics`)).text();
    assert.match(metrics, /^postrider_messages_accepted_total 1$/m);
    assert.match(metrics, /^postrider_results_total\{result="delivered"\} 1$/m);
  });

  it("uses no quota, and its idempotency keys are apart from those of live keys", async (t) => {
    const { world, live, test } = await startWithTestKey(t, { QUOTA_DAILY: "1" });
    await send(test, sendBody({ to: ["a", "b", "c"].map(at) }));
    const keyed = async ({ url, key }: ApiTarget) => {
      const headers = {
        Authorization: `Bearer ${key}`,
        "Content-Type": "application/json",
        "Idempotency-Key": "order",
      };
      return fetch(`${url}/api/sending/send`, { method: "POST", headers, body: JSON.stringify(sendBody()) });
    };
    const ids: string[] = [];
    for (const target of [test, live, test, live]) {
      const response = await keyed(target);
      assert.equal(response.status, 202);
      assert.equal(response.headers.get("Idempotency-Replayed"), ids.length < 2 ? null : "true");
      ids.push(((await response.json()) as { id: string }).id);
    }
    assert.deepEqual([ids[0] === ids[2], ids[1] === ids[3], ids[0] === ids[1]], [true, true, false]);
    await pollUntil(live, ids[1] ?? "", isFinal);
    assert.equal((await post(live, sendBody())).status, 429);
    assert.equal((await post(test, sendBody())).status, 202);
    assert.equal(world.sink.entries.length, 1);
  });

  it("sends nothing outside after a restart of the service, by a retry, or where all live mail goes to a sink", async (t) => {
    const { world, test } = await startWithTestKey(t, { RETRY_SCHEDULE: "1h" });
    const id = await send(test, sendBody({ to: ["greylist-1", "drop-after-dot", "5xx-550"].map(at) }));
    await pollUntil(test, id, ({ attempts }) => attempts > 0);
    await world.service.stop();
    const service = await startSecondService(t, { ...world.env, SINK: `127.0.0.1:${world.sink.port}` });
    const target = { ...test, url: service.url };
    const resultsOf = ({ recipients }: MessageReport) => recipients.map(({ result, attempts }) => [result, attempts]);
    assert.deepEqual(resultsOf(await lookUp(target, id)), [
      ["pending", 1],
      ["unknown", 1],
      ["failed", 1],
    ]);
    assert.equal((await runCli(["queue", "retry", id], world.env)).code, 0);
    assert.equal((await runCli(["queue", "retry", id, "--failed"], world.env)).code, 0);
    // The sink has forgotten that it refused the first one.
    const twice = await pollUntil(target, id, ({ attempts }) => attempts === 2);
    assert.deepEqual(resultsOf(twice), [
      ["pending", 2],
      ["unknown", 2],
      ["failed", 2],
    ]);
    assert.equal((await runCli(["queue", "retry", id, at("greylist-1")], world.env)).code, 0);
    const [greylisted] = (
      await pollUntil(target, id, ({ email, attempts }) => email !== at("greylist-1") || attempts === 3)
    ).recipients;
    assert.equal(greylisted?.result, "delivered");
    assertNothingLeft(world);
    const live = { url: service.url, key: world.key };
    await pollUntil(live, await send(live, sendBody()), isFinal);
    assert.deepEqual(
      world.sink.entries.map(({ rcpt_to }) => rcpt_to),
      [[at("delivered")]],
    );
  });

  it("has a message quarantined whose rows no longer agree on whether it is a test, and so has a live key", async (t) => {
    const { world, live, test } = await startWithTestKey(t, { RETRY_SCHEDULE: "1h" });
    const dataDir = dataDirOf(world);
    const deferred = async (target: ApiTarget) => {
      const id = await send(target, sendBody({ to: at("4xx-451") }));
      await pollUntil(target, id, ({ attempts }) => attempts > 0);
      return id;
    };
    const tests = [await deferred(test), await deferred(test)];
    const lives = [await deferred(live), await deferred(live)];
    await world.service.stop();
    const [received, asked] = [world.sink.entries.length, queriesOfRecipients(world).length];
    const route = edit(dataDir, (db) => {
      const seqOf = (id = ""): number =>
        db.prepare<[string], number>("SELECT seq FROM messages WHERE id = ?").pluck().get(id) ?? 0;
      const setDomain = setDomainOf(db);
      const [stored = ""] = db
        .prepare<[number], string>("SELECT domain FROM recipients WHERE seq = ?")
        .pluck()
        .all(seqOf(tests[0]));
      setDomain(RECIPIENT_DOMAIN, seqOf(tests[0]));
      db.prepare("UPDATE messages SET test = 0 WHERE id = ?").run(tests[1]);
      setDomain(stored, seqOf(lives[0]));
      db.prepare("UPDATE messages SET test = 1 WHERE id = ?").run(lives[1]);
      db.exec("UPDATE work SET due_ms = 1 WHERE mark IS NULL");
      return stored;
    });
    const service = await startSecondService(t, world.env);
    const quarantined = async (): Promise<string[]> => {
      const { stdout } = await runCli(["queue", "quarantined", "--json"], world.env);
      return (JSON.parse(stdout) as { id: string }[]).map(({ id }) => id).sort();
    };
    const all = [...tests, ...lives].sort();
    for (let found = await quarantined(); found.length < 4; found = await quarantined());
    assert.deepEqual(await quarantined(), all);
    for (const id of all) assert.match((await runCli(["queue", "retry", id], world.env)).stderr, /stays in quarantine/);
    for (const [target, ids] of [
      [test, tests],
      [live, lives],
    ] as const)
      for (const id of ids)
        assert.equal((await lookUp({ ...target, url: service.url }, id)).recipients[0]?.attempts, 1);
    assert.deepEqual([world.sink.entries.length, queriesOfRecipients(world).length], [received, asked]);

    edit(dataDir, (db) => {
      const seq = db
        .prepare<[string], number>("SELECT seq FROM messages WHERE id = ?")
        .pluck()
        .get(tests[0] ?? "");
      setDomainOf(db)(route, seq ?? 0);
      db.prepare("UPDATE messages SET test = 1 WHERE id = ?").run(tests[1]);
    });
    for (const id of tests) {
      assert.equal((await runCli(["queue", "retry", id], world.env)).code, 0);
      await pollUntil({ ...test, url: service.url }, id, ({ attempts }) => attempts === 2);
    }
    assert.deepEqual([world.sink.entries.length, queriesOfRecipients(world).length], [received, asked]);
  });

  it("neither suppresses a live address, nor is kept from it where that is suppressed", async (t) => {
    const { world, live, test } = await startWithTestKey(t, { SUPPRESS_AFTER: "1" });
    const reasonOf = async (target: ApiTarget) => {
      const { recipients } = await pollUntil(target, await send(target, sendBody({ to: at("nobody") })), isFinal);
      return recipients[0]?.reason;
    };
    assert.equal(await reasonOf(test), "recipient_refused");
    assert.equal(await reasonOf(live), "recipient_refused");
    assert.equal(await reasonOf(live), "suppressed");
    assert.equal(await reasonOf(test), "recipient_refused");
    const { stdout } = await runCli(["suppressions", "list", "--json"], world.env);
    assert.equal((JSON.parse(stdout) as unknown[]).length, 1);
  });

  it("is created and listed on the command line, where the queue can be limited to its messages", async (t) => {
    const { world, live } = await startWithTestKey(t, { RETRY_SCHEDULE: "1h" });
    const json = async (...args: string[]) => JSON.parse((await runCli([...args, "--json"], world.env)).stdout);
    const created = await json("keys", "create", "--name", "suite", "--test");
    assert.deepEqual(Object.keys(created), ["id", "name", "key"]);
    assert.match(created.key, /^svc_test_[A-Za-z0-9_-]{43}$/);
    const listed: { id: string; test: boolean }[] = await json("keys", "list");
    assert.deepEqual(
      listed.map((key) => key.test),
      [false, true, true],
    );
    const id = await send({ ...live, key: created.key }, sendBody({ to: at("4xx-451") }));
    const liveId = await send(live, sendBody({ to: at("4xx-451") }));
    const queue = async (...args: string[]) =>
      (await json("queue", "list", ...args)).map((entry: { id: string }) => entry.id);
    assert.deepEqual([await queue("--test"), await queue("--live")], [[id], [liveId]]);
    assert.deepEqual((await queue()).sort(), [id, liveId].sort());
    assert.equal((await runCli(["queue", "list", "--test", "--live"], world.env)).code, 2);
    const { stdout } = await runCli(["messages", "show", id], world.env);
    assert.match(stdout, /^ {2}Test: +sent with a test key/m);
    assert.equal((await runCli(["keys", "revoke", created.key], world.env)).code, 1);
    assert.equal((await runCli(["keys", "revoke", created.id], world.env)).code, 0);
    assert.equal((await post({ ...live, key: created.key }, sendBody())).status, 401);
  });

  it("is no live key, whatever its text or its row is changed to", async (t) => {
    const { world, test } = await startWithTestKey(t);
    const asLive = test.key.replace("svc_test_", "svc_live_");
    assert.equal((await post({ ...test, key: asLive }, sendBody({ from: `a@${SENDER_DOMAIN}` }))).status, 401);
    edit(dataDirOf(world), (db) => db.exec("UPDATE api_keys SET test = 0"));
    assert.equal((await post(test, sendBody())).status, 401);
    assertNothingLeft(world);
  });
});

describe("a test key on two nodes", { skip: missingPostgres(), timeout: 120_000 }, () => {
  it("has its messages played by whichever node attempts them, and nothing leaves either host", async (t) => {
    const { world, urls } = await startTwoServices(t, { RETRY_SCHEDULE: "1s" });
    const { key } = await world.newTestKey();
    const to = ["delivered", "greylist-1", "5xx-550"].map(at);
    const sent = await Promise.all(
      Array.from({ length: 10 }, async (_, i) => {
        const target = { url: urls[i % 2] ?? "", key };
        // One pair of sender and recipient for each message: otherwise one message would use up the refusal of another.
        const tagged = to.map((email) => email.replace("@", `+${i}@`));
        return { target, id: await send(target, sendBody({ to: tagged })) };
      }),
    );
    for (const { target, id } of sent) {
      const { recipients, test } = (await pollUntil(target, id, isFinal)) as Tested;
      assert.deepEqual([test, ...recipients.map(({ result }) => result)], [true, "delivered", "delivered", "failed"]);
    }
    assertNothingLeft(world);
  });

  it("has messages attempted by the other node when one stops, and quarantined where their work is on another route", async (t) => {
    const { world, second, urls, client } = await startTwoServices(t, { RETRY_SCHEDULE: "1h" });
    const { key } = await world.newTestKey();
    const target = { url: urls[0], key };
    const deferred = async () => {
      const id = await send(target, sendBody({ to: at("4xx-451") }));
      await pollUntil(target, id, ({ attempts }) => attempts > 0);
      return id;
    };
    const [moved, kept] = [await deferred(), await deferred()];
    await world.service.stop();
    const { rowCount } = await client.query(
      "UPDATE work SET domain = $1 WHERE seq = (SELECT seq FROM messages WHERE id = $2)",
      [RECIPIENT_DOMAIN, moved],
    );
    assert.equal(rowCount, 1);
    const env = { ...world.env, NODE_NAME: "two" };
    for (const id of [moved, kept]) assert.equal((await runCli(["queue", "retry", id], env)).code, 0);
    await pollUntil({ url: second.url, key }, kept, ({ attempts }) => attempts === 2);
    const quarantined = async () => (await second.spool.quarantined(10)).messages.map(({ messageId }) => messageId);
    for (let found = await quarantined(); found.length === 0; found = await quarantined());
    assert.deepEqual(await quarantined(), [moved]);
    assertNothingLeft(world);
  });
});
