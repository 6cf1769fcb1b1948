/** The project's documents as pages: complete, with links that lead somewhere, a search, and nothing of the installation. */
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
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

const ROOT = new URL("../../../", import.meta.url);
/** Of a page, compressed, beside what its document has. */
const KB_MAX = 15;
/** Compressed, elements take less than the list of documents and a third of the Markdown together. */
const LAYOUT_KB = 3;

const idsIn = (html: string): string[] => [...html.matchAll(/ id="([^"]+)"/g)].map(([, id = ""]) => id);
const mainOf = (html: string): string => /<main[^>]*>(.*)<\/main>/s.exec(html)?.[1] ?? "";

/** Every document with its page, as a visitor without a session gets it. */
async function allPages(url: string): Promise<Map<string, { source: string; address: string; html: string }>> {
  const names = readdirSync(new URL("docs/", ROOT)).filter((name) => name.endsWith(".md"));
  const paths = [...names.map((name) => `docs/${name}`), "README.md", "CHANGELOG.md", "CONTRIBUTING.md"];
  const pages = new Map();
  for (const path of paths) {
    const name =
      path === "docs/README.md"
        ? ""
        : `/${path
            .replace(/^docs\//, "")
            .replace(".md", "")
            .toLowerCase()}`;
    const answer = await fetch(`${url}/dashboard/docs${name}`);
    assert.equal(answer.status, 200, path);
    const source = readFileSync(new URL(path, ROOT), "utf8");
    pages.set(path, { source, address: `/dashboard/docs${name}`, html: await answer.text() });
  }
  return pages;
}

