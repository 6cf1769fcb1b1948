/** `send`, `messages list` and `destinations` beside a running service, on both forms of the spool. */
import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import { freshDatabase } from "../support/postgres/fresh-database.ts";
import { missingPostgresOrTime } from "../support/postgres/installation.ts";
import { followCli, runCli } from "../support/run-cli.ts";
import { bindUnverified, RECIPIENT_DOMAIN, SENDER_DOMAIN, sendBody, startWorld, type World } from "../support/world.ts";

const at = (local: string): string => `${local}@${RECIPIENT_DOMAIN}`;
const FROM = `Shop <hello@${SENDER_DOMAIN}>`;

interface Listed {
  id: string;
  to: string;
  subject: string;
  results: Record<string, number>;
}

const jsonOf = async (world: World, ...args: string[]) => {
  const { code, stdout, stderr } = await runCli([...args, "--json"], world.env);
  assert.deepEqual([code, stderr], [0, ""], args.join(" "));
  return JSON.parse(stdout);
};

const soon = () => new Promise((resolve) => setTimeout(resolve, 50));

const recipientOf = async (world: World, id: string) => (await jsonOf(world, "messages", "show", id)).recipients[0];

async function finalResult(world: World, id: string): Promise<string> {
  for (;;) {
    const { result } = await recipientOf(world, id);
    if (result !== "pending") return result;
    await soon();
  }
}

const send = (world: World, to: string, ...more: string[]) =>
  runCli(["send", "--from", FROM, "--to", to, "--subject", "First test", "--text", "It works.", ...more], world.env);

/** Sends through the API, and waits for all results. */
async function sent(world: World, body: Record<string, unknown>): Promise<string> {
  const { id } = (await (await world.post(sendBody(body))).json()) as { id: string };
  await world.lookUp(id, "?wait=20");
  return id;
}

