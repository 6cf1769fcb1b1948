/** Middleware and routes: security headers, sessions, error pages. */
import assert from "node:assert/strict";
import { connect } from "node:net";
import { describe, it, test } from "node:test";
import { setTimeout } from "node:timers/promises";
import { SpoolUnavailable } from "../../src/spool/port/errors.ts";
import { type Reports, TooManyReports } from "../../src/spool/port/reports.ts";
import type { Spool } from "../../src/spool/port/spool.ts";
import { installWithOperator, OPERATOR } from "../support/dashboard/installation.ts";
import { clientOf, clientWith, postForm } from "../support/dashboard/sign-in.ts";

async function until(holds: () => Promise<boolean>): Promise<void> {
  for (let looks = 0; looks < 400; looks += 1) {
    if (await holds()) return;
    await setTimeout(50);
  }
  assert.fail("condition not met in time");
}

test("pages", async (t) => {
  const { url } = await installWithOperator(t);
  await t.test("have a policy without inline scripts and styles, and contain none", async () => {
    const client = await clientOf(url);
    for (const path of [
      "/start",
      "/domains",
      "/keys",
      "/messages",
      "/webhooks",
      "/you",
      "/?range=24h",
      "/operator/queue",
      "/operator/accounts",
    ]) {
      const answer = await client.get(path);
      assert.equal(answer.status, 200, path);
      const policy = answer.headers.get("content-security-policy") ?? "";
      assert.match(policy, /default-src 'none'; script-src 'self'; style-src 'self';/);
      assert.ok(!policy.includes("unsafe"), path);
      assert.equal(answer.headers.get("cache-control"), "no-store");
      assert.equal(answer.headers.get("x-frame-options"), "DENY");
      const html = await answer.text();
      assert.doesNotMatch(html, /<script(?![^>]*\ssrc=)|\sstyle=|<style|\son\w+=/, path);
    }
  });

  await t.test("redirect to the sign-in page without a session", async () => {
    for (const path of ["", "/start", "/domains", "/keys", "/messages", "/you", "/operator/queue", "/data/overview"]) {
      const answer = await fetch(`${url}/dashboard${path}`, { redirect: "manual" });
      assert.equal(answer.status, 302, path);
      assert.match(answer.headers.get("location") ?? "", /^\/dashboard\/sign-in/);
    }
    const stranger = await clientWith(url, `postrider_session=${"x".repeat(43)}`);
    assert.equal((await stranger.get("/messages")).status, 302);
    assert.equal((await stranger.post("/keys", { name: "web" })).status, 302);
  });

  await t.test("redirect browsers from / to the dashboard, and do not change API responses", async () => {
    const browser = await fetch(`${url}/`, { redirect: "manual", headers: { Accept: "text/html,*/*" } });
    assert.equal(browser.headers.get("location"), "/dashboard");
    assert.equal((await fetch(`${url}/`)).headers.get("content-type"), "application/problem+json");
    assert.equal((await fetch(`${url}/dashboards`)).headers.get("content-type"), "application/problem+json");
  });

  await t.test("reject oversized forms and other content types", async () => {
    const answer = await postForm(`${url}/dashboard/sign-in`, { email: "x".repeat(100_000), password: "x" });
    assert.equal(answer.status, 413);
    const json = await fetch(`${url}/dashboard/sign-in`, {
      method: "POST",
      body: "{}",
      headers: { "Content-Type": "application/json" },
    });
    assert.equal(json.status, 415);
  });
});

