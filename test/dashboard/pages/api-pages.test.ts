/** The API reference: complete compared with its document, with and without a session, and its curl commands work. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { test } from "node:test";
import { promisify } from "node:util";
import { gzipSync } from "node:zlib";
import type { Context } from "koa";
import type { Page } from "playwright-core";
import { createApiPages } from "../../../src/dashboard/pages/api-pages.ts";
import type { DashboardParts } from "../../../src/dashboard/web/parts.ts";
import { openApiDocument } from "../../../src/http/openapi.ts";
import { referenceDocument } from "../../../src/http/reference-document.ts";
import { problemCatalog } from "../../../src/http/response/problem-catalog.ts";
import { withoutCurl } from "../../support/curl.ts";
import { startHarness } from "../../support/dashboard/browser-harness.ts";
import {
  assertAccessible,
  NARROW,
  NO_CHROMIUM,
  openWindow,
  startBrowser,
  takeScreenshots,
  WIDE,
} from "../../support/dashboard/chromium.ts";
import { installWithOperator, OPERATOR } from "../../support/dashboard/installation.ts";
import { clientOf } from "../../support/dashboard/sign-in.ts";
import { contractOf } from "../../support/openapi.ts";

/** Of a page, compressed. */
const KB_MAX = 15;

const run = promisify(execFile);

const UNESCAPED: Record<string, string> = { "&amp;": "&", "&lt;": "<", "&gt;": ">", "&quot;": '"', "&#39;": "'" };

