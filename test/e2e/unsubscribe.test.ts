/** One-click unsubscribe, from the send request to the address that gets no more messages. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { it, test } from "node:test";
import { headerField } from "../../src/testing/sink/header.ts";
import {
  assertAccessible,
  NARROW,
  NO_CHROMIUM,
  openWindow,
  startBrowser,
  takeScreenshots,
} from "../support/dashboard/chromium.ts";
import { contractOf } from "../support/openapi.ts";
import { runCli } from "../support/run-cli.ts";
import { SubmissionClient } from "../support/submission-client.ts";
import { RECIPIENT_DOMAIN, sendBody, startWorld, type World } from "../support/world.ts";

/** Where links lead; the tests follow them to the service itself. */
const PUBLIC_URL = "https://mail.shop.example";
const ANN = `ann@${RECIPIENT_DOMAIN}`;
const ONE_CLICK = { method: "POST", body: new URLSearchParams({ "List-Unsubscribe": "One-Click" }) };

interface Report {
  message_id: string;
  recipients: {
    result: string;
    reason: string | null;
    unsubscribed_at?: string;
    events: { type: string; cause?: string }[];
  }[];
}

async function reportOf(world: World, id: string): Promise<Report> {
  return (await (await world.lookUp(id, "?wait=20")).json()) as Report;
}

/** A delivered message as it arrived, and its link. */
async function arrived(world: World, id: string) {
  const { message_id } = await reportOf(world, id);
  const entry = world.sink.entries.find((each) => each.message_id === message_id);
  assert.ok(entry?.file, id);
  const content = readFileSync(join(dirname(world.env.DATA_DIR ?? ""), "sink", entry.file));
  const [, link = ""] = /^<(.*)>$/.exec(headerField(content, "List-Unsubscribe") ?? "") ?? [];
  return { entry, content, link: link.replace(PUBLIC_URL, world.service.url) };
}

async function sent(world: World, parts: Record<string, unknown> = {}): Promise<string> {
  const answer = await world.post(sendBody({ to: ANN, ...parts }));
  const { id } = (await answer.json()) as { id: string };
  assert.equal(answer.status, 202, id);
  return id;
}

async function eventsOf(world: World): Promise<{ type: string; message_id: string }[]> {
  const answer = await fetch(`${world.service.url}/api/sending/events?limit=100`, {
    headers: { Authorization: `Bearer ${world.key}` },
  });
  return ((await answer.json()) as { events: { type: string; message_id: string }[] }).events;
}

test("a recipient unsubscribes by the link of a message", { timeout: 60_000 }, async (t) => {
  const world = await startWorld(t, { PUBLIC_URL });
  const id = await sent(world, { unsubscribe: true });
  const { entry, content, link } = await arrived(world, id);

  await t.test("which is in both header fields, under a valid signature", () => {
    assert.ok(link.startsWith(`${world.service.url}/unsubscribe/`), link);
    assert.equal(headerField(content, "List-Unsubscribe-Post"), "List-Unsubscribe=One-Click");
    assert.equal(entry.dkim.result, "pass", JSON.stringify(entry.dkim));
    const signed = /\sh=([^;]+);/.exec(content.toString())?.[1]?.replace(/\s/g, "").split(":") ?? [];
    for (const name of ["list-unsubscribe", "list-unsubscribe-post"]) assert.ok(signed.includes(name), name);
  });

  await t.test("which asks, and changes nothing before the POST", async () => {
    const page = await fetch(link);
    assert.equal(page.status, 200);
    assert.match(await page.text(), new RegExp(`${ANN}</strong> from messages of <strong>shop\\.example<`));
    await fetch(link, { method: "HEAD" });
    const { recipients } = await reportOf(world, id);
    assert.equal(recipients[0]?.unsubscribed_at, undefined);
    await sent(world);
  });

  await t.test("once, however often", async () => {
    for (let i = 0; i < 3; i += 1) assert.equal((await fetch(link, ONE_CLICK)).status, 200);
    const { recipients } = await reportOf(world, id);
    assert.match(recipients[0]?.unsubscribed_at ?? "", /^\d{4}-/);
    assert.deepEqual(
      recipients[0]?.events.map(({ type }) => type),
      ["accepted", "delivered", "unsubscribed"],
    );
    const events = (await eventsOf(world)).filter(({ type }) => type === "recipient.unsubscribed");
    assert.deepEqual(
      events.map(({ message_id }) => message_id),
      [id],
    );
  });

  await t.test("and gets no more messages", async () => {
    const [recipient] = (await reportOf(world, await sent(world))).recipients;
    assert.deepEqual([recipient?.result, recipient?.reason], ["failed", "suppressed"]);
    assert.equal(recipient?.events[1]?.cause, "unsubscribed");
    const { stdout } = await runCli(["suppressions", "list"], world.env);
    assert.match(stdout, new RegExp(`^${ANN} {2}unsubscribed, suppressed since \\S+, until it is removed\n$`));
    assert.equal((await runCli(["suppressions", "remove", ANN], world.env)).code, 0);
    assert.equal((await reportOf(world, await sent(world))).recipients[0]?.result, "delivered");
  });

  await t.test("and the responses are those of /openapi.json", async () => {
    const contract = await contractOf(world.service.url);
    await contract.hold("GET /api/sending/messages/{id}", await world.lookUp(id));
    const feed = `${world.service.url}/api/sending/events`;
    await contract.hold(
      "GET /api/sending/events",
      await fetch(feed, { headers: { Authorization: `Bearer ${world.key}` } }),
    );
  });
});

