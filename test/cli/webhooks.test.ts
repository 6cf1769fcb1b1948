/** `webhooks`: endpoints on the command line, and their test event with a real receiver. */
import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { describe, it, type TestContext } from "node:test";
import { openSqliteSpool } from "../../src/spool/engine/sqlite/sqlite-spool.ts";
import { runCli } from "../support/run-cli.ts";
import { tempDir } from "../support/temp-dir.ts";
import { startWebhookReceiver } from "../support/webhook-receiver.ts";

const URL_1 = "https://hooks.example/postrider";

async function installation(t: TestContext, more: Record<string, string> = {}) {
  const dir = tempDir(t);
  const env = { DATA_DIR: `${dir}/data`, CERTS_DIR: `${dir}/certs`, DNS_SERVERS: "127.0.0.1:1", ...more };
  const cli = (...args: string[]) => runCli(args, env);
  const jsonOf = async (...args: string[]) => {
    const { code, stdout, stderr } = await cli(...args, "--json");
    assert.deepEqual([code, stderr], [0, ""], args.join(" "));
    return JSON.parse(stdout);
  };
  const refuses = async (args: string[], code: number, words: RegExp | string) => {
    const refused = await cli(...args);
    assert.deepEqual([refused.code, refused.stdout], [code, ""], args.join(" "));
    const line = refused.stderr.replace(/^postrider: (.*)\n$/, "$1");
    assert.ok(typeof words === "string" ? line === words : words.test(line), refused.stderr);
  };
  assert.equal((await cli("domains", "add", "shop.example")).code, 0);
  const web = await jsonOf("keys", "create", "--name", "web");
  return { env, cli, jsonOf, refuses, web: web as { id: string; key: string } };
}

async function openSpool({ env }: { env: { DATA_DIR: string } }) {
  return openSqliteSpool({
    dataDir: env.DATA_DIR,
    role: "client",
    onFatal(error) {
      throw error;
    },
  });
}

