/** Status pages, from the send request to what a recipient and a site's own page see. */
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import { LANGUAGES, STATUS_TEXTS } from "../../src/app/status/status-texts.ts";
import {
  assertAccessible,
  NARROW,
  NO_CHROMIUM,
  openWindow,
  startBrowser,
  takeScreenshots,
} from "../support/dashboard/chromium.ts";
import { contractOf } from "../support/openapi.ts";
import { freshDatabase } from "../support/postgres/fresh-database.ts";
import { runCli } from "../support/run-cli.ts";
import { RECIPIENT_DOMAIN, sendBody, startWorld, type World } from "../support/world.ts";

const JSON_ONLY = { headers: { Accept: "application/json" } };
const PUBLIC_URL = "https://mail.shop.example";
const MASKED_DOMAIN = "cu***.example";

interface Accepted {
  id: string;
  state: string;
  status_url?: string;
}

interface Status {
  state: string;
  detail: string;
  updated_at: string;
  recipient: string;
}

const to = (local: string): string => `${local}@${RECIPIENT_DOMAIN}`;

async function sent(
  world: World,
  parts: Record<string, unknown> = {},
  headers: Record<string, string> = {},
): Promise<{ id: string; url: string }> {
  const answer = await world.post(sendBody({ to: to("ann"), status_page: true, ...parts }), headers);
  const { id, status_url: url = "" } = (await answer.json()) as Accepted;
  assert.equal(answer.status, 202);
  return { id, url: url.replace(PUBLIC_URL, world.service.url) };
}

async function statusOf(url: string, query = "?wait=20"): Promise<Status> {
  const answer = await fetch(url + query, JSON_ONLY);
  assert.equal(answer.status, 200, url);
  return (await answer.json()) as Status;
}

async function linkOf(world: World, id: string, key = world.key): Promise<Response> {
  return fetch(`${world.service.url}/api/sending/messages/${id}/status-link`, {
    method: "POST",
    headers: { Authorization: `Bearer ${key}` },
  });
}

/** The test's time limit ends a condition that never becomes true. */
async function until(isTrue: () => Promise<boolean>): Promise<void> {
  while (!(await isTrue())) await new Promise((resolve) => setTimeout(resolve, 20));
}

for (const database of ["SQLite", "PostgreSQL"]) {
  test(`the life of a status page on ${database}`, { timeout: 120_000 }, async (t) => {
    const env = database === "SQLite" ? {} : { DATABASE_URL: (await freshDatabase(t)).url };
    const world = await startWorld(t, { PUBLIC_URL, ...env });
    const { id, url } = await sent(world);
    assert.ok(url.startsWith(`${world.service.url}/status/`), url);
    const status = await statusOf(url);
    assert.deepEqual([status.state, status.recipient], ["delivered", `a***@${MASKED_DOMAIN}`]);
    assert.match(status.detail, /^Your email provider accepted the message at \d\d:\d\d:\d\d UTC\./);
    assert.deepEqual(await (await linkOf(world, id)).json(), {
      status_url: url.replace(world.service.url, PUBLIC_URL),
    });

    await t.test("ends while the account does not want it", async () => {
      const set = (state: string) => runCli(["accounts", "set-status-pages", "default", state], world.env);
      assert.equal((await set("off")).code, 0);
      assert.equal((await fetch(url, JSON_ONLY)).status, 404);
      assert.equal((await linkOf(world, id)).status, 409);
      const rejected = await world.post(sendBody({ status_page: true }));
      assert.equal(rejected.status, 400);
      assert.match(((await rejected.json()) as { detail: string }).detail, /^status_page: Status pages are off/);
      assert.equal((await world.post(sendBody())).status, 202);
      assert.equal((await set("on")).code, 0);
      assert.equal((await statusOf(url)).state, "delivered");
    });

    await t.test("ends with the results of the message", async () => {
      // Beyond the end of the day, whose partition is dropped as a whole.
      const nowMs = Date.now() + 40 * 86_400_000;
      const periods = { nowMs, contentsBeforeMs: nowMs, resultsBeforeMs: nowMs, limit: 100 };
      await until(async () => {
        await world.service.spool.applyRetention(periods);
        return (await fetch(url, JSON_ONLY)).status === 404;
      });
      const page = await fetch(url, { headers: { Accept: "text/html", "Accept-Language": "de" } });
      assert.equal(page.status, 404);
      assert.ok((await page.text()).includes(STATUS_TEXTS.de.gone.heading));
    });
  });
}

