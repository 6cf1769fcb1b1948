/** API keys of both kinds in the dashboard, and the messages of test keys apart from live ones. */
import assert from "node:assert/strict";
import { it } from "node:test";
import { testRouteOf } from "../../../src/message/test-route.ts";
import { installWithOperator } from "../../support/dashboard/installation.ts";
import { type Client, clientOf } from "../../support/dashboard/sign-in.ts";
import { newMessage } from "../../support/messages.ts";

const ACCOUNT = "acc_default";

const textOf = async (client: Client, path: string): Promise<string> => (await client.get(path)).text();

const pathOf = (answer: Response): string => (answer.headers.get("location") ?? "").replace("/dashboard", "");

/** The names in the list of keys. */
const namesIn = (page: string): string[] =>
  [...page.matchAll(/<th scope="row">\s*(\w+)/g)].map(([, name = ""]) => name);

it("creates a live key or a test key, as chosen, shows how to use it, and lists either kind", async (t) => {
  const { url, service } = await installWithOperator(t);
  const client = await clientOf(url);
  assert.doesNotMatch(await textOf(client, "/keys"), /class="tabs"/);
  for (const [kind, heading, prefix] of [
    ["live", /Key “website” created/, "svc_live_"],
    ["test", /Test key “suite” created/, "svc_test_"],
  ] as const) {
    const name = kind === "live" ? "website" : "suite";
    const page = await textOf(client, pathOf(await client.post("/keys", { name, kind })));
    assert.match(page, heading);
    assert.match(page, new RegExp(`<code>${prefix}[\\w-]{43}</code>`));
    assert.equal(page.includes("delivered@example.com"), kind === "test");
  }
  const stored = (await service.registry.keys(ACCOUNT)).map(({ name, test }) => [name, test]).sort();
  assert.deepEqual(stored, [
    ["suite", true],
    ["website", false],
  ]);
  const all = await textOf(client, "/keys");
  assert.deepEqual(namesIn(all).sort(), ["suite", "website"]);
  assert.equal(all.match(/badge quiet[^<]*>(?:<svg.*?<\/svg>)?Test</gs)?.length, 1);
  assert.deepEqual(namesIn(await textOf(client, "/keys?kind=test")), ["suite"]);
  assert.deepEqual(namesIn(await textOf(client, "/keys?kind=live")), ["website"]);
  const rejected = await (await client.post("/keys", { name: "", kind: "test" })).text();
  assert.match(rejected, /<option value="test" selected/);
});

it("labels messages of test keys, filters them, and leaves them out of the figures and the first steps", async (t) => {
  const { url, service } = await installWithOperator(t);
  const client = await clientOf(url);
  const times = { createdAtMs: Date.now(), expiresAtMs: Date.now() + 1e9 };
  const recipients = [{ email: "4xx-451@customers.example", domain: testRouteOf(ACCOUNT) }];
  const test = newMessage({ ...times, recipients, subject: "From the suite", test: true });
  await service.spool.accept(test);
  assert.equal(pathOf(await client.get("/")), "/start");
  assert.doesNotMatch(await textOf(client, "/start"), /card step good" id="step-4"/);

  await service.spool.pauseDomain("customers.example", Date.now());
  await service.spool.accept(newMessage({ ...times, subject: "From the website" }));
  const found = async (query: string): Promise<boolean[]> => {
    const page = await textOf(client, `/messages${query}`);
    return ["From the suite", "From the website"].map((subject) => page.includes(subject));
  };
  assert.deepEqual(
    [await found(""), await found("?kind=test"), await found("?kind=live")],
    [
      [true, true],
      [true, false],
      [false, true],
    ],
  );
  const page = await textOf(client, `/messages/${test.id}`);
  assert.match(page, /Test message: it was sent with a test key/);
  assert.doesNotMatch(page, /An operator has paused/);
  const overview = await textOf(client, "/?range=24h");
  assert.match(overview, /Waiting now<\/a><\/dt><dd><span class="figure-value">1</);
  assert.doesNotMatch(overview, /test\.\./);
  assert.doesNotMatch(await textOf(client, "/operator/queue"), /test\.\./);
});
