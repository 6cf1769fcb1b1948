/** Lookups: the shape of the report, the results of each recipient, and waiting. */
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { RECIPIENT_DOMAIN, SENDER_DOMAIN, sendBody, startWorld, type World } from "../support/world.ts";
import { fieldsOf, problemOf } from "./problem.ts";

interface Event {
  at: string;
  type: string;
  attempt?: number;
  reason?: string | null;
  next_attempt_at?: string | null;
  tries?: { mx: string; ip: string | null; stage: string; reply: { code: number } | null; error: string | null }[];
}

interface Recipient {
  email: string;
  result: string;
  reason: string | null;
  attempts: number;
  next_attempt_at: string | null;
  updated_at: string;
  smtp: {
    code: number;
    enhanced_code: string | null;
    message: string;
    mx: string;
    ip: string;
    tls: string | null;
  } | null;
  events: Event[];
}

interface Report {
  id: string;
  state: string;
  created_at: string;
  updated_at: string;
  from: string;
  subject: string;
  message_id: string;
  recipients: Recipient[];
}

const MESSAGE_MEMBERS = [
  "created_at",
  "expires_at",
  "from",
  "id",
  "message_id",
  "metadata",
  "recipients",
  "state",
  "subject",
  "tags",
  "updated_at",
];
const RECIPIENT_MEMBERS = [
  "attempts",
  "category",
  "email",
  "events",
  "field",
  "next_attempt_at",
  "reason",
  "receiver",
  "result",
  "smtp",
  "updated_at",
];
const SMTP_MEMBERS = ["code", "enhanced_code", "ip", "message", "mx", "tls"];
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

const membersOf = (value: object | null | undefined): string[] => Object.keys(value ?? {}).sort();
const at = (local: string): string => `${local}@${RECIPIENT_DOMAIN}`;

async function sendTo(world: World, to: string | string[]): Promise<string> {
  const answer = await world.post(sendBody({ to }));
  assert.equal(answer.status, 202);
  return ((await answer.json()) as { id: string }).id;
}

async function report(world: World, id: string, query = ""): Promise<Report> {
  const answer = await world.lookUp(id, query);
  assert.equal(answer.status, 200);
  assert.match(answer.headers.get("content-type") ?? "", /^application\/json\b/);
  assert.match(answer.headers.get("x-request-id") ?? "", /\S/);
  return (await answer.json()) as Report;
}