test("without PUBLIC_URL, no live message has a link, and a test message has one", async (t) => {
  for (const env of [{}, { PUBLIC_URL: "http://localhost:8080" }]) {
    const world = await startWorld(t, env);
    const rejected = await world.post(sendBody({ to: to("ann"), status_page: true }));
    const { code, detail } = (await rejected.json()) as { code: string; detail: string };
    assert.deepEqual([rejected.status, code], [400, "invalid_request"]);
    assert.match(detail, /^status_page: .*because PUBLIC_URL of this service is not set/);
    const { id } = (await (await world.post(sendBody({ to: to("ann") }))).json()) as Accepted;
    const link = await linkOf(world, id);
    assert.equal(link.status, 409);
    assert.match(((await link.json()) as { detail: string }).detail, /^The link would begin with .*PUBLIC_URL/);
    const { key } = await world.newTestKey();
    const test = await sent(world, {}, { Authorization: `Bearer ${key}` });
    assert.match(test.url, /^http:\/\/.*\/status\/./);
    assert.equal((await linkOf(world, test.id, key)).status, 200);
  }
});

test("the link of a message", { timeout: 60_000 }, async (t) => {
  // No guess is turned away before it is examined.
  const world = await startWorld(t, { PUBLIC_URL, RETRY_SCHEDULE: "1h", ADDRESS_RATE_PER_SECOND: "0" });
  const contract = await contractOf(world.service.url);

  await t.test(
    "is the same in a repeated request, alone and in a batch, and absent unless it is asked for",
    async () => {
      const headers = { "Idempotency-Key": "once" };
      assert.deepEqual(await sent(world, {}, headers), await sent(world, {}, headers));
      assert.equal((await world.post(sendBody({ to: to("ann") }), headers)).status, 409);
      assert.equal((await sent(world, { status_page: false })).url, "");
      const batch = async (): Promise<Accepted[]> => {
        const answer = await fetch(`${world.service.url}/api/sending/batch`, {
          method: "POST",
          headers: { Authorization: `Bearer ${world.key}`, "Content-Type": "application/json", "Idempotency-Key": "b" },
          body: JSON.stringify({
            messages: [sendBody({ status_page: true }), sendBody(), sendBody({ status_page: 1 })],
          }),
        });
        await contract.hold("POST /api/sending/batch", answer);
        return ((await answer.json()) as { messages: Accepted[] }).messages;
      };
      const messages = await batch();
      assert.deepEqual(
        messages.map(({ status_url }) => status_url !== undefined),
        [true, false, false],
      );
      assert.deepEqual(await batch(), messages);
      assert.notEqual((await sent(world)).url, (await sent(world)).url);
    },
  );

  await t.test("is for one recipient, and for the keys that read the message", async () => {
    const several = { to: [to("ann"), to("ben")], status_page: true };
    const rejected = await world.post(sendBody(several));
    const { errors } = (await rejected.json()) as { errors: { field: string }[] };
    assert.deepEqual([rejected.status, errors.map(({ field }) => field)], [400, ["status_page"]]);
    const { id } = await sent(world, { ...several, status_page: false });
    assert.equal((await linkOf(world, id)).status, 409);
    const other = await world.newKey();
    assert.equal((await linkOf(world, (await sent(world)).id, other.key)).status, 404);
  });

  await t.test("cannot be guessed, nor made of another one", async () => {
    const [one, two] = [await sent(world), await sent(world)];
    const base = one.url.slice(0, one.url.lastIndexOf("/") + 1);
    const bytesOf = (url: string): Buffer => Buffer.from(url.slice(base.length), "base64url");
    const mixed = Buffer.concat([bytesOf(one.url).subarray(0, 20), bytesOf(two.url).subarray(20)]);
    const guesses = [
      mixed.toString("base64url"),
      "",
      "x",
      "%00",
      one.id,
      ...Array.from({ length: 500 }, () => randomBytes(36).toString("base64url")),
      // The message is known, and the proof is guessed.
      ...Array.from({ length: 500 }, () =>
        Buffer.concat([bytesOf(one.url).subarray(0, 20), randomBytes(16)]).toString("base64url"),
      ),
    ];
    const bodies = new Set<string>();
    for (let i = 0; i < guesses.length; i += 50) {
      const answers = await Promise.all(guesses.slice(i, i + 50).map((guess) => fetch(base + guess, JSON_ONLY)));
      for (const answer of answers) {
        assert.equal(answer.status, 404);
        const { detail } = (await answer.json()) as { detail: string };
        if (answer.url.length > base.length) bodies.add(detail);
      }
    }
    assert.ok(bodies.size <= 2, [...bodies].join(" "));
  });

  await t.test("of a test key says that nothing was sent", async () => {
    const { key } = await world.newTestKey();
    const { url } = await sent(world, { to: "ann@anywhere.example" }, { Authorization: `Bearer ${key}` });
    const { state, detail } = await statusOf(url);
    assert.deepEqual([state, detail.endsWith(STATUS_TEXTS.en.test)], ["delivered", true], detail);
  });

  await t.test("shows what happened and what to do", async () => {
    const refused = await statusOf((await sent(world, { to: to("nobody") })).url);
    assert.equal(refused.state, "failed");
    assert.match(
      refused.detail,
      new RegExp(`the address n\\*\\*\\*@${MASKED_DOMAIN.replaceAll("*", "\\*")} does not exist`),
    );
    const { url } = await sent(world, { to: to("4xx-451") });
    await until(async () => (await statusOf(url, "")).detail.includes("The next attempt"));
    const lost = await statusOf((await sent(world, { to: to("drop-after-dot") })).url);
    assert.match(`${lost.state}: ${lost.detail}`, /^unknown: We do not know/);
  });
});