test("a request for a link", { timeout: 60_000 }, async (t) => {
  const world = await startWorld(t, { PUBLIC_URL, SUBMISSION_PORT: "0", SUBMISSION_ALLOW_PLAINTEXT: "true" });

  await t.test("is rejected with every fault and its field", async () => {
    const answer = await world.post(
      sendBody({ to: [ANN, `bob@${RECIPIENT_DOMAIN}`], unsubscribe: true, headers: { "List-Unsubscribe": "<x>" } }),
    );
    assert.equal(answer.status, 400);
    const { code, errors } = (await answer.json()) as { code: string; errors: { field: string; detail: string }[] };
    assert.equal(code, "invalid_request");
    assert.deepEqual(
      errors.map(({ field }) => field),
      ["unsubscribe", "headers.List-Unsubscribe"],
    );
    assert.match(errors[0]?.detail ?? "", /because the link identifies the recipient/);
  });

  await t.test("is repeated with the same Idempotency-Key without another message", async () => {
    const request = () => world.post(sendBody({ to: ANN, unsubscribe: true }), { "Idempotency-Key": "k" });
    const [first, second] = [await request(), await request()];
    assert.deepEqual(await second.json(), await first.json());
    assert.equal(second.headers.get("idempotency-replayed"), "true");
  });

  await t.test("comes by SMTP in a header field, which is removed", async (t) => {
    const client = await SubmissionClient.open(t, world.service.submissionPort ?? 0);
    assert.match(await client.authenticate(world.key), /^235 /);
    const header = ["From: hello@shop.example", "Subject: Hi", "X-Postrider-Unsubscribe: true"];
    const message = [...header, "", "Hi", ""].map((line) => `${line}\r\n`).join("");
    const [, id = ""] = /^250 2\.0\.0 Accepted as (\S+)/.exec(await client.send({ to: [ANN], content: message })) ?? [];
    const { entry, content, link } = await arrived(world, id);
    assert.equal(headerField(content, "X-Postrider-Unsubscribe"), null);
    assert.equal(entry.dkim.result, "pass");
    assert.equal((await fetch(link, ONE_CLICK)).status, 200);
    assert.match((await reportOf(world, id)).recipients[0]?.unsubscribed_at ?? "", /^\d{4}-/);
    const several = await client.send({ to: [`b@${RECIPIENT_DOMAIN}`, `c@${RECIPIENT_DOMAIN}`], content: message });
    assert.match(several, /^550 5\.6\.0 X-Postrider-Unsubscribe: .* exactly one recipient/);
  });
});

test("a request for a link needs a PUBLIC_URL with https", async (t) => {
  const world = await startWorld(t, { PUBLIC_URL: "http://mail.shop.example" });
  const answer = await world.post(sendBody({ to: ANN, unsubscribe: true }));
  assert.equal(answer.status, 400);
  const { code, detail } = (await answer.json()) as { code: string; detail: string };
  assert.equal(code, "invalid_request");
  assert.match(detail, /^unsubscribe: .*PUBLIC_URL of this service is http:\/\/mail\.shop\.example/);
  assert.equal((await world.post(sendBody({ to: ANN }))).status, 202);
});

test("without PUBLIC_URL, no live message has a link: it is rejected by HTTP and SMTP, and a test message is not", async (t) => {
  for (const env of [{}, { PUBLIC_URL: "http://localhost:8080" }]) {
    const world = await startWorld(t, { SUBMISSION_PORT: "0", SUBMISSION_ALLOW_PLAINTEXT: "true", ...env });
    const answer = await world.post(sendBody({ to: ANN, unsubscribe: true }));
    assert.equal(answer.status, 400);
    const { code, detail } = (await answer.json()) as { code: string; detail: string };
    assert.equal(code, "invalid_request");
    assert.match(detail, /^unsubscribe: .*because PUBLIC_URL of this service is not set/);
    const client = await SubmissionClient.open(t, world.service.submissionPort ?? 0);
    await client.authenticate(world.key);
    const content = "From: hello@shop.example\r\nSubject: Hi\r\nX-Postrider-Unsubscribe: true\r\n\r\nHi\r\n";
    assert.match(await client.send({ to: [ANN], content }), /^550 5\.6\.0 .*PUBLIC_URL/s);
    assert.equal(world.sink.entries.length, 0);
    const { key } = await world.newTestKey();
    const headers = { Authorization: `Bearer ${key}` };
    assert.equal((await world.post(sendBody({ to: ANN, unsubscribe: true }), headers)).status, 202);
  }
});

test("a request for a link is answered for a message of more than 64 KiB as for a short one", async (t) => {
  const world = await startWorld(t, { PUBLIC_URL });
  const id = await sent(world, { unsubscribe: true, text: "long ".repeat(50_000) });
  const { entry, link } = await arrived(world, id);
  assert.ok(link.startsWith(`${world.service.url}/unsubscribe/`), link);
  assert.equal(entry.dkim.result, "pass");
});

it("the pages work in a browser, and axe finds nothing", { skip: NO_CHROMIUM, timeout: 60_000 }, async (t) => {
  const world = await startWorld(t, { PUBLIC_URL });
  const id = await sent(world, { unsubscribe: true });
  const { link } = await arrived(world, id);
  const browser = await startBrowser();
  t.after(() => browser.close());
  const { page, consoleErrors } = await openWindow(browser, NARROW);
  await page.goto(link);
  await takeScreenshots(page, "unsubscribe");
  await assertAccessible(page, "unsubscribe");
  await page.getByRole("button", { name: "Unsubscribe" }).click();
  await page.getByRole("heading", { name: "Unsubscribed" }).waitFor();
  await takeScreenshots(page, "unsubscribed");
  await assertAccessible(page, "unsubscribed");
  assert.deepEqual(await page.context().cookies(), []);
  assert.deepEqual(consoleErrors, []);
  assert.match((await reportOf(world, id)).recipients[0]?.unsubscribed_at ?? "", /^\d{4}-/);
});