const unescaped = (html: string): string =>
  html.replace(/&(?:amp|lt|gt|quot|#39);/g, (entity) => UNESCAPED[entity] ?? "");
/** The text without tags. */
const wordsOf = (html: string): string => unescaped(html.replace(/<[^>]+>/g, " ").replace(/\s+/g, " "));

/** Returns the paths without the texts of problems, which the page of errors has by their codes. */
function withoutCodes(paths: object): unknown {
  const isProblem = (value: unknown): boolean => JSON.stringify(value)?.includes('"application/problem+json"') ?? false;
  return JSON.parse(
    JSON.stringify(paths, (name, value: unknown) => (/^[45]\d\d$/.test(name) && isProblem(value) ? undefined : value)),
  );
}

/** Returns every description and summary of the document. */
function descriptionsIn(value: unknown): string[] {
  if (typeof value !== "object" || value === null) return [];
  const { description, summary } = value as { description?: unknown; summary?: unknown };
  const own = [description, summary].filter((text) => typeof text === "string");
  return [...own, ...Object.values(value).flatMap(descriptionsIn)];
}

test("the API reference", { timeout: 180_000 }, async (t) => {
  const installation = await installWithOperator(t);
  const client = await clientOf(installation.url);
  const answer = await client.get("/api");
  assert.match(answer.headers.get("content-security-policy") ?? "", /default-src 'none'; script-src 'self'/);
  const contents = await answer.text();
  const { document: own } = await contractOf(installation.url);
  const document = JSON.parse(JSON.stringify(referenceDocument())) as typeof own;
  const groups = (document as unknown as { tags: { name: string }[] }).tags.map(({ name }) => name);
  const pages = new Map<string, string>();
  const errors = await (await client.get("/api/errors")).text();
  for (const group of groups) {
    const page = await client.get(`/api/${group}`);
    assert.equal(page.status, 200, group);
    pages.set(group, await page.text());
  }
  const html = [...pages.values(), errors].join("");
  const all = contents + html;

  await t.test("has headings without full stops", () => {
    const headings = [...all.matchAll(/<h[23][^>]*>(.*?)<\/h[23]>/gs)].map(([, text = ""]) => wordsOf(text).trim());
    assert.ok(headings.length > 10);
    assert.deepEqual(
      headings.filter((text) => text.endsWith(".")),
      [],
    );
  });

  await t.test("is made of /openapi.json, and of what is served of Resend's API", () => {
    assert.deepEqual(JSON.parse(JSON.stringify(openApiDocument())), own);
    for (const [path, methods] of Object.entries(own.paths)) assert.deepEqual(document.paths[path], methods, path);
    const others = Object.keys(document.paths).filter((path) => own.paths[path] === undefined);
    assert.ok(others.length > 5 && others.every((path) => path.startsWith("/compat/resend/")));
  });

  await t.test("has a row for every error, with its cause and what to do, to which operations link", () => {
    for (const { code, status, meaning, action } of problemCatalog()) {
      const [row = ""] = new RegExp(`<tr id="${code}">.*?</tr>`, "s").exec(errors) ?? assert.fail(code);
      const words = wordsOf(row).replace(/\s/g, "").toLowerCase();
      for (const text of [code, status, meaning, action]) {
        assert.ok(words.includes(String(text).replace(/[`\s]/g, "").toLowerCase()), `${code}: ${text}`);
      }
    }
    const linked = [...html.matchAll(/href="\/dashboard\/api\/errors#([^"]+)"/g)].map(([, id = ""]) => id);
    assert.ok(linked.length > 100);
    for (const id of linked) assert.ok(errors.includes(`id="${id}"`), id);
    assert.match(contents, /href="\/dashboard\/api\/errors"/);
  });

  await t.test("contains every operation, parameter, field, response and code", () => {
    const shown = new Set([...html.matchAll(/<code>([^<]*)<\/code>/g)].map(([, text = ""]) => unescaped(text)));
    for (const [path, methods] of Object.entries(document.paths)) {
      for (const [method, operation] of Object.entries(methods)) {
        assert.ok(shown.has(`${method.toUpperCase()} ${path}`), path);
        const { operationId } = operation;
        const [group = ""] = (operation as unknown as { tags: string[] }).tags;
        assert.ok(pages.get(group)?.includes(`id="${operationId}"`), operationId);
        assert.ok(contents.includes(`/dashboard/api/${group}#${operationId}`), operationId);
        const { parameters = [] } = operation as { parameters?: { name: string }[] };
        for (const { name } of parameters) assert.ok(shown.has(name), name);
        for (const status of Object.keys(operation.responses)) assert.ok(shown.has(status), status);
      }
    }
    for (const [name, schema] of Object.entries(document.components.schemas ?? {})) {
      assert.ok(html.includes(`id="object-${name}"`), name);
      for (const field of Object.keys((schema as { properties?: object }).properties ?? {}))
        assert.ok(shown.has(field), field);
    }
    assert.ok(
      shown.has("attachments[].content_id") && shown.has("refusals[].code"),
      "fields of objects without a name",
    );
    for (const [type, { post }] of Object.entries(document.webhooks)) {
      assert.ok(shown.has(type), type);
      for (const { name } of post.parameters) assert.ok(shown.has(name), name);
      for (const status of Object.keys(post.responses)) assert.ok(shown.has(status), status);
    }
    for (const code of ["quota_exceeded", "engine_unavailable", "invalid_json"]) assert.ok(shown.has(code), code);
  });

  await t.test("contains every description and limit", () => {
    const words = wordsOf(html).replace(/\s/g, "");
    const { components, paths, webhooks } = document;
    for (const text of descriptionsIn({ paths: withoutCodes(paths), webhooks, schemas: components.schemas })) {
      assert.ok(words.includes(text.replace(/[`\s]/g, "")), text);
    }
    for (const limit of [
      "1 to 100, default 20",
      "at most 10 entries, each 1 to 128 characters",
      "0 to 60, default 0",
    ]) {
      assert.ok(html.includes(limit), limit);
    }
  });

  await t.test("has no broken links", async () => {
    for (const [group, page] of [...pages, ["errors", errors] as const]) {
      for (const [, target = ""] of page.matchAll(/href="#([^"]+)"/g))
        assert.ok(page.includes(`id="${target}"`), `${group}: ${target}`);
      const ids = [...page.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id);
      assert.equal(new Set(ids).size, ids.length, `${group}: an id twice`);
    }
    for (const [, group = "", target = ""] of contents.matchAll(/href="\/dashboard\/api\/([^"#]+)#([^"]+)"/g))
      assert.ok((pages.get(group) ?? errors).includes(`id="${target}"`), `${group}#${target}`);
    assert.equal((await client.get("/api/nothing")).status, 404);
    assert.match(await (await client.get("/keys")).text(), /href="\/dashboard\/api"/);
    assert.equal((await fetch(`${installation.url}/openapi.json`)).status, 200);
  });

  await t.test("finds operations by words, also those of their fields", async () => {
    const found = async (words: string): Promise<string[]> => {
      const page = await (await client.get(`/api?q=${encodeURIComponent(words)}`)).text();
      return [...page.matchAll(/href="\/dashboard\/api\/[^"#]+#([^"]+)"/g)].map(([, id = ""]) => id);
    };
    assert.ok((await found("idempotency")).includes("send"));
    assert.deepEqual(await found("DKIM rotation post"), ["rotateDkim"]);
    assert.ok((await found("unsubscribe_url")).every((id) => contents.includes(`#${id}`)));
    assert.deepEqual(await found("nothing-has-this"), []);
    assert.deepEqual(await found("entity tag changed since"), ["precondition_failed"]);
    assert.deepEqual(await found("compat/resend verify"), ["resend-verifyDomain"]);
    assert.doesNotMatch(await (await client.get("/api?q=%3Cb%3E%22")).text(), /<b>/);
  });

  await t.test(`no page has more than ${KB_MAX} KB compressed`, () => {
    for (const [group, page] of [["contents", contents], ["errors", errors], ...pages] as const)
      assert.ok(gzipSync(page).length <= KB_MAX * 1024, `${group}: ${gzipSync(page).length}`);
  });

  await t.test("its curl commands work", { skip: withoutCurl() }, async () => {
    const created = await client.post("/keys", { name: "storefront" });
    const page = await (await client.get((created.headers.get("location") ?? "").replace("/dashboard", ""))).text();
    const [POSTRIDER_API_KEY = ""] = /svc_live_[\w-]+/.exec(page) ?? [];
    const examples = /data-language="curl">.*?<pre[^>]*>([^<]*)<\/pre>/gs;
    const lines = [...html.matchAll(examples)].map(([, line = ""]) => unescaped(line));
    const answers: number[] = [];
    for (const line of lines) {
      const asked = line.replace("curl ", "curl -sS -o /dev/null -w '%{http_code}' ");
      const { stdout } = await run("sh", ["-c", asked], {
        env: { PATH: process.env.PATH ?? "", POSTRIDER_API_KEY },
        timeout: 10_000,
      });
      answers.push(Number(stdout));
    }
    const titles = [...html.matchAll(/<summary><h2[^>]*>[^<]*<\/h2> <code>([^<]*)<\/code>/g)].map(
      ([, title = ""]) => title,
    );
    assert.equal(titles.length, answers.length);
    const open = titles.flatMap((title, i) => (title.includes(" /api/manage/") ? [] : [i]));
    // The example's sender domain is not bound here, and its message id is unknown.
    assert.deepEqual(
      open.map((i) => [titles[i], answers[i]]),
      [
        ["POST /api/sending/send", 403],
        ["POST /api/sending/batch", 202],
        ["GET /api/sending/messages", 200],
        ["GET /api/sending/messages/{id}", 404],
        ["PATCH /api/sending/messages/{id}", 404],
        ["POST /api/sending/messages/{id}/cancel", 404],
        ["POST /api/sending/messages/{id}/status-link", 404],
        ["GET /status/{token}", 404],
        ["GET /api/sending/events", 200],
        ["GET /healthz", 200],
        ["GET /readyz", 200],
        ["GET /metrics", 200],
        ["GET /openapi.json", 200],
        // The key may neither send from the domain nor manage.
        ["POST /compat/resend/emails", 403],
        ["GET /compat/resend/emails", 200],
        ["POST /compat/resend/emails/batch", 403],
        ["GET /compat/resend/emails/{id}", 404],
        ["PATCH /compat/resend/emails/{id}", 404],
        ["POST /compat/resend/emails/{id}/cancel", 404],
        ["POST /compat/resend/domains", 401],
        ["GET /compat/resend/domains", 401],
        ["GET /compat/resend/domains/{id}", 401],
        ["DELETE /compat/resend/domains/{id}", 401],
        ["POST /compat/resend/domains/{id}/verify", 401],
        ["POST /compat/resend/api-keys", 401],
        ["GET /compat/resend/api-keys", 401],
        ["DELETE /compat/resend/api-keys/{id}", 401],
      ],
    );
    assert.deepEqual(new Set(answers.filter((_, i) => !open.includes(i))), new Set([403]), "the key may not manage");
  });
});

/** Returns the reference without its layout, for an account without a domain. */
function referenceIn(html: string): string {
  const [, main = ""] = /<main[^>]*>(.*)<\/main>/s.exec(html) ?? [];
  return main
    .replaceAll("@shop.example", "@example.com")
    .replaceAll("&quot;shop.example&quot;", "&quot;example.com&quot;");
}

test("the API reference without a session", { timeout: 60_000 }, async (t) => {
  const installation = await installWithOperator(t);
  const client = await clientOf(installation.url);
  for (const [path, name] of [
    ["/domains", "shop.example"],
    ["/keys", "storefront"],
  ] as const) {
    await client.post(path, { name });
    assert.ok((await (await client.get(path)).text()).includes(name), name);
  }
  const visit = (cookie = "") =>
    fetch(`${installation.url}/dashboard/api/sending`, {
      redirect: "manual",
      headers: cookie === "" ? {} : { Cookie: cookie },
    });
  const answer = await visit();
  const html = await answer.text();

  await t.test("is that of the dashboard, with another sender", async () => {
    assert.equal(answer.status, 200);
    assert.match(answer.headers.get("content-type") ?? "", /^text\/html/);
    assert.match(answer.headers.get("content-security-policy") ?? "", /default-src 'none'; script-src 'self'/);
    assert.equal(referenceIn(html), referenceIn(await (await client.get("/api/sending")).text()));
    assert.ok(referenceIn(html).includes("Authorization: Bearer $POSTRIDER_API_KEY"));
    assert.match(await (await client.get("/api/sending")).text(), /Example Shop &lt;hello@shop\.example>/);
    const documented = JSON.stringify(openApiDocument());
    for (const [key] of html.matchAll(/svc_live_[\w-]+/g)) assert.ok(documented.includes(key), "an example's key");
    assert.match(html, /href="\/dashboard\/sign-in"/);
  });

  await t.test("contains no account data, and starts no session", async () => {
    for (const text of [OPERATOR.email, "Sign out", "form_token", "storefront", "shop.example", "default</strong>"])
      assert.ok(!html.includes(text), text);
    assert.ok((await (await client.get("/api")).text()).includes(OPERATOR.email));
    assert.equal(await (await visit()).text(), html, "after a request with a session");
    assert.equal(await (await visit("postrider_session=nonsense")).text(), html, "with an unknown session");
    assert.deepEqual(answer.headers.getSetCookie(), []);
  });

  await t.test("is linked from the sign-in page", async () => {
    assert.match(await (await fetch(`${installation.url}/dashboard/sign-in`)).text(), /href="\/dashboard\/api"/);
  });
});

test("the API reference without a session is rendered once", async () => {
  const parts = { api: openApiDocument(), problems: [], publicUrl: "http://localhost" } as unknown as DashboardParts;
  const page = createApiPages(parts)["GET /api"] ?? assert.fail();
  const bodyOf = async (): Promise<unknown> => {
    const ctx = { cookies: { get: () => undefined }, query: {}, body: null } as unknown as Context;
    await page(ctx);
    return ctx.body;
  };
  const body = await bodyOf();
  assert.ok(Buffer.isBuffer(body));
  assert.equal(await bodyOf(), body, "the same object");
});

/** A phone shows the groups, without their operations. */
async function openOperation(page: Page, options: typeof WIDE): Promise<void> {
  const operation = "List the messages that the key may read, newest first";
  const name = options === WIDE ? operation : "Look up and change messages";
  assert.equal(await page.getByRole("link", { name: operation }).count(), options === WIDE ? 1 : 0);
  await page.getByRole("link", { name }).click();
  await page.locator("summary", { hasText: "List the messages that the key may read" }).waitFor();
}

for (const options of [WIDE, NARROW]) {
  test(`the API reference without a session in a browser, ${options.viewport.width} pixels wide`, {
    skip: NO_CHROMIUM,
  }, async (t) => {
    const installation = await installWithOperator(t);
    const browser = await startBrowser();
    t.after(() => browser.close());
    const { page, consoleErrors } = await openWindow(browser, options);
    await page.goto(`${installation.url}/dashboard/sign-in`);
    await takeScreenshots(page, "sign-in-with-reference");
    await page.getByRole("link", { name: "API reference" }).click();
    await page.getByRole("heading", { name: "API reference" }).waitFor();
    await takeScreenshots(page, "api-open");
    await assertAccessible(page, "api-open");
    await openOperation(page, options);
    await takeScreenshots(page, "api-messages-open");
    await assertAccessible(page, "api-messages-open");
    await page.getByRole("link", { name: "Sign in" }).click();
    await page.getByLabel("Email address").waitFor();
    assert.deepEqual(consoleErrors, []);
  });

  test(`the API reference in a browser, ${options.viewport.width} pixels wide`, { skip: NO_CHROMIUM }, async (t) => {
    const { installation, page, inspect } = await startHarness(t, options);
    await page.goto(`${installation.url}/dashboard/keys`);
    await page.locator("main").getByRole("link", { name: "API reference" }).click();
    await page.getByRole("heading", { name: "API reference" }).waitFor();
    await inspect("api");
    await openOperation(page, options);
    assert.match(page.url(), options === WIDE ? /#listMessages$/ : /\/messages$/);
  });
}
