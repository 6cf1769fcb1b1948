/** What pages say when something is paused, misspelt, in trouble, or reached from the wrong side. Without a browser. */
import assert from "node:assert/strict";
import { connect } from "node:net";
import { describe, it } from "node:test";
import { setTimeout } from "node:timers/promises";
import { cheapHash } from "../../support/cheap-hash.ts";
import { HOUR_MS, newMessage, recipientsAt, settlement } from "../../support/messages.ts";
import { type Installation, installWithOperator, OPERATOR } from "../installation.ts";
import { type Client, clientOf, cookieOf, postForm } from "../sign-in.ts";

const textOf = async (client: Client, path: string): Promise<string> => (await client.get(path)).text();
const pathOf = (answer: Response): string => (answer.headers.get("location") ?? "").replace("/dashboard", "");

async function until(holds: () => Promise<boolean>): Promise<void> {
  for (let looks = 0; looks < 400; looks += 1) {
    if (await holds()) return;
    await setTimeout(50);
  }
  assert.fail("it never came true");
}

async function addUser({ service }: Installation, account: string, email: string): Promise<typeof OPERATOR> {
  const made = await service.registry.createAccount(account, Date.now());
  assert.ok(made !== "exists");
  const password = "a long enough password";
  const passwordHash = cheapHash(password);
  await service.registry.createUser({
    email,
    accountId: made.id,
    passwordHash,
    operator: false,
    createdAtMs: 1,
    usersMax: 10,
  });
  return { email, password };
}

describe("the queue's pause", () => {
  it("takes a domain as people write it, and says at the field what is none", async (t) => {
    const here = await installWithOperator(t);
    const client = await clientOf(here.url);
    for (const domain of ["Customers.Example", " bücher.example "]) {
      assert.equal((await client.post("/operator/queue/pause", { domain })).status, 302, domain);
    }
    const paused = (await here.service.spool.pausedDomains()).map(({ domain }) => domain);
    assert.deepEqual(paused.sort(), ["customers.example", "xn--bcher-kva.example"]);
    const wrong = await client.post("/operator/queue/pause", { domain: "no domain" });
    assert.equal(wrong.status, 400);
    assert.match(await wrong.text(), /value="no domain".*id="field-domain-error".*This is no domain of recipients/s);
    await client.post("/operator/queue/resume", { domain: "xn--bcher-kva.example" });
    assert.equal((await here.service.spool.pausedDomains()).length, 1);
  });

  it("is told to whoever tries a message now", async (t) => {
    const here = await installWithOperator(t);
    const client = await clientOf(here.url);
    const { spool } = here.service;
    await client.post("/operator/queue/pause", { domain: "a.example" });
    const nowMs = Date.now();
    const message = newMessage({ createdAtMs: nowMs, recipients: recipientsAt("a.example", 2) });
    await spool.accept(message);
    await spool.settle(message.id, nowMs, [settlement(0, "pending", nowMs + 3_600_000), settlement(1, "unknown")]);
    const [waits, inDoubt] = message.recipients;
    assert.ok(waits && inDoubt);
    for (const [what, { email }] of [
      ["try-now", waits],
      ["send-again", inDoubt],
    ] as const) {
      const done = await client.post(`/messages/${message.id}/${what}`, { email });
      assert.match(await textOf(client, pathOf(done)), /notice warn.*An operator has paused its destination/s, what);
    }
  });
});

it("sends a failed message again, of one's own account only, and not where its content is gone", async (t) => {
  const here = await installWithOperator(t);
  const client = await clientOf(here.url);
  const { spool } = here.service;
  const nowMs = Date.now();
  const recipients = [...recipientsAt("a.example", 1), ...recipientsAt("b.example", 1)];
  const sent = { createdAtMs: nowMs, expiresAtMs: nowMs + HOUR_MS, recipients };
  const failed = async (accountId = "acc_default"): Promise<string> => {
    const { id } = newMessage();
    for (const domain of ["a.example", "b.example"]) await spool.pauseDomain(domain, nowMs);
    await spool.accept(newMessage({ ...sent, id, accountId }));
    await spool.settle(id, nowMs, [settlement(0, "failed"), settlement(1, "failed")]);
    return id;
  };
  const retry = (id: string) => client.post(`/messages/${id}/retry-failed`, { email: "user0@a.example" });
  const results = async (id: string) => (await spool.report(id))?.recipients.map(({ result }) => result);
  const own = await failed();
  const page = await textOf(client, `/messages/${own}`);
  assert.equal(page.match(/action="[^"]*\/retry-failed"/g)?.length, 2);
  assert.match(await textOf(client, pathOf(await retry(own))), /notice warn.*An operator has paused its destination/s);
  assert.deepEqual(await results(own), ["pending", "failed"]);
  assert.match(await textOf(client, pathOf(await retry(own))), /Nothing was changed/);
  const foreign = await failed("acc_other");
  assert.equal((await retry(foreign)).status, 404);
  assert.deepEqual(await results(foreign), ["failed", "failed"]);
  const gone = await failed();
  await spool.applyRetention({
    contentsBeforeMs: nowMs + HOUR_MS,
    resultsBeforeMs: 0,
    nowMs: nowMs + HOUR_MS,
    limit: 100,
  });
  assert.doesNotMatch(await textOf(client, `/messages/${gone}`), /retry-failed/);
  assert.match(await textOf(client, pathOf(await retry(gone))), /Nothing was changed/);
  assert.deepEqual(await results(gone), ["failed", "failed"]);
});

it("asks before a user is removed", async (t) => {
  const here = await installWithOperator(t);
  const client = await clientOf(here.url);
  await addUser(here, "second", "bob@second.example");
  const account = await here.service.registry.accountNamed("second");
  const page = await textOf(client, `/operator/accounts/${account?.id}`);
  const [, path = ""] = /href="\/dashboard(\/operator\/users\/[^"]+\/remove)"/.exec(page) ?? [];
  assert.doesNotMatch(page, /action="[^"]*\/remove"/);
  assert.match(await textOf(client, path), /Remove bob@second\.example\?/);
  const removed = await client.post(path, { current: OPERATOR.password });
  assert.match(await textOf(client, pathOf(removed)), /The user is removed/);
  const [own] = await here.service.people.users("acc_default");
  assert.equal((await client.get(`/operator/users/${own?.id}/remove`)).status, 404);
});