test("the response of a status page", { timeout: 60_000 }, async (t) => {
  const world = await startWorld(t, { PUBLIC_URL, RETRY_SCHEDULE: "1h" });
  const { url, id } = await sent(world);
  await statusOf(url);

  await t.test("is HTML in the reader's language unless JSON is preferred", async () => {
    for (const language of LANGUAGES) {
      const texts = STATUS_TEXTS[language];
      for (const headers of [{ "Accept-Language": `${language};q=0.9, xx` }, { "Accept-Language": "xx" }]) {
        const asked = headers["Accept-Language"] === "xx" ? `?lang=${language}` : "";
        const page = await fetch(url + asked, { headers });
        assert.equal(page.headers.get("content-language"), language);
        assert.match(page.headers.get("content-type") ?? "", /^text\/html/);
        const html = await page.text();
        assert.match(html, new RegExp(`<html lang="${language}">`));
        assert.ok(html.includes(texts.headings.delivered.replaceAll("'", "&#39;")), language);
      }
      assert.equal((await statusOf(url, `?lang=${language}`)).state, "delivered");
    }
    assert.equal((await fetch(`${url}?utm_source=mail`)).status, 200);
    assert.equal((await fetch(`${url}?wait=61`, JSON_ONLY)).status, 400);
  });

  await t.test("is stored, indexed and embedded nowhere, loads nothing, and can be read by any site", async () => {
    for (const method of ["GET", "HEAD"]) {
      for (const headers of [{ Accept: "text/html" }, JSON_ONLY.headers]) {
        const { headers: had, status } = await fetch(url, {
          method,
          headers: { ...headers, Origin: "https://a.example" },
        });
        assert.equal(status, 200);
        assert.equal(had.get("cache-control"), "no-store");
        assert.match(had.get("x-robots-tag") ?? "", /noindex/);
        assert.equal(had.get("referrer-policy"), "no-referrer");
        assert.equal(had.get("access-control-allow-origin"), "*");
        assert.equal(had.get("access-control-allow-credentials"), null);
        assert.equal(had.get("set-cookie"), null);
      }
    }
    const page = await fetch(url);
    assert.match(page.headers.get("content-security-policy") ?? "", /^default-src 'none'; style-src 'sha256-/);
    const html = await page.text();
    assert.match(html, /<meta name="robots" content="noindex, nofollow">/);
    assert.doesNotMatch(html, /\b(src|href|action)=|url\(|@import/);
    assert.equal((await fetch(url, { method: "POST" })).status, 405);
  });

  await t.test("shows nothing of the message but the masked address", async () => {
    const report = (await (await world.lookUp(id)).json()) as { message_id: string; subject: string };
    for (const text of [await (await fetch(url)).text(), JSON.stringify(await statusOf(url))]) {
      for (const secret of [to("ann"), RECIPIENT_DOMAIN, id, report.message_id, report.subject, "shop.example", "mx."])
        assert.ok(!text.includes(secret), secret);
    }
  });

  await t.test("reloads itself without scripts only while the message is pending", async () => {
    const refresh = /<noscript><meta http-equiv="refresh" content="10"><\/noscript>/;
    assert.doesNotMatch(await (await fetch(url)).text(), refresh);
    const waiting = await sent(world, { to: to("4xx-451") });
    assert.match(await (await fetch(waiting.url)).text(), refresh);
  });

  await t.test("waits for the result, for ten requests of a message at a time", async () => {
    const sendAt = new Date(Date.now() + 3_600_000).toISOString();
    const { id: scheduled, url: waiting } = await sent(world, { send_at: sendAt });
    const contract = await contractOf(world.service.url);
    const held = Array.from({ length: 10 }, () => statusOf(waiting, "?wait=60"));
    await until(async () => {
      const answer = await fetch(`${waiting}?wait=1`, JSON_ONLY);
      if (answer.status !== 429) return false;
      await contract.hold(`GET ${new URL(waiting).pathname}`, answer);
      assert.ok(Number(answer.headers.get("retry-after")) >= 1);
      return true;
    });
    await fetch(`${world.service.url}/api/sending/messages/${scheduled}/cancel`, {
      method: "POST",
      headers: { Authorization: `Bearer ${world.key}` },
    });
    for (const { state } of await Promise.all(held)) assert.equal(state, "failed");
  });
});

test("readers of status pages are limited by their address, and say so in the form that they want", async (t) => {
  const world = await startWorld(t, { PUBLIC_URL, ADDRESS_RATE_PER_SECOND: "0.001", ADDRESS_RATE_BURST: "2" });
  const { url } = await sent(world);
  for (let i = 0; i < 2; i += 1) assert.equal((await fetch(url)).status, 200);
  const page = await fetch(url, { headers: { "Accept-Language": "fr" } });
  assert.equal(page.status, 429);
  assert.ok(Number(page.headers.get("retry-after")) >= 1);
  assert.ok((await page.text()).includes(STATUS_TEXTS.fr.busy.heading));
  const problem = await fetch(url, JSON_ONLY);
  assert.deepEqual([problem.status, problem.headers.get("access-control-allow-origin")], [429, "*"]);
  assert.equal(((await problem.json()) as { code: string }).code, "rate_limit_exceeded");
});

test("the page in a browser", { timeout: 180_000, skip: NO_CHROMIUM }, async (t) => {
  const world = await startWorld(t, { PUBLIC_URL, RETRY_SCHEDULE: "1h" });
  const browser = await startBrowser();
  t.after(() => browser.close());
  const { page, consoleErrors } = await openWindow(browser, { ...NARROW, locale: "de-DE", timezoneId: "Asia/Tokyo" });
  const locals = { delivered: "ann", failed: "nobody", pending: "4xx-451", unknown: "drop-after-dot" };
  const urls = new Map<string, string>();
  for (const [state, local] of Object.entries(locals)) {
    const { url } = await sent(world, { to: to(local) });
    urls.set(state, url);
    await until(async () => {
      const { state: shown, detail } = await statusOf(url, "");
      return shown === state && (state !== "pending" || detail.includes("The next attempt"));
    });
  }

  await t.test("is accessible and fits a narrow window, light and dark", async () => {
    for (const [state, url] of urls) {
      await page.goto(url);
      assert.equal(await page.locator("h2").textContent(), STATUS_TEXTS.de.headings[state as keyof typeof locals]);
      await takeScreenshots(page, `status-${state}`);
      await assertAccessible(page, state);
    }
    await page.goto(`${urls.get("delivered")}?lang=ja`);
    await takeScreenshots(page, "status-ja");
    await page.goto(`${world.service.url}/status/x`);
    await takeScreenshots(page, "status-gone");
    await assertAccessible(page, "gone");
    assert.deepEqual(
      consoleErrors.filter((error) => !error.includes("404")),
      [],
    );
  });

  await t.test("shows times in the reader's zone", async () => {
    await page.goto(urls.get("delivered") ?? "");
    const time = page.locator("time").first();
    const at = new Date((await time.getAttribute("datetime")) ?? "");
    assert.equal(await time.textContent(), at.toLocaleTimeString("de-DE", { timeZone: "Asia/Tokyo" }));
  });

  await t.test("shows a new state by itself", async () => {
    const sendAt = new Date(Date.now() + 3_600_000).toISOString();
    const { id, url } = await sent(world, { send_at: sendAt });
    await page.goto(url);
    assert.equal(await page.locator("h2").textContent(), STATUS_TEXTS.de.headings.pending);
    await fetch(`${world.service.url}/api/sending/messages/${id}/cancel`, {
      method: "POST",
      headers: { Authorization: `Bearer ${world.key}` },
    });
    await page.getByText(STATUS_TEXTS.de.headings.failed).waitFor();
  });
});