describe("errors", () => {
  it("keep the navigation of signed-in users, whatever is requested", async (t) => {
    const installation = await installWithOperator(t);
    const { url } = installation;
    const client = await clientOf(url);
    const Cookie = client.cookie;
    const request = (path: string, init: RequestInit = {}) =>
      fetch(`${url}/dashboard${path}`, { redirect: "manual", ...init, headers: { Cookie, ...init.headers } });
    const form = { "Content-Type": "application/x-www-form-urlencoded" };
    const answers: [status: number, answer: Promise<Response>][] = [
      ...[
        "/nothing",
        "/nothing/at/all?x=1",
        "/messages/msg_nothing",
        "/messages/msg_nothing/send-again",
        "/domains/other.example",
        "/keys/key_none/revoke",
        "/webhooks/whe_none",
        "/operator/nothing",
        "/operator/accounts/acc_none",
        "/assets/0/nothing.js",
        "/setup/nothing",
      ].map((path): [number, Promise<Response>] => [404, request(path)]),
      [404, client.post("/nothing")],
      [404, client.post("/domains/other.example/verify")],
      [404, client.post("/messages/msg_nothing/try-now", { email: "a@b.example" })],
      [404, request("/domains", { method: "DELETE" })],
      [403, request("/domains", { method: "POST", headers: form, body: "name=a.example" })],
      [403, client.post("/domains", { name: "a.example" }, { Origin: "https://other.example" })],
      [413, client.post("/domains", { name: "x".repeat(100_000) })],
      [415, request("/domains", { method: "POST", headers: { "Content-Type": "application/json" }, body: "{}" })],
    ];
    for (const [status, pending] of answers) {
      const answer = await pending;
      const html = await answer.text();
      assert.equal(answer.status, status, `${answer.url} ${html}`);
      assert.match(html, /<nav aria-label="Main">.*href="\/dashboard\/messages".*<h1>/s, answer.url);
      assert.match(html, /Sign out/);
    }
    assert.match(await (await request("/nothing")).text(), /Your current account is <strong>default<\/strong>/);
    const { reports } = installation.service.spool as Spool & { reports: Reports };
    reports.find = () => Promise.reject(new Error("a fault"));
    const failed = await request("/messages");
    assert.equal(failed.status, 500);
    const html = await failed.text();
    assert.match(html, /<nav aria-label="Main">/);
    assert.ok(html.includes(`<code>${failed.headers.get("x-request-id")}</code>`));
    assert.doesNotMatch(html, /a fault/);
    reports.find = () => Promise.reject(new SpoolUnavailable("the disk is full"));
    const unavailable = await request("/messages");
    assert.equal(unavailable.status, 503);
    assert.match(await unavailable.text(), /<nav aria-label="Main">.*Try again in a moment/s);
  });

  it("lead visitors to the sign-in page, and cost those with an invalid session a token", async (t) => {
    const env = { ADDRESS_RATE_PER_SECOND: "0.001", ADDRESS_RATE_BURST: "5" };
    const { url } = await installWithOperator(t, { env });
    const visit = (headers: Record<string, string> = {}) => fetch(`${url}/dashboard/nothing`, { headers });
    const answer = await visit();
    assert.equal(answer.status, 404);
    const html = await answer.text();
    assert.match(html, /<h1>Page not found<\/h1>.*href="\/dashboard\/sign-in"/s);
    assert.doesNotMatch(html, /<nav/);
    const Cookie = `postrider_session=${"x".repeat(43)}`;
    const statuses = [];
    for (let i = 0; i < 6; i += 1) statuses.push((await visit({ Cookie })).status);
    assert.deepEqual(statuses, [404, 404, 404, 404, 429, 429]);
  });

  it("name PUBLIC_URL for requests to another host name", async (t) => {
    const { url } = await installWithOperator(t);
    const other = await postForm(`${url}/dashboard/sign-in`, OPERATOR, { Origin: "http://192.0.2.7:8080" });
    assert.equal(other.status, 403);
    assert.ok((await other.text()).includes(`This dashboard is at ${url}`));
  });
});

it("logs an aborted form at debug level, not as an error", async (t) => {
  const installation = await installWithOperator(t);
  const { port } = new URL(installation.url);
  const lines = ["POST /dashboard/sign-in HTTP/1.1", "Host: x", "Content-Type: application/x-www-form-urlencoded"];
  const socket = connect(Number(port), "127.0.0.1");
  socket.write(`${[...lines, "Content-Length: 1000"].join("\r\n")}\r\n\r\nemail=`, () => socket.destroy());
  const told = (): string[] =>
    installation.logged.filter((line) => /client aborted the request|page failed/.test(line));
  await until(async () => told().length > 0);
  assert.match(told()[0] ?? "", /"level":20,.*client aborted the request/);
});

test("responds with 429 and a message when too many reports are waiting", async (t) => {
  const installation = await installWithOperator(t);
  const client = await clientOf(installation.url);
  const { reports } = installation.service.spool as Spool & { reports: Reports };
  reports.find = () => Promise.reject(new TooManyReports());
  const answer = await client.get("/messages");
  assert.equal(answer.status, 429);
  assert.match(await answer.text(), /Too many searches .* Try again in a moment\./);
});
