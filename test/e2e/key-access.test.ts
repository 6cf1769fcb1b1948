/** What API keys with restrictions may do, from outside: over HTTP, Resend's API and SMTP, from the next request on. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { FULL_ACCESS } from "../../src/spool/port/api-keys.ts";
import { post, send } from "../support/api-client.ts";
import { missingPostgres } from "../support/postgres/installation.ts";
import { startTwoServices } from "../support/postgres/two-services.ts";
import { runCli } from "../support/run-cli.ts";
import { SubmissionClient } from "../support/submission-client.ts";
import { bindVerified, RECIPIENT_DOMAIN, SENDER_DOMAIN, sendBody, startWorld, type World } from "../support/world.ts";

const OTHER_DOMAIN = "other.example";
const TO = `delivered@${RECIPIENT_DOMAIN}`;

interface Failure {
  status: number;
  code?: string;
  name?: string;
  detail?: string;
}

/** Runs a command on keys with --json. */
async function keys<T>({ env }: Pick<World, "env">, ...args: string[]): Promise<T> {
  const { code, stdout, stderr } = await runCli(["keys", ...args, "--json"], env);
  assert.equal(code, 0, stderr);
  return JSON.parse(stdout) as T;
}

const create = (world: Pick<World, "env">, ...options: string[]): Promise<{ id: string; key: string }> =>
  keys(world, "create", "--name", "web", ...options);

async function ask(world: World, key: string, request: string, body?: unknown): Promise<Failure> {
  const [method = "", path = ""] = request.split(" ");
  const answer = await fetch(world.service.url + path, {
    method,
    headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json" },
    ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
  });
  return { ...((await answer.json()) as object), status: answer.status };
}

const outcome = ({ status, code, name }: Failure): string => [status, code ?? name].filter(Boolean).join(" ");

const SENDS: [request: string, body: unknown][] = [
  ["POST /api/sending/send", sendBody()],
  // Rejected before the body is read.
  ["POST /api/sending/send", "{"],
  ["POST /compat/resend/emails", sendBody()],
  ["POST /compat/resend/emails/batch", [sendBody(), sendBody()]],
];

const readsOf = (id: string): string[] => [
  "GET /api/sending/messages",
  `GET /api/sending/messages/${id}`,
  "GET /api/sending/events",
  "GET /compat/resend/emails",
  `GET /compat/resend/emails/${id}`,
];

const NOT_ALLOWED = (request: string): string =>
  request.includes("/compat/") ? "401 restricted_api_key" : "403 permission_denied";

