/** The public pages of unsubscribe links: GET asks and changes nothing, POST unsubscribes, and nothing else does. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { type TestContext, test } from "node:test";
import { createUnsubscribe } from "../../src/dashboard/unsubscribe.ts";
import { AddressLimiter } from "../../src/lib/address-limiter.ts";
import { silentLog } from "../../src/lib/log.ts";
import { type UnsubscribeTarget, unsubscribeToken } from "../../src/message/unsubscribe-token.ts";
import { MessageDamaged, SpoolUnavailable } from "../../src/spool/port/errors.ts";
import type { Unsubscription } from "../../src/spool/port/incoming.ts";
import type { MessageReport } from "../../src/spool/port/results.ts";
import { fakeClock } from "../support/fake-clock.ts";

const KEY = Buffer.alloc(32, 7);
const NOW_MS = Date.parse("2026-11-02T10:00:00Z");
const ANN: UnsubscribeTarget = { accountId: "acc_1", messageId: "msg_1", position: 0, email: "ann@customers.example" };
const ONE_CLICK = "List-Unsubscribe=One-Click";
const FORM = { "Content-Type": "application/x-www-form-urlencoded" };
/** Bad links of one address. */
const BURST = 5;

interface Scene {
  report?: (messageId: string) => Promise<Pick<MessageReport, "from"> | null>;
  record?: () => Promise<void>;
  isExhausted?: boolean;
}

async function start(t: TestContext, { report, record, isExhausted = false }: Scene = {}) {
  const clock = fakeClock(NOW_MS);
  const recorded: Unsubscription[] = [];
  const app = createUnsubscribe({
    key: KEY,
    clock,
    log: silentLog,
    memory: { isExhausted },
    addresses: new AddressLimiter({ rate: { perSecond: 1, burst: BURST }, trustedProxies: 0, clock }),
    spool: {
      async report(messageId) {
        return (await (report ?? (async () => ({ from: "hello@shop.example" })))(messageId)) as MessageReport | null;
      },
      async recordUnsubscribed(unsubscription) {
        await record?.();
        recorded.push(unsubscription);
      },
    },
  });
  const server = createServer(app.callback()).listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => server.close());
  const { port } = server.address() as AddressInfo;
  const urlOf = (target: UnsubscribeTarget): string =>
    `http://127.0.0.1:${port}/unsubscribe/${unsubscribeToken(target, KEY)}`;
  return { clock, port, recorded, url: urlOf(ANN), urlOf };
}

const post = (url: string, body: RequestInit["body"] = ONE_CLICK, headers: Record<string, string> = FORM) =>
  fetch(url, { method: "POST", body: body ?? null, headers });

test("GET asks with one button, and neither it nor HEAD unsubscribes", async (t) => {
  const { url, recorded } = await start(t);
  const answer = await fetch(url);
  assert.equal(answer.status, 200);
  const html = await answer.text();
  assert.match(html, /Unsubscribe <strong>ann@customers\.example<\/strong> from messages of <strong>shop\.example</);
  assert.equal(html.match(/<button/g)?.length, 1);
  assert.match(html, /<form method="post"><input type="hidden" name="List-Unsubscribe" value="One-Click"\/?>/);
  assert.match(html, /<meta name="robots" content="noindex, nofollow"/);
  assert.doesNotMatch(html, /<script|\sstyle=|\son\w+=|Postrider|href="\/dashboard"/);
  assert.equal((await fetch(url, { method: "HEAD" })).status, 200);
  for (const query of ["?List-Unsubscribe=One-Click", "?confirm=1"]) await fetch(url + query);
  assert.deepEqual(recorded, []);
});

test("responses have no cookies, are not indexed or stored, and do not reveal the link to other sites", async (t) => {
  const { url } = await start(t);
  for (const answer of [await fetch(url), await post(url), await fetch(`${url}x`)]) {
    const { headers } = answer;
    assert.equal(headers.get("set-cookie"), null);
    assert.equal(headers.get("content-type"), "text/html; charset=utf-8");
    assert.equal(headers.get("x-robots-tag"), "noindex, nofollow");
    assert.equal(headers.get("cache-control"), "no-store");
    assert.equal(headers.get("referrer-policy"), "no-referrer");
    assert.match(
      headers.get("content-security-policy") ?? "",
      /^default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self';/,
    );
  }
});

test("a POST of a mail program or of the page unsubscribes, whatever else it sends", async (t) => {
  const { url, recorded } = await start(t);
  const form = new FormData();
  form.set("List-Unsubscribe", "One-Click");
  const fromElsewhere = {
    Origin: "https://webmail.example",
    "Sec-Fetch-Site": "cross-site",
    Cookie: "postrider_session=x",
  };
  const answers = [
    await post(url),
    await fetch(url, { method: "POST", body: form }),
    await post(url, ONE_CLICK, { ...FORM, ...fromElsewhere }),
    await post(url, ONE_CLICK, { "Content-Type": "application/x-www-form-urlencoded; charset=UTF-8" }),
    await post(`${url}?utm=1`, `a=b&${ONE_CLICK}&c=d`),
  ];
  for (const answer of answers) {
    assert.equal(answer.status, 200);
    assert.match(
      await answer.text(),
      /<strong>ann@customers\.example<\/strong> receives no more messages of <strong>shop/,
    );
  }
  assert.deepEqual(recorded, Array(answers.length).fill({ ...ANN, atMs: NOW_MS }));
});