/** Polls until the report matches; the test's time limit ends a poll that never does. */
async function reportOnce(world: World, id: string, isWanted: (report: Report) => boolean): Promise<Report> {
  for (;;) {
    const found = await report(world, id);
    if (isWanted(found)) return found;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

test("GET /api/sending/messages/{id}", { timeout: 60_000 }, async (t) => {
  const world = await startWorld(t, { RETRY_SCHEDULE: "1h" });
  await t.test("every result in one message", (t) => everyResult(t, world));
  await t.test("a retry appears as another attempt", () => retried(world));
  await t.test("?wait=", (t) => waiting(t, world));
  await t.test("a report contains nothing of another message", () => apart(world));
});

async function everyResult(t: TestContext, world: World): Promise<void> {
  const to = [at("drop-after-dot"), at("delivered"), at("4xx-451"), at("5xx-550"), `ann@gone.${RECIPIENT_DOMAIN}`];
  const id = await sendTo(world, to);
  const found = await reportOnce(world, id, ({ recipients }) => recipients.every(({ attempts }) => attempts > 0));
  const [unknown, delivered, pending, failed, nowhere] = found.recipients;
  assert.ok(unknown && delivered && pending && failed && nowhere);

  await t.test("the message has exactly the members of the contract", () => {
    assert.deepEqual(membersOf(found), MESSAGE_MEMBERS);
    assert.equal(found.id, id);
    assert.equal(found.state, "accepted");
    assert.equal(found.from, `hello@${SENDER_DOMAIN}`);
    assert.equal(found.subject, "Hello");
    assert.match(found.created_at, TIME);
    assert.match(found.updated_at, TIME);
    assert.ok(found.updated_at >= found.created_at);
    assert.ok(world.sink.entries.some(({ message_id }) => message_id === found.message_id));
  });

  await t.test("each recipient has exactly the members of the contract, in the order sent", () => {
    assert.deepEqual(
      found.recipients.map(({ email }) => email),
      to,
    );
    for (const recipient of found.recipients) {
      assert.deepEqual(membersOf(recipient), RECIPIENT_MEMBERS);
      assert.equal(recipient.attempts, 1);
      assert.match(recipient.updated_at, TIME);
      assert.ok(recipient.updated_at >= found.created_at && recipient.updated_at <= found.updated_at);
      if (recipient.reason !== null) assert.match(recipient.reason, /^[a-z0-9]+(_[a-z0-9]+)*$/);
      if (recipient.smtp !== null) assert.deepEqual(membersOf(recipient.smtp), SMTP_MEMBERS);
      checkEvents(recipient, found);
    }
  });

  await t.test("delivered: the final reply and its host", () => {
    assert.deepEqual([delivered.result, delivered.reason, delivered.next_attempt_at], ["delivered", null, null]);
    const { smtp } = delivered;
    assert.equal(smtp?.code, 250);
    assert.equal(smtp?.enhanced_code, "2.0.0");
    assert.match(smtp?.message ?? "", /^Stored as /);
    assert.equal(smtp?.mx, `mx.${RECIPIENT_DOMAIN}`);
    assert.equal(smtp?.ip, "127.0.0.1");
    assert.match(smtp?.tls ?? "", /^TLSv1\.\d$/);
    assert.deepEqual(typesOf(delivered), ["accepted", "delivered"]);
  });

  await t.test("failed: the refusal as the peer sent it", () => {
    assert.deepEqual([failed.result, failed.reason, failed.next_attempt_at], ["failed", "recipient_refused", null]);
    assert.equal(failed.smtp?.code, 550);
    assert.equal(failed.smtp?.enhanced_code, "5.0.0");
    assert.match(failed.smtp?.message ?? "", /^Refused/);
    assert.deepEqual(typesOf(failed), ["accepted", "failed"]);
    assert.equal(failed.events[1]?.tries?.[0]?.stage, "rcpt");
    assert.equal(failed.events[1]?.tries?.[0]?.reply?.code, 550);
  });

  await t.test("failed without a peer: no reply", () => {
    assert.deepEqual([nowhere.result, nowhere.smtp, nowhere.next_attempt_at], ["failed", null, null]);
    assert.notEqual(nowhere.reason, null);
    assert.equal(nowhere.events[1]?.tries?.[0]?.stage, "dns");
    assert.notEqual(nowhere.events[1]?.tries?.[0]?.error, null);
  });

  await t.test("pending: the reason and the next attempt", () => {
    assert.equal(pending.result, "pending");
    assert.notEqual(pending.reason, null);
    assert.equal(pending.smtp?.code, 451);
    assert.match(pending.next_attempt_at ?? "", TIME);
    assert.ok(String(pending.next_attempt_at) > pending.updated_at);
    assert.deepEqual(typesOf(pending), ["accepted", "deferred"]);
    assert.equal(pending.events[1]?.next_attempt_at, pending.next_attempt_at);
  });

  await t.test("unknown: no reply, and the evidence", () => {
    assert.deepEqual([unknown.result, unknown.smtp, unknown.next_attempt_at], ["unknown", null, null]);
    assert.notEqual(unknown.reason, null);
    assert.deepEqual(typesOf(unknown), ["accepted", "unknown"]);
    const evidence = unknown.events[1]?.tries?.[0];
    assert.deepEqual(
      [evidence?.stage, evidence?.mx, evidence?.ip],
      ["final_dot", `mx.${RECIPIENT_DOMAIN}`, "127.0.0.1"],
    );
  });
}

const typesOf = ({ events }: Recipient): string[] => events.map(({ type }) => type);

function checkEvents({ events, attempts, updated_at }: Recipient, { created_at }: Report): void {
  assert.deepEqual(events[0], { at: created_at, type: "accepted" });
  assert.equal(events.at(-1)?.at, updated_at);
  assert.equal(events.at(-1)?.attempt, attempts);
  for (const event of events) {
    assert.match(event.at, TIME);
    for (const member of Object.keys(event)) assert.match(member, /^[a-z]+(_[a-z]+)*$/);
  }
  assert.deepEqual(
    events.map((event) => event.at),
    events.map((event) => event.at).sort(),
  );
}

async function retried(world: World): Promise<void> {
  const id = await sendTo(world, at("greylist-1"));
  const isAttempt = (count: number) => (r: Report) => r.recipients[0]?.attempts === count;
  await reportOnce(world, id, isAttempt(1));
  const accountId = (await world.service.registry.accountNamed("default"))?.id ?? "";
  assert.equal(await world.service.spool.retry({ accountId, messageId: id, nowMs: Date.now() }), 1);
  const { recipients } = await reportOnce(world, id, isAttempt(2));
  assert.equal(recipients[0]?.result, "delivered");
  assert.equal(recipients[0]?.smtp?.code, 250);
  const scenario = recipients[0]?.events.map(({ type, attempt }) => [type, attempt]);
  assert.deepEqual(scenario, [
    ["accepted", undefined],
    ["deferred", 1],
    ["retried", 1],
    ["delivered", 2],
  ]);
}

async function waiting(t: TestContext, world: World): Promise<void> {
  await t.test("holds the response until no recipient is pending", async () => {
    const id = await sendTo(world, [at("slow-1s"), at("5xx-550")]);
    assert.equal((await report(world, id)).recipients[0]?.result, "pending");
    assert.equal((await report(world, id, "?wait=0")).recipients[0]?.result, "pending");
    const both = await Promise.all([report(world, id, "?wait=60"), report(world, id, "?wait=60")]);
    for (const { recipients } of both) {
      assert.deepEqual(
        recipients.map(({ result }) => result),
        ["delivered", "failed"],
      );
    }
  });

  await t.test("responds at once if no recipient is pending", async () => {
    const id = await sendTo(world, at("delivered"));
    for (const wait of ["?wait=60", "?wait=60"]) {
      assert.equal((await report(world, id, wait)).recipients[0]?.result, "delivered");
    }
  });

  await t.test("responds when the time is over, even if a recipient is pending", async () => {
    const id = await sendTo(world, [at("4xx-451"), at("delivered")]);
    const { recipients } = await report(world, id, "?wait=1");
    assert.deepEqual(
      recipients.map(({ result }) => result),
      ["pending", "delivered"],
    );
  });

  await t.test("accepts only whole seconds from 0 to 60", async () => {
    const id = await sendTo(world, at("delivered"));
    for (const wait of ["", "-1", "61", "1000", "1.5", "1e1", "0x1", "+1", " 1", "1s", "abc", "NaN", "1&wait=2"]) {
      const query = `?wait=${wait.replaceAll("+", "%2B").replaceAll(" ", "%20")}`;
      const problem = await problemOf(await world.lookUp(id, query), 400, "invalid_request");
      assert.deepEqual(fieldsOf(problem), ["wait"], query);
    }
  });

  await t.test("a client that disconnects frees its slot", async () => {
    const id = await sendTo(world, at("4xx-451"));
    const gone = AbortSignal.timeout(100);
    const headers = { Authorization: `Bearer ${world.key}` };
    const url = `${world.service.url}/api/sending/messages/${id}?wait=60`;
    await assert.rejects(fetch(url, { headers, signal: gone }));
    assert.equal((await report(world, id)).recipients[0]?.result, "pending");
  });
}

/** Two messages to one recipient: each report has only its own data, without contents, keys or accounts. */
async function apart(world: World): Promise<void> {
  const [one, two] = await Promise.all([sendTo(world, [at("a"), at("b")]), sendTo(world, [at("b"), at("c")])]);
  const reports = [await report(world, one, "?wait=20"), await report(world, two, "?wait=20")];
  assert.deepEqual(
    reports.map(({ recipients }) => recipients.map(({ email }) => email)),
    [
      [at("a"), at("b")],
      [at("b"), at("c")],
    ],
  );
  assert.notEqual(reports[0]?.message_id, reports[1]?.message_id);
  const accountId = (await world.service.registry.accountNamed("default"))?.id ?? "";
  const text = JSON.stringify(reports);
  for (const secret of ["Hi there", accountId, world.keyId, "svc_live_"]) assert.ok(!text.includes(secret), secret);
}