describe("an API key with restrictions", { timeout: 120_000 }, () => {
  it("sends or reads, as its permissions say, and a rejection uses no quota", async (t) => {
    const world = await startWorld(t, { QUOTA_DAILY: "3", RATE_PER_SECOND: "0.0001", RATE_BURST: "2" });
    const sender = await create(world, "--permissions", "send");
    const reader = await create(world, "--permissions", "read");
    for (const [request, body] of SENDS) {
      assert.equal(outcome(await ask(world, reader.key, request, body)), NOT_ALLOWED(request), request);
    }
    const id = await send({ url: world.service.url, key: sender.key }, sendBody());
    for (const request of readsOf(id)) {
      assert.equal(outcome(await ask(world, sender.key, request)), NOT_ALLOWED(request), request);
      // A key that cannot send has no messages of its own: it reads those of all keys.
      assert.equal(outcome(await ask(world, reader.key, request)), "200", request);
    }
    assert.equal(await world.service.registry.quotaUsed("acc_default", Date.now()), 1);
    const denied = await ask(world, sender.key, `GET /api/sending/messages/${id}`);
    assert.equal(
      denied.detail,
      "This API key lacks the permission read: it has only send. Use a key with the permission read.",
    );
    // Two messages are left of the quota, and one token of the rate.
    assert.equal((await post({ url: world.service.url, key: sender.key }, sendBody())).status, 202);
  });

  it("reads the messages of all keys without the permission to send, page by page, but no test key does", async (t) => {
    const world = await startWorld(t);
    const { url } = world.service;
    const other = await world.newKey();
    const ids: string[] = [];
    for (const { key } of [world, other, world]) ids.unshift(await send({ url, key }, sendBody()));
    const reader = await create(world, "--permissions", "read");
    const list = async <T>(path: string, key = reader.key): Promise<T> => (await ask(world, key, `GET ${path}`)) as T;
    const found: string[] = [];
    for (let query = ""; ; ) {
      const page = await list<{ messages: { id: string }[]; next_cursor: string | null }>(
        `/api/sending/messages?limit=1${query}`,
      );
      found.push(...page.messages.map(({ id }) => id));
      if (page.next_cursor === null) break;
      query = `&cursor=${page.next_cursor}`;
    }
    assert.deepEqual(found, ids);
    const newer = await list<{ data: { id: string }[] }>(`/compat/resend/emails?before=${ids[2]}`);
    assert.deepEqual(
      newer.data.map(({ id }) => id),
      ids.slice(0, 2),
    );
    const { events } = await list<{ events: { message_id: string }[] }>("/api/sending/events?limit=100");
    assert.deepEqual([...new Set(events.map(({ message_id: id }) => id))].sort(), ids.toSorted());
    assert.equal(outcome(await ask(world, other.key, `GET /api/sending/messages/${ids[0]}`)), "404 not_found");
    const tester = await create(world, "--test", "--permissions", "read");
    assert.equal(outcome(await ask(world, tester.key, `GET /api/sending/messages/${ids[0]}`)), "404 not_found");
    assert.deepEqual((await list<{ messages: unknown[] }>("/api/sending/messages", tester.key)).messages, []);
  });

  it("reads no link for a new password, which would make its holder another user", async (t) => {
    const world = await startWorld(t);
    const { service } = world;
    const user = { email: TO, accountId: "acc_default", passwordHash: "x", operator: true, role: "owner" as const };
    await service.registry.createUser({ ...user, createdAtMs: Date.now(), usersMax: 10 });
    const reader = await create(world, "--permissions", "read");
    const body = new URLSearchParams({ email: TO });
    await fetch(`${service.url}/dashboard/sign-in/forgotten`, { method: "POST", body });
    let ids: string[] = [];
    while (ids.length === 0) {
      const list = await ask(world, reader.key, "GET /compat/resend/emails");
      ids = (list as Failure & { data: { id: string }[] }).data.map(({ id }) => id);
    }
    const message = (await ask(world, reader.key, `GET /compat/resend/emails/${ids[0]}`)) as Failure & {
      text?: string;
    };
    assert.equal(message.status, 200);
    assert.doesNotMatch(JSON.stringify(message), /new-password/);
    assert.equal(message.text, undefined);
  });

  it("sends from its domains alone, each message of a batch", async (t) => {
    const world = await startWorld(t);
    const certsDir = world.env.CERTS_DIR ?? assert.fail();
    await bindVerified({ ...world, certsDir }, OTHER_DOMAIN);
    const { key } = await create(world, "--domains", OTHER_DOMAIN);
    const mine = sendBody({ from: `a@${OTHER_DOMAIN}` });
    const denied = await ask(world, key, "POST /api/sending/send", sendBody());
    assert.equal(outcome(denied), "403 sender_not_allowed");
    assert.equal(
      denied.detail,
      `This API key may send only from the domains ${OTHER_DOMAIN}, not from ${SENDER_DOMAIN}.`,
    );
    assert.equal(outcome(await ask(world, key, "POST /api/sending/send", mine)).slice(0, 3), "202");
    const batch = await ask(world, key, "POST /compat/resend/emails/batch", [mine, sendBody()]);
    assert.equal(outcome(batch), "403 validation_error");
    assert.equal(await world.service.registry.quotaUsed("acc_default", Date.now()), 1);
  });

  it("reads the messages of its domains alone, by every way, its own ones and those of all keys", async (t) => {
    const world = await startWorld(t);
    const certsDir = world.env.CERTS_DIR ?? assert.fail();
    await bindVerified({ ...world, certsDir }, OTHER_DOMAIN);
    const own = await create(world);
    const reader = await create(world, "--permissions", "read", "--domains", OTHER_DOMAIN);
    const { url } = world.service;
    const hidden = await send({ url, key: own.key }, sendBody());
    const seen = await send({ url, key: own.key }, sendBody({ from: `a@${OTHER_DOMAIN}` }));
    const foreign = await send({ url, key: world.key }, sendBody({ from: `a@${OTHER_DOMAIN}` }));
    await keys(world, "edit", own.id, "--domains", OTHER_DOMAIN);
    const idsAt = async (key: string, path: string): Promise<string[]> => {
      const text = JSON.stringify(await ask(world, key, `GET ${path}`));
      return [hidden, seen, foreign].filter((id) => text.includes(id));
    };
    for (const [key, readable] of [
      [own.key, [seen]],
      [reader.key, [seen, foreign]],
    ] as const) {
      for (const path of ["/api/sending/messages", "/api/sending/events?limit=100", "/compat/resend/emails"]) {
        assert.deepEqual(await idsAt(key, path), readable, path);
      }
      for (const id of [hidden, seen, foreign]) {
        const statuses = readable.includes(id) ? [200, 200, 200] : [404, 404, 400];
        for (const [i, path] of [
          `/api/sending/messages/${id}`,
          `/compat/resend/emails/${id}`,
          `/api/sending/messages?cursor=${id}`,
        ].entries()) {
          assert.equal((await ask(world, key, `GET ${path}`)).status, statuses[i], path);
        }
      }
    }
  });

  it("is refused by SMTP without the permission to send, and outside its domains, also within a session", async (t) => {
    const world = await startWorld(t, { SUBMISSION_PORT: "0", SUBMISSION_ALLOW_PLAINTEXT: "true" });
    const certsDir = world.env.CERTS_DIR ?? assert.fail();
    await bindVerified({ ...world, certsDir }, OTHER_DOMAIN);
    const open = () => SubmissionClient.open(t, world.service.submissionPort ?? assert.fail());
    const reader = await create(world, "--permissions", "read");
    const refused = await open();
    assert.match(await refused.authenticate(reader.key), /^535 5\.7\.8 This API key lacks the permission send/);
    assert.match(await refused.command(`MAIL FROM:<a@${SENDER_DOMAIN}>`), /^530 /);

    const { id, key } = await create(world);
    const session = await open();
    assert.match(await session.authenticate(key), /^235 /);
    const message = (subject: string) => ({
      to: [TO],
      content: `From: a@${SENDER_DOMAIN}\r\nSubject: ${subject}\r\n\r\nHi\r\n`,
    });
    assert.match(await session.send(message("one")), /^250 /);
    await keys(world, "edit", id, "--domains", OTHER_DOMAIN);
    assert.match(await session.send(message("two")), /^550 5\.7\.1 This API key may send only from the domains/);
    await keys(world, "edit", id, "--permissions", "read", "--domains", "all");
    assert.match(await session.send(message("three")), /^550 5\.7\.1 This API key lacks the permission send/);
    await keys(world, "edit", id, "--permissions", "read,send");
    assert.match(await session.send(message("four")), /^250 /);
  });

  it("reads no message of another account, whatever it may read", async (t) => {
    const world = await startWorld(t);
    const id = await send({ url: world.service.url, key: world.key }, sendBody());
    await runCli(["accounts", "create", "other"], world.env);
    for (const permissions of ["read", "send,read", "manage"]) {
      const { key } = await create(world, "--account", "other", "--permissions", permissions);
      for (const request of [`GET /api/sending/messages/${id}`, `GET /compat/resend/emails/${id}`]) {
        const { status } = await ask(world, key, request);
        assert.equal(status, permissions === "manage" ? (request.includes("compat") ? 401 : 403) : 404, request);
      }
      const listed = await ask(world, key, `GET /api/sending/messages?cursor=${id}`);
      assert.equal(listed.status, permissions === "manage" ? 403 : 400);
    }
  });

  it("is used from its networks alone, over HTTP and SMTP", async (t) => {
    const world = await startWorld(t, { SUBMISSION_PORT: "0", SUBMISSION_ALLOW_PLAINTEXT: "true" });
    const near = await create(world, "--networks", "127.0.0.2,127.0.0.1/32");
    const far = await create(world, "--networks", "127.0.0.2/32");
    assert.equal((await ask(world, near.key, "POST /api/sending/send", sendBody())).status, 202);
    for (const request of ["POST /api/sending/send", "POST /compat/resend/emails", "GET /api/sending/messages"]) {
      const { status, code, name } = await ask(
        world,
        far.key,
        request,
        request.startsWith("POST") ? sendBody() : undefined,
      );
      assert.equal(outcome({ status, ...(code ? { code } : {}), ...(name ? { name } : {}) }), NOT_ALLOWED(request));
    }
    const port = world.service.submissionPort ?? assert.fail();
    for (const [address, key, reply] of [
      ["127.0.0.1", far.key, /^535 5\.7\.8 This API key cannot be used from 127\.0\.0\.1/],
      ["127.0.0.2", far.key, /^235/],
    ] as const) {
      const client = await SubmissionClient.open(t, port, address);
      assert.match(await client.authenticate(key), reply);
    }
  });

  it("stops being active at its end, also within an SMTP session", async (t) => {
    const world = await startWorld(t, { SUBMISSION_PORT: "0", SUBMISSION_ALLOW_PLAINTEXT: "true" });
    const { id, key } = await create(world, "--expires", "1h");
    const client = await SubmissionClient.open(t, world.service.submissionPort ?? assert.fail());
    assert.match(await client.authenticate(key), /^235 /);
    const access = { ...FULL_ACCESS, expiresAtMs: Date.now() - 1 };
    await world.service.registry.changeKey({ accountId: "acc_default", keyId: id, name: "web", access });
    const content = `From: a@${SENDER_DOMAIN}\r\nSubject: late\r\n\r\nHi\r\n`;
    assert.match(await client.send({ to: [TO], content }), /^535 5\.7\.8 /);
    assert.equal((await ask(world, key, "POST /api/sending/send", sendBody())).status, 401);
    const listed = await runCli(["keys", "list"], world.env);
    assert.match(listed.stdout, /expired \d{4}-/);
  });

  it("is changed from the next request on, and shown", async (t) => {
    const world = await startWorld(t);
    const target = { url: world.service.url, key: world.key };
    assert.equal((await post(target, sendBody())).status, 202);
    const edited = await keys(world, "edit", world.keyId, "--name", "news", "--permissions", "read");
    const unrestricted = { domains: null, networks: null, expires_at: null };
    assert.deepEqual(edited, { id: world.keyId, name: "news", permissions: ["read"], ...unrestricted });
    assert.equal((await post(target, sendBody())).status, 403);
    await keys(world, "edit", world.keyId, "--permissions", "send,read", "--domains", SENDER_DOMAIN);
    assert.equal((await post(target, sendBody())).status, 202);
    const [shown] = await keys<Record<string, unknown>[]>(world, "list");
    assert.deepEqual([shown?.name, shown?.permissions, shown?.domains], ["news", ["send", "read"], [SENDER_DOMAIN]]);
    const { stdout } = await runCli(["keys", "list"], world.env);
    assert.match(stdout, /^key_\S+ +news +live +send,read +shop\.example +…/m);
  });

  it("is refused with what is wrong by the command line", async (t) => {
    const world = await startWorld(t);
    for (const [args, code, error] of [
      ["create --name x --permissions write", 1, /--permissions: “write” is not a permission/],
      ["create --name x --domains nowhere.example", 1, /--domains: The account has no domain “nowhere.example”/],
      [`edit ${world.keyId}`, 2, /needs --name, --permissions, --domains, --networks or --expires/],
      ["create --name x --networks 192.0.2.0/33", 1, /--networks: “192.0.2.0\/33” is not an IP address or network/],
      ["create --name x --expires yesterday", 2, /--expires 'yesterday' is neither a time/],
      ["create --name x --permissions manage --test", 1, /--permissions: A test key cannot/],
      ["edit key_x --name y", 1, /has no key key_x/],
      [`edit ${world.key} --name y`, 1, /not the key itself/],
    ] as const) {
      const done = await runCli(["keys", ...args.split(" ")], world.env);
      assert.deepEqual([done.code, error.test(done.stderr)], [code, true], `${args}: ${done.stderr}`);
    }
    await runCli(["keys", "revoke", world.keyId], world.env);
    const late = await runCli(["keys", "edit", world.keyId, "--name", "y"], world.env);
    assert.deepEqual([late.code, /is revoked/.test(late.stderr)], [1, true]);
  });
});

describe("an API key of two nodes", { skip: missingPostgres(), timeout: 120_000 }, () => {
  it("is restricted at both from the next request on", async (t) => {
    const { world, urls, ask: askNode } = await startTwoServices(t);
    const statuses = async () =>
      Promise.all(
        urls.map(async (url) => [
          (await askNode(url, "/api/sending/send", { body: sendBody() })).status,
          (await askNode(url, "/api/sending/messages")).status,
        ]),
      );
    assert.deepEqual(await statuses(), [
      [202, 200],
      [202, 200],
    ]);
    await keys(world, "edit", world.keyId, "--permissions", "send");
    assert.deepEqual(await statuses(), [
      [202, 403],
      [202, 403],
    ]);
  });
});