it("shows an account's user nothing of other accounts' domains, and the operator on the host's page", async (t) => {
  const here = await installWithOperator(t);
  const operator = await clientOf(here.url);
  const user = await clientOf(here.url, await addUser(here, "second", "bob@second.example"));
  await operator.post("/domains", { name: "own.example" });
  await user.post("/domains", { name: "second.example" });
  const hostPage = async () => textOf(operator, "/operator/host");
  await until(async () => !(await hostPage()).includes("Being examined"));
  const overview = await textOf(user, "?range=24h");
  assert.doesNotMatch(overview, /own\.example/);
  assert.match(overview, /Domains in trouble.*second\.example/s);
  const summary = /id="host-title".*?<\/section>/s.exec(await textOf(operator, "?range=24h"))?.[0] ?? "";
  assert.match(summary, /reverse_dns/);
  assert.doesNotMatch(summary, /own\.example|second\.example/);
  const trouble = (await hostPage()).split("Domains in trouble")[1] ?? "";
  assert.match(trouble, /href="\/dashboard\/domains\/own\.example"/);
  assert.match(trouble, /href="\/dashboard\/operator\/accounts\/acc_[\w-]+">second\.example/);
  assert.match(trouble, /Ownership: /);
  assert.doesNotMatch(await hostPage(), /v=DKIM1/);
});

it("stays done once a mail was delivered, whatever became of the next one", async (t) => {
  const here = await installWithOperator(t);
  const client = await clientOf(here.url);
  const { spool } = here.service;
  for (const [i, result] of (["delivered", "failed"] as const).entries()) {
    const message = newMessage({ createdAtMs: Date.now() + i, recipients: recipientsAt("a.example", 1) });
    await spool.accept(message);
    await spool.settle(message.id, Date.now(), [settlement(0, result)]);
    assert.match(await textOf(client, "/start"), /card step good" id="step-4"/, result);
  }
});

it("says nothing of what was never done", async (t) => {
  const here = await installWithOperator(t);
  const client = await clientOf(here.url);
  const plain = await textOf(client, "/domains");
  for (const done of ["constructor", "toString", "__proto__"]) {
    assert.equal(await textOf(client, `/domains?done=${done}`), plain);
    assert.doesNotMatch(await textOf(client, `/operator/queue?done=${done}`), /class="notice/);
  }
});

describe("a dashboard reached from the wrong side", () => {
  it("says over plain HTTP that sessions need HTTPS, and where that is", async (t) => {
    const env = { PUBLIC_URL: "https://mail.shop.example" };
    const { url } = await installWithOperator(t, { env });
    const signIn = (headers: Record<string, string>) => postForm(`${url}/dashboard/sign-in`, OPERATOR, headers);
    const plain = await signIn({ Origin: "http://mail.shop.example" });
    assert.equal(plain.status, 403);
    assert.equal(cookieOf(plain), "");
    assert.match(await plain.text(), /plain HTTP.*Open https:\/\/mail\.shop\.example\/dashboard/s);
    assert.equal((await signIn({ Origin: "https://mail.shop.example" })).status, 302);
    assert.equal((await signIn({ Origin: url })).status, 302, "a tunnel to the host");
  });

  it("names PUBLIC_URL to whoever comes under another name", async (t) => {
    const { url } = await installWithOperator(t);
    const other = await postForm(`${url}/dashboard/sign-in`, OPERATOR, { Origin: "http://192.0.2.7:8080" });
    assert.equal(other.status, 403);
    assert.ok((await other.text()).includes(`This dashboard is at ${url}`));
  });
});

it("takes no form that breaks off for a fault of its own", async (t) => {
  const here = await installWithOperator(t);
  const { port } = new URL(here.url);
  const lines = ["POST /dashboard/sign-in HTTP/1.1", "Host: x", "Content-Type: application/x-www-form-urlencoded"];
  const socket = connect(Number(port), "127.0.0.1");
  socket.write(`${[...lines, "Content-Length: 1000"].join("\r\n")}\r\n\r\nemail=`, () => socket.destroy());
  const told = (): string[] => here.logged.filter((line) => /broke its request off|page failed/.test(line));
  await until(async () => told().length > 0);
  assert.match(told()[0] ?? "", /"level":20,.*broke its request off/);
});