function commandsOn(start: (t: TestContext, env?: Record<string, string>) => Promise<World>): void {
  it("send accepts a message that the service delivers, and waits for its results", async (t) => {
    const world = await start(t);
    const { code, stdout, stderr } = await send(world, `${at("ann")}, "Bob, Builder" <${at("bob")}>`, "--wait", "20");
    assert.deepEqual([code, stderr], [0, ""]);
    assert.match(
      stdout,
      /^msg_\S+\nRECIPIENT +RESULT +REPLY\nann@\S+ +delivered +250 .*\nbob@\S+ +delivered +250 .*\n$/,
    );
    const { id, state } = JSON.parse((await send(world, at("cy"), "--json")).stdout);
    assert.equal(state, "accepted");
    assert.equal(await finalResult(world, id), "delivered");
  });

  it("send exits with 1 unless all recipients get the message in time", async (t) => {
    const world = await start(t);
    const failed = await send(world, `${at("ann")},${at("5xx-550")}`, "--wait", "20", "--json");
    assert.equal(failed.code, 1);
    assert.match(failed.stderr, /^postrider: 1 recipient not delivered to: messages show msg_\S+\n$/);
    const { recipients } = JSON.parse(failed.stdout) as { recipients: { result: string }[] };
    assert.deepEqual(recipients.map(({ result }) => result).sort(), ["delivered", "failed"]);
    const deferred = await send(world, at("4xx-451"), "--wait", "5");
    assert.equal(deferred.code, 1);
    assert.match(
      deferred.stderr,
      /^postrider: 1 recipient still pending after 5 seconds\. 4xx-451@\S+: 451 .*; the next attempt is due \S+Z\. See messages show msg_\S+\n$/,
    );
    await runCli(["destinations", "pause", RECIPIENT_DOMAIN], world.env);
    const mixed = await send(world, `${at("ann")},ben@nowhere.invalid`, "--wait", "5");
    assert.match(
      mixed.stderr,
      /^postrider: 1 recipient not delivered to, and 1 recipient still pending after 5 seconds\. customers\.example: An /,
    );
    const paused = await send(world, at("ann"), "--wait", "1");
    assert.match(
      paused.stderr,
      /^postrider: 1 recipient still pending after 1 second\. customers\.example: An operator paused this recipient domain \S+Z\. See /,
    );
    await world.service.stop();
    const alone = await send(world, at("ann"), "--wait", "1");
    assert.match(
      alone.stderr,
      /still pending after 1 second\. No service runs on (DATA_DIR|DATABASE_URL)=\S+\. See messages show/,
    );
  });

  it("messages list shows the newest that match, and follows what is accepted and changes", async (t) => {
    const world = await start(t);
    const failed = await sent(world, { to: at("5xx-550"), subject: "Invoice 1", tags: ["invoice"] });
    const done = await sent(world, { to: [at("ann"), at("bob")], subject: "日本語のお知らせ" });
    const ids = async (...args: string[]) =>
      (await jsonOf(world, "messages", "list", ...args)).map(({ id }: Listed) => id);
    assert.deepEqual(await ids(), [done, failed]);
    assert.deepEqual(await ids("--limit", "1"), [done]);
    assert.deepEqual(await ids("--result", "failed"), [failed]);
    assert.deepEqual(await ids("--tag", "invoice"), [failed]);
    assert.deepEqual(await ids("--subject", "invoice"), [failed]);
    assert.deepEqual(await ids("--to", at("bob")), [done]);
    assert.deepEqual(await ids("--since", "1h", "--to", "@nowhere.example"), []);
    const { stdout } = await runCli(["messages", "list", "--limit", "1"], world.env);
    assert.match(stdout, / delivered {2}ann@\S+ and 1 other {2}日本語のお知らせ\nOnly the newest 1 are shown: --limit/);
    const all = (await runCli(["messages", "list"], world.env)).stdout;
    assert.match(all, /^ACCEPTED +MESSAGE +RESULT +REASON +TO +SUBJECT\n/);
    assert.match(all, / failed +recipient_refused \(other\) +5xx-550@\S+ +Invoice 1\n/);
    const [{ obstacle }] = await jsonOf(world, "messages", "list", "--result", "failed");
    assert.deepEqual(
      [obstacle.email, obstacle.reason, obstacle.category, obstacle.smtp.code],
      [at("5xx-550"), "recipient_refused", "other", 550],
    );

    const rows = followCli(["messages", "list", "--follow", "--tag", "invoice"], world.env);
    assert.match(await rows.line(), / failed +5xx-550@\S+ +Invoice 1 +recipient_refused \(other\)$/);
    assert.equal((await rows.stop()).code, 0);
    const follow = followCli(["messages", "list", "--follow", "--tag", "invoice", "--json"], world.env);
    assert.equal(JSON.parse(await follow.line()).id, failed);
    await sent(world, { to: at("cy"), subject: "No invoice" });
    const next = await sent(world, { to: at("cy"), subject: "Invoice 2", tags: ["invoice"] });
    let followed: Listed;
    do {
      followed = JSON.parse(await follow.line());
      assert.deepEqual([followed.id, followed.subject], [next, "Invoice 2"]);
    } while (followed.results.delivered !== 1);
    await runCli(["queue", "retry", failed, "--failed"], world.env);
    // A message that was printed as delivered is printed again if its last event came after that.
    do followed = JSON.parse(await follow.line());
    while (followed.id === next);
    assert.equal(followed.id, failed);
    assert.equal((await follow.stop()).code, 0);
  });

  it("destinations are listed, paused, tried again and resumed", async (t) => {
    const world = await start(t);
    const destinations = (...args: string[]) => runCli(["destinations", ...args], world.env);
    const none = "No recipient is waiting, and no recipient domain is paused.\n";
    assert.equal((await destinations()).stdout, none);
    assert.equal((await destinations("list")).stdout, none);
    const { id } = (await (await world.post(sendBody({ to: at("4xx-451") }))).json()) as { id: string };
    while ((await recipientOf(world, id)).attempts === 0) await soon();
    assert.match(
      (await destinations("pause", "Customers.EXAMPLE")).stdout,
      /^No attempt is made at customers\.example until/,
    );
    const queued = async (...args: string[]) => (await jsonOf(world, "queue", "list", ...args)).length;
    assert.deepEqual([await queued("--result", "pending"), await queued("--result", "unknown")], [1, 0]);
    assert.match(
      (await runCli(["queue", "list", "--result", "unknown"], world.env)).stdout,
      /^No recipient is unknown at \S+Z\.\n$/,
    );
    const listed = await jsonOf(world, "destinations");
    assert.equal(listed.waiting, 1);
    const [destination] = listed.destinations;
    assert.deepEqual([destination.domain, destination.waiting, destination.smtp.code], [RECIPIENT_DOMAIN, 1, 451]);
    assert.deepEqual([destination.due, destination.deferred, destination.in_flight], [0, 1, 0]);
    assert.equal(destination.wait.type, "domain_paused");
    assert.match(destination.paused_at, /Z$/);
    assert.match(
      (await destinations()).stdout,
      /^customers\.example +0 +1 +0 +\S+Z .*An operator paused this recipient domain \S+Z\. 451/m,
    );
    assert.match(
      (await destinations("retry", RECIPIENT_DOMAIN)).stdout,
      /^1 recipient at \S+ is due now, but .* paused/,
    );
    assert.equal((await destinations("resume", RECIPIENT_DOMAIN)).stdout, "Attempts at customers.example go on.\n");
    while ((await recipientOf(world, id)).attempts < 2) await soon();
    const refusals: [string[], RegExp][] = [
      [["resume", RECIPIENT_DOMAIN], /customers\.example is not paused/],
      [["retry", "nowhere.example"], /no recipient at nowhere\.example waits for a later attempt/],
      [["pause", "a@b"], /a@b is not a recipient domain: give the part after the @/],
    ];
    for (const [args, words] of refusals) {
      const { code, stdout, stderr } = await destinations(...args);
      assert.deepEqual([code, stdout], [1, ""]);
      assert.match(stderr, words);
    }
    const cancel = ["queue", "cancel", "--pending", "--domain", RECIPIENT_DOMAIN];
    assert.deepEqual(await jsonOf(world, ...cancel, "--dry-run"), { cancelled: 0, would_cancel: 1 });
    assert.equal((await jsonOf(world, ...cancel, "--yes")).cancelled, 1);
    assert.deepEqual(await recipientOf(world, id).then(({ result, reason }) => [result, reason]), [
      "failed",
      "cancelled",
    ]);
  });

  it("a deleted account's keys are rejected until it is restored, and an invitation is sent", async (t) => {
    const world = await start(t);
    const { id } = await jsonOf(world, "accounts", "create", "blue");
    const { key } = await world.newKey(id);
    const status = async () => (await world.post(sendBody(), { Authorization: `Bearer ${key}` })).status;
    assert.equal(await status(), 403, "it has no domain");
    await jsonOf(world, "accounts", "delete", "blue", "--yes");
    assert.equal(await status(), 401);
    await jsonOf(world, "accounts", "restore", "blue");
    assert.equal(await status(), 403);
    const invited = await jsonOf(world, "users", "invite", at("eve"), "--account", "blue", "--role", "viewer");
    assert.equal(invited.sent_from, SENDER_DOMAIN, "that of the default account");
    const path = new URL(invited.link).pathname;
    const page = await (await fetch(`${world.service.url}${path}`)).text();
    assert.match(page, /An operator invites you as viewer/);
    const [{ to, subject }] = await jsonOf(world, "messages", "list", "--to", at("eve"));
    assert.deepEqual([to, subject], [at("eve"), "Invitation to the account blue"]);
  });

  it("a closed destination says why wherever its recipients are shown, and is tried with one message on request", async (t) => {
    const world = await start(t, { RETRY_SCHEDULE: "1h" });
    const ids: string[] = [];
    for (let count = 0; count < 5; count += 1) {
      const { id = "" } = (await (await world.post(sendBody({ to: at("4xx-421") }))).json()) as { id: string };
      while ((await recipientOf(world, id)).attempts === 0) await soon();
      ids.push(id);
    }
    const waits = async () => (await jsonOf(world, "destinations")).destinations[0].wait;
    while ((await waits()).type !== "closed") await soon();
    const why =
      /Postrider closed delivery to the recipient's server \S+Z after rate limits\. Last reply \S+Z: 421 .* The next probe/;
    assert.match((await waits()).text, why);
    assert.match((await runCli(["queue", "list"], world.env)).stdout, why);
    const [, id = ""] = ids;
    assert.match((await runCli(["messages", "show", id], world.env)).stdout, why);
    const closed = /customers\.example is closed: one message is tried within seconds, and the others follow/;
    assert.match((await runCli(["queue", "retry", id], world.env)).stdout, closed);
    while ((await recipientOf(world, id)).attempts < 2) await soon();
    assert.match((await runCli(["destinations", "retry", RECIPIENT_DOMAIN], world.env)).stdout, closed);
    const attempts = async () => Promise.all(ids.map(async (each) => (await recipientOf(world, each)).attempts));
    while ((await attempts()).every((count, i) => count === (i === 1 ? 2 : 1))) await soon();
  });
}