describe("webhooks create", () => {
  it("prints id, URL and secret, which no other command shows", async (t) => {
    const { cli, jsonOf } = await installation(t);
    const created = await jsonOf("webhooks", "create", URL_1);
    assert.deepEqual(Object.keys(created), ["id", "url", "secret"]);
    assert.match(created.secret, /^whsec_[A-Za-z0-9+/]{43}=$/);
    const text = await cli("webhooks", "create", "https://hooks.example/2");
    assert.match(text.stdout, /^whsec_\S+\n\nWebhook endpoint end_\S+ created\. Its secret is not shown again\.\n$/);
    const listed = await jsonOf("webhooks", "list");
    assert.ok(!JSON.stringify(listed).includes("whsec_"));
    assert.deepEqual(listed.map(({ created_at: _, ...shown }: Record<string, unknown>) => shown)[0], {
      id: created.id,
      url: URL_1,
      events: null,
      keys: null,
      domains: null,
      state: "active",
      paused_at: null,
      disabled_at: null,
      disabled_reason: null,
      failing_since: null,
      last_failure: null,
      waiting: { retries: 0, events: 0 },
    });
  });

  it("takes event types, keys by id or name, and domains", async (t) => {
    const { jsonOf, cli, web } = await installation(t);
    const app = await jsonOf("keys", "create", "--name", "my app");
    const events = "recipient.failed, message.accepted";
    await jsonOf(
      "webhooks",
      "create",
      URL_1,
      "--events",
      events,
      "--keys",
      `my app,${web.id}`,
      "--domains",
      "Shop.example",
    );
    const [{ events: types, keys, domains }] = await jsonOf("webhooks", "list");
    assert.deepEqual(types, ["message.accepted", "recipient.failed"]);
    assert.deepEqual([keys, domains], [[app.id, web.id], ["shop.example"]]);
    const row = (await cli("webhooks", "list")).stdout.split("\n")[1] ?? "";
    const filter = `message.accepted, recipient.failed of keys ${app.id}, ${web.id} of domains shop.example`;
    assert.match(row, new RegExp(`^end_\\S+ {2}${URL_1} {2}${filter} {2}none {2,}active$`));
  });

  it("refuses what does not exist in one line, and never repeats a key", async (t) => {
    const { refuses, jsonOf, cli, web } = await installation(t, { WEBHOOKS_MAX: "1" });
    const create = ["webhooks", "create"];
    await refuses(create, 2, /^URL is missing; usage: postrider webhooks create URL \[--events TYPE,…\]/);
    await refuses([...create, "http://hooks.example/"], 1, /^the URL is not valid: Webhooks are sent over HTTPS only/);
    await refuses(
      [...create, URL_1, "--events", "opened"],
      1,
      /^--events is not valid: “opened” is not an event type\./,
    );
    await refuses([...create, URL_1, "--events", ","], 1, "--events is not valid: Select at least one event type.");
    await refuses([...create, URL_1, "--keys", "app"], 1, "--keys is not valid: The account has no API key “app”.");
    const itself = "give the key's ID, as keys list shows it, not the key itself";
    await refuses([...create, URL_1, "--keys", `web,${web.key}`], 1, itself);
    const noDomain = "--domains is not valid: The account has no domain “club.example”.";
    await refuses([...create, URL_1, "--domains", "club.example"], 1, noDomain);
    const second = await jsonOf("keys", "create", "--name", "web");
    const ambiguous = `2 keys are named web: give the id of one of them (${web.id}, ${second.id})`;
    await refuses([...create, URL_1, "--keys", "web"], 1, ambiguous);
    await cli("keys", "revoke", second.id);
    assert.equal((await cli(...create, URL_1, "--keys", "web")).code, 0, "one of both is active");
    const limit = "the account default has reached its limit of 1 webhook endpoint (WEBHOOKS_MAX): remove one first";
    await refuses([...create, URL_1], 1, limit);
  });

  it("seals nothing with a second master key", async (t) => {
    const { env, refuses, jsonOf } = await installation(t);
    const { id } = await jsonOf("webhooks", "create", URL_1);
    rmSync(env.CERTS_DIR, { recursive: true });
    for (const args of [
      ["create", URL_1],
      ["rotate", id],
      ["test", id],
    ]) {
      await refuses(["webhooks", ...args], 1, /^CERTS_DIR=\S+ has no master\.key, and the domains' keys are sealed/);
    }
  });
});

it("lists why and since when an endpoint is paused, failing or disabled", async (t) => {
  const place = await installation(t);
  const { cli, jsonOf } = place;
  const { id } = await jsonOf("webhooks", "create", URL_1);
  const row = async () => (await cli("webhooks", "list")).stdout.split("\n")[1]?.split(/ {2,}/).at(-1);
  const spool = await openSpool(place);
  t.after(() => spool.close());
  const sinceMs = Date.UTC(2026, 2, 1);
  async function settle(atMs: number, disable: "failing" | "gone" | null): Promise<void> {
    const [endpoint] = await spool.endpoints(null);
    const { version, position } = endpoint ?? assert.fail();
    await spool.settleWebhooks({
      endpointId: id,
      version,
      atMs,
      position,
      blocked: [],
      gone: [],
      isRecovered: false,
      disable,
      results: [
        {
          event: { number: 1, id: "evt_1", type: "message.accepted", messageId: null, orderKey: 1 },
          attempt: { atMs, durationMs: 1, attempt: 1, status: 500, error: null, response: "" },
          outcome: { type: "given_up" },
        },
      ],
    });
  }
  await settle(sinceMs, null);
  assert.equal(await row(), "failing since 2026-03-01T00:00:00.000Z (status 500)");
  assert.deepEqual(await jsonOf("webhooks", "pause", id), { id, paused: true });
  assert.match((await row()) ?? "", /^paused since \S+Z, failing since 2026-03-01T00:00:00\.000Z \(status 500\)$/);
  await settle(sinceMs + 1000, "failing");
  const reason = "because it was failing since 2026-03-01T00:00:00.000Z (status 500)";
  assert.equal(await row(), `disabled since 2026-03-01T00:00:01.000Z ${reason}`);
  const [listed] = await jsonOf("webhooks", "list");
  assert.deepEqual([listed.state, listed.disabled_reason], ["disabled", "failing"]);
  assert.deepEqual(listed.last_failure, { at: "2026-03-01T00:00:01.000Z", status: 500, error: null });
  assert.deepEqual(await jsonOf("webhooks", "resume", id), { id, paused: false });
  assert.equal(await row(), "active");
  await settle(sinceMs, "gone");
  assert.equal(await row(), "disabled since 2026-03-01T00:00:00.000Z because it responded 410 Gone");
});

it("test posts a signed test event, and fails unless the response is 2xx", async (t) => {
  const receiver = await startWebhookReceiver(t);
  const { cli, jsonOf } = await installation(t, { WEBHOOK_ALLOW_PRIVATE: "true" });
  const { id, secret } = await jsonOf("webhooks", "create", receiver.url, "--events", "message.accepted");
  const accepted = await jsonOf("webhooks", "test", id);
  assert.deepEqual(Object.keys(accepted), ["status", "duration_ms", "error", "response"]);
  assert.deepEqual([accepted.status, accepted.error, accepted.response], [204, null, ""]);
  const [first] = receiver.received;
  assert.ok(first !== undefined);
  assert.ok(first.isSignedWith(secret));
  const { data } = JSON.parse(first.body);
  assert.deepEqual([data.id, data.test, data.type], [first.headers["webhook-id"], true, "recipient.delivered"]);

  const rotated = await jsonOf("webhooks", "rotate", id);
  assert.deepEqual(Object.keys(rotated), ["secret"]);
  assert.match((await cli("webhooks", "test", id)).stdout, /^Status 204 after \d+ ms\.\n$/);
  assert.deepEqual(
    [receiver.received[1]?.isSignedWith(secret), receiver.received[1]?.isSignedWith(rotated.secret)],
    [true, true],
  );

  receiver.response = { status: 500, body: "out of order" };
  const refused = await cli("webhooks", "test", id, "--json");
  assert.deepEqual([refused.code, JSON.parse(refused.stdout).response], [1, "out of order"]);
  assert.match(refused.stderr, /^postrider: the test event was not accepted: .*500.*\n$/);
  const text = await cli("webhooks", "test", id);
  assert.match(text.stdout, /^Status 500 after \d+ ms\.\n\nout of order\n$/);
});

it("rotate explains how long the former secret is valid", async (t) => {
  const { cli, jsonOf } = await installation(t);
  const { id, secret } = await jsonOf("webhooks", "create", URL_1);
  const { stdout } = await cli("webhooks", "rotate", id);
  assert.match(
    stdout,
    /^whsec_\S+\n\n.*The former secret stays valid for 24 hours.* ends the former secret at once\.\n$/,
  );
  assert.ok(!stdout.includes(secret));
  assert.match((await cli("webhooks", "rotate", id)).stdout, /The secret before the former one no longer works/);
});

it("replay takes a time or a duration, and needs one", async (t) => {
  const place = await installation(t);
  const { jsonOf, refuses } = place;
  const { id } = await jsonOf("webhooks", "create", URL_1);
  const since = "2026-03-01T10:00:00.000Z";
  assert.deepEqual(await jsonOf("webhooks", "replay", id, "--since", "2026-03-01T11:00:00+01:00"), { id, since });
  const before = Date.now() - 7_200_000;
  const back = await jsonOf("webhooks", "replay", id, "--since", "2h");
  assert.ok(Math.abs(Date.parse(back.since) - before) < 60_000, back.since);
  await jsonOf("webhooks", "pause", id);
  const { stdout } = await place.cli("webhooks", "replay", id, "--since", since);
  assert.match(stdout, /^The events since 2026-03-01T10:00:00\.000Z .* once you resume it, /);
  const future = ["webhooks", "replay", id, "--since", "2126-01-01T00:00:00Z"];
  await refuses(future, 1, "--since 2126-01-01T00:00:00Z is in the future");
  await refuses(
    ["webhooks", "replay", id],
    2,
    "webhooks replay needs --since TIME; usage: postrider webhooks replay ID --since TIME",
  );
  await refuses(
    ["webhooks", "replay", id, "--since", "yesterday"],
    2,
    /^--since 'yesterday' is neither a time such as/,
  );
});

it("refuses endpoints of other accounts", async (t) => {
  const { cli, jsonOf, refuses } = await installation(t);
  const { id } = await jsonOf("webhooks", "create", URL_1);
  await jsonOf("accounts", "create", "blue");
  const words = `the account blue has no webhook endpoint ${id}`;
  for (const verb of ["remove", "test", "rotate", "pause", "resume"]) {
    await refuses(["webhooks", verb, id, "--account", "blue"], 1, words);
  }
  await refuses(["webhooks", "replay", id, "--since", "2h", "--account", "blue"], 1, words);
  assert.equal((await cli("webhooks", "list", "--account", "blue")).stdout, "No webhook endpoints.\n");
  assert.deepEqual(await jsonOf("webhooks", "remove", id), { id, removed: true });
  await refuses(["webhooks", "remove", id], 1, `the account default has no webhook endpoint ${id}`);
});