test("the documents", { timeout: 120_000 }, async (t) => {
  const installation = await installWithOperator(t);
  const pages = await allPages(installation.url);
  const byAddress = new Map([...pages.values()].map((page) => [page.address, page]));
  assert.ok(pages.size > 25);

  await t.test("have pages with their titles and headings", () => {
    for (const [path, { source, html }] of pages) {
      const [, title = ""] = /^# (.+)$/m.exec(source) ?? [];
      assert.ok(title !== "" && html.includes(`<h1>${title.replaceAll("&", "&amp;")}</h1>`), path);
      const outside = source.replace(/^( *)```.*?^\1```/gms, "");
      assert.equal(html.match(/<h2 id="[^"]+"><a href="#/g)?.length ?? 0, outside.match(/^## /gm)?.length ?? 0, path);
    }
  });

  await t.test("have their diagrams as lists, on the pages and in the search", async () => {
    const drawn = [...pages].filter(([, { source }]) => source.includes("```mermaid"));
    assert.ok(drawn.length >= 2);
    for (const [path, { html }] of drawn) {
      assert.doesNotMatch(mainOf(html), /flowchart (?:TD|LR)|--(?:&gt;|>)/, path);
      assert.match(mainOf(html), /<li>[^<]+ → [^<]+<\/li>/, path);
    }
    const search = await (await fetch(`${installation.url}/dashboard/docs?q=dashboard+acme`)).text();
    assert.match(search, /acme → /);
    assert.doesNotMatch(mainOf(search), /acme\[|flowchart (?:TD|LR)/);
  });

  await t.test("have links between them that lead to a page and an anchor on it", () => {
    let count = 0;
    for (const [path, { html, address }] of pages) {
      const ids = idsIn(html);
      assert.equal(new Set(ids).size, ids.length, `${path}: an id twice`);
      for (const [, href = ""] of mainOf(html).matchAll(/<a href="([^"]*)"/g)) {
        if (/^https?:/.test(href)) continue;
        const [page = "", fragment = ""] = href.split("#");
        const target = byAddress.get(page === "" ? address : page);
        assert.ok(target, `${path}: ${href}`);
        assert.ok(fragment === "" || idsIn(target.html).includes(fragment), `${path}: ${href}`);
        count += 1;
      }
    }
    assert.ok(count > 500, String(count));
  });

  await t.test("reach the page as elements of its own: code as text, and pictures of docs/images", async () => {
    const { html = "" } = pages.get("docs/DASHBOARD.md") ?? {};
    const images = [...html.matchAll(/(?:src|srcset)="(\/dashboard\/docs\/images\/[^"]+)"/g)].map(([, at = ""]) => at);
    assert.ok(images.length >= 2);
    for (const at of images) {
      const answer = await fetch(installation.url + at);
      assert.deepEqual([answer.status, answer.headers.get("content-type")], [200, "image/png"], at);
    }
    for (const { html: each } of pages.values()) {
      assert.doesNotMatch(mainOf(each), /<(?:script|style|iframe)|&lt;picture| on[a-z]+="/);
    }
    const all = [...pages.values()].map(({ html: each }) => each).join("");
    assert.ok(all.includes("curl -i http://localhost:8080/api/sending/send \\\n"));
    for (const name of ["none.png", "..%2f..%2fpackage.json", "%2e%2e%2fREADME.md"]) {
      assert.equal((await fetch(`${installation.url}/dashboard/docs/images/${name}`)).status, 404, name);
    }
    for (const name of ["nothing", "..%2fpackage.json", "README"]) {
      const { status } = await fetch(`${installation.url}/dashboard/docs/${name}`, { redirect: "manual" });
      assert.equal(status, name === "README" ? 302 : 404, name);
    }
  });

  await t.test("are as small as their documents allow", () => {
    for (const [path, { source, html }] of pages) {
      const allowed = Math.max(KB_MAX * 1024, gzipSync(source).length * 1.2 + LAYOUT_KB * 1024);
      assert.ok(gzipSync(html).length <= allowed, `${path}: ${gzipSync(html).length} of ${allowed}`);
    }
  });

  await t.test("are found by their names as files have them", async () => {
    const answer = await fetch(`${installation.url}/dashboard/docs/OPERATIONS.md`, { redirect: "manual" });
    assert.deepEqual([answer.status, answer.headers.get("location")], [302, "/dashboard/docs/operations"]);
  });

  await t.test("are searched for words, those in headings first", async () => {
    const found = async (words: string): Promise<string[]> => {
      const answer = await fetch(`${installation.url}/dashboard/docs?q=${encodeURIComponent(words)}`);
      assert.equal(answer.status, 200);
      const html = mainOf(await answer.text());
      return [...html.matchAll(/<h2><a href="([^"]+)"/g)].map(([, href = ""]) => href);
    };
    assert.ok((await found("RETRY_SCHEDULE")).length > 2);
    assert.equal((await found("doctor checks"))[0], "/dashboard/docs/monitoring#doctor-checks");
    for (const href of await found("unsubscribe link")) {
      const [page = "", fragment = ""] = href.split("#");
      const target = byAddress.get(page) ?? assert.fail(href);
      assert.ok(fragment === "" || idsIn(target.html).includes(fragment), href);
    }
    assert.deepEqual(await found("nothing-has-this-word"), []);
    assert.equal((await found("the")).length, 40);
    assert.equal((await found(`${"a ".repeat(1000)}`)).length, 40, "of a long search, the beginning");
    const hostile = await fetch(`${installation.url}/dashboard/docs?q=%3Cb%3E%22&q=2`);
    assert.doesNotMatch(await hostile.text(), /<b>/);
    const typed = await (await fetch(`${installation.url}/dashboard/docs?q=%3Cb%3E%22`)).text();
    assert.match(typed, /value="&lt;b>&quot;"/);
  });

  await t.test("contain nothing of the installation, and have the navigation with a session", async () => {
    const client = await clientOf(installation.url);
    const signedIn = await (await client.get("/docs/operations")).text();
    const visited = pages.get("docs/OPERATIONS.md")?.html ?? "";
    assert.equal(mainOf(signedIn), mainOf(visited));
    assert.match(signedIn, /Sign out/);
    assert.match(await (await client.get("/keys")).text(), /href="\/dashboard\/docs"/);
    const again = await fetch(`${installation.url}/dashboard/docs/operations`);
    assert.deepEqual(again.headers.getSetCookie(), []);
    const html = await again.text();
    assert.equal(html, visited);
    for (const text of [OPERATOR.email, "Sign out", "form_token"]) assert.ok(!html.includes(text), text);
    assert.match(await (await fetch(`${installation.url}/dashboard/sign-in`)).text(), /href="\/dashboard\/docs"/);
  });
});

for (const options of [WIDE, NARROW]) {
  const { width } = options.viewport;
  test(`the documents in a browser, ${width} pixels wide`, { skip: NO_CHROMIUM, timeout: 120_000 }, async (t) => {
    const installation = await installWithOperator(t);
    const browser = await startBrowser();
    t.after(() => browser.close());
    const { page, consoleErrors } = await openWindow(browser, options);
    await page.goto(`${installation.url}/dashboard/sign-in`);
    await page.getByRole("link", { name: "Documentation" }).click();
    await page.getByRole("heading", { name: "Documentation" }).waitFor();
    await takeScreenshots(page, "docs");
    await assertAccessible(page, "docs");
    await page.getByLabel("Search the documentation").fill("blocklist");
    await page.keyboard.press("Enter");
    await page.getByRole("status").waitFor();
    await takeScreenshots(page, "docs-found");
    await assertAccessible(page, "docs-found");
    await page.locator(".doc-found a").first().click();
    await page.getByText("On this page").waitFor();
    for (const name of ["before-production", "operations", "dashboard", "sending", "errors"]) {
      await page.goto(`${installation.url}/dashboard/docs/${name}`);
      if (name !== "operations") await takeScreenshots(page, `docs-${name}`);
      await assertAccessible(page, `docs-${name}`);
    }
    assert.deepEqual(consoleErrors, []);
  });

  test(`a document with a session, ${width} pixels wide`, { skip: NO_CHROMIUM, timeout: 120_000 }, async (t) => {
    const { installation, page, inspect } = await startHarness(t, options);
    await page.goto(`${installation.url}/dashboard/docs/testing`);
    await inspect("docs-testing");
  });
}