test("a POST that does not ask for it changes nothing", async (t) => {
  const { url, recorded } = await start(t);
  const other = new FormData();
  other.set("List-Unsubscribe", "Two-Click");
  const bodies: [body: RequestInit["body"], headers?: Record<string, string>][] = [
    [""],
    ["List-Unsubscribe=one"],
    ["list-unsubscribe=One-Click"],
    [other, {}],
    [ONE_CLICK, { "Content-Type": "text/plain" }],
    [ONE_CLICK, { "Content-Type": "multipart/form-data" }],
    ["--b\r\n", { "Content-Type": "multipart/form-data; boundary=b" }],
    [JSON.stringify({ "List-Unsubscribe": "One-Click" }), { "Content-Type": "application/json" }],
  ];
  for (const [body, headers] of bodies) {
    const answer = await post(url, body, headers);
    assert.equal(answer.status, 400, String(body));
    assert.match(await answer.text(), /List-Unsubscribe=One-Click/);
  }
  assert.equal((await post(url, `${ONE_CLICK}&x=${"x".repeat(8192)}`)).status, 413);
  assert.deepEqual(recorded, []);
});

test("a link that is not valid gets a 404 page, and its address is limited", async (t) => {
  const { url, port, recorded, clock } = await start(t);
  const bad = [`${url}x`, url.slice(0, -1), `http://127.0.0.1:${port}/unsubscribe/`, `${url}/more`];
  for (const link of bad) {
    const answer = await fetch(link);
    assert.equal(answer.status, 404, link);
    assert.match(await answer.text(), /<h1>Link not valid<\/h1>/);
  }
  assert.equal((await post(`${url}x`)).status, 404);
  const limited = await post(`${url}x`);
  assert.deepEqual([limited.status, limited.headers.get("retry-after")], [429, "1"]);
  assert.deepEqual(recorded, []);
  // Providers of mailboxes send the requests of many recipients from one address.
  assert.equal((await post(url)).status, 200);
  await clock.advance(1000);
  assert.equal((await post(`${url}x`)).status, 404);
});

test("requests for one message are limited, and those for others are not", async (t) => {
  const { url, urlOf } = await start(t);
  const statuses: number[] = [];
  for (let i = 0; i < 25; i += 1) statuses.push((await post(url)).status);
  assert.deepEqual(statuses, [...Array(20).fill(200), ...Array(5).fill(429)]);
  assert.equal((await post(urlOf({ ...ANN, messageId: "msg_2" }))).status, 200);
});

test("works after the message was deleted, and while it cannot be read", async (t) => {
  const reports: Scene["report"][] = [
    async () => null,
    async () => {
      throw new MessageDamaged("x");
    },
    async () => {
      throw new SpoolUnavailable("x");
    },
  ];
  for (const report of reports) {
    const { url, recorded } = await start(t, report === undefined ? {} : { report });
    assert.match(await (await fetch(url)).text(), /from messages of <strong>this sender</);
    assert.equal((await post(url)).status, 200);
    assert.equal(recorded.length, 1);
  }
});

test("says that nothing was stored where that is so", async (t) => {
  const record = async () => {
    throw new SpoolUnavailable("the disk is full");
  };
  for (const scene of [{ record }, { isExhausted: true }]) {
    const { url, recorded } = await start(t, scene);
    const answer = await post(url);
    assert.equal(answer.status, 503);
    const html = await answer.text();
    assert.match(html, /could not be stored\. Try again/);
    assert.doesNotMatch(html, /disk|spool/i);
    assert.deepEqual(recorded, []);
  }
});

test("addresses are shown as text", async (t) => {
  const { urlOf } = await start(t, { report: async () => ({ from: "a@<b>.example" }) });
  const html = await (await fetch(urlOf({ ...ANN, email: '"<script>"@customers.example' }))).text();
  assert.doesNotMatch(html, /<script|<b>/);
});

test("a body that never arrives in full changes nothing", async (t) => {
  const { url, port, recorded } = await start(t);
  const socket = connect(port, "127.0.0.1");
  await once(socket, "connect");
  const head = [
    "Host: x",
    "Content-Type: application/x-www-form-urlencoded",
    `Content-Length: ${ONE_CLICK.length + 1}`,
  ];
  socket.write(`POST ${new URL(url).pathname} HTTP/1.1\r\n${head.join("\r\n")}\r\n\r\n${ONE_CLICK}`);
  socket.end();
  socket.resume();
  await once(socket, "close");
  assert.deepEqual(recorded, []);
});