describe("with SQLite", { timeout: 360_000 }, () => {
  commandsOn(startWorld);

  it("send refuses what may not be sent, in one line", async (t) => {
    const world = await startWorld(t);
    await bindUnverified(world.service, world.env.CERTS_DIR ?? "", "new.example");
    const refusals: [string[], number, RegExp][] = [
      [["--from", "a@other.example"], 1, /No domain of this account covers other\.example.*See "domains list"/],
      [["--from", "a@new.example"], 1, /The domain new\.example is not verified.*See "domains verify"/],
      [["--from", "nobody"], 1, /^postrider: from: /],
      [["--to", "a@b, c"], 1, /^postrider: to/],
      [["--to", `"Bob, Builder <${at("bob")}>`], 1, /^postrider: to.*closing quotation mark is missing/],
      [["--wait", "soon"], 2, /--wait 'soon' is not a whole number of seconds/],
      [["--text", "-", "--html", "-"], 2, /standard input can be --text or --html, not both/],
    ];
    const given = { "--from": FROM, "--to": at("ann"), "--subject": "Hi", "--text": "Hi" };
    for (const [changes, code, words] of refusals) {
      const pairs: [string, string][] = changes.flatMap((name, i) =>
        i % 2 === 0 ? [[name, changes[i + 1] ?? ""]] : [],
      );
      const options: Record<string, string> = { ...given, ...Object.fromEntries(pairs) };
      const outcome = await runCli(["send", ...Object.entries(options).flat()], world.env);
      assert.deepEqual([outcome.code, outcome.stdout], [code, ""], changes.join(" "));
      assert.match(outcome.stderr, words);
      assert.equal(outcome.stderr.split("\n").length, 2);
    }
    const empty = await runCli(["send", "--from", FROM, "--to", at("ann"), "--subject", "Hi"], world.env);
    assert.deepEqual([empty.code, empty.stderr], [2, "postrider: send needs --text or --html, or both\n"]);
    assert.equal((await runCli(["send"], world.env)).code, 2);
    assert.deepEqual(await jsonOf(world, "messages", "list"), []);
  });

  it("send reads the content from standard input", async (t) => {
    const world = await startWorld(t);
    const args = ["send", "--from", FROM, "--to", at("ann"), "--subject", "Hi", "--html", "-", "--json"];
    const { stdout } = await runCli(args, world.env, "<p>From a file</p>");
    const { id } = JSON.parse(stdout);
    const spool = world.service.spool as unknown as { content(id: string): Promise<{ first: Buffer }> };
    assert.match((await spool.content(id)).first.toString(), /<p>From a file<\/p>/);
  });

  it("messages list refuses a wrong limit or time", async (t) => {
    const { env } = await startWorld(t);
    for (const [option, value] of [
      ["--limit", "0"],
      ["--limit", "1001"],
      ["--limit", "ten"],
      ["--since", "yesterday"],
      ["--result", "bounced"],
    ] as const) {
      const { code, stderr } = await runCli(["messages", "list", option, value], env);
      assert.equal(code, 2);
      assert.match(stderr, new RegExp(`^postrider: ${option} '${value}' is n`));
    }
  });
});

describe("with PostgreSQL", { skip: missingPostgresOrTime(), timeout: 180_000 }, () => {
  commandsOn(async (t) => startWorld(t, { DATABASE_URL: (await freshDatabase(t)).url, NODE_NAME: "a" }));
});
