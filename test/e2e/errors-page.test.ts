/** The page that `type` of a problem leads to: through the whole service, and of each way in which a problem is sent. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createDialects } from "../../src/http/dialects.ts";
import { PROBLEM_CODES, Problem, statusOf } from "../../src/http/response/problems.ts";
import { startWorld } from "../support/world.ts";
import { problemOf } from "./problem.ts";
import { exchange } from "./raw-http.ts";

const PUBLIC_URL = "https://mail.example.com";

test("the page has an entry for every code, without scripts", async (t) => {
  const { service } = await startWorld(t);
  const answer = await fetch(`${service.url}/errors`);
  assert.equal(answer.status, 200);
  assert.match(answer.headers.get("content-type") ?? "", /^text\/html/);
  assert.match(answer.headers.get("content-security-policy") ?? "", /default-src 'none'/);
  const page = await answer.text();
  assert.doesNotMatch(page, /<script|`|undefined/);
  for (const code of PROBLEM_CODES) {
    const [, entry = ""] = page.split(`<section id="${code}">`);
    const [shown = ""] = entry.split("</section>");
    assert.ok(shown.includes(`${statusOf(code)} `), code);
    assert.match(shown, /Retry |Do not retry/, code);
  }
  assert.equal((await fetch(`${service.url}/errors`, { method: "HEAD" })).status, 200);
  assert.equal((await fetch(`${service.url}/errors`, { method: "POST" })).status, 405);
});

test("type of a problem is the address of its entry under PUBLIC_URL, also where the request is not well-formed", async (t) => {
  const world = await startWorld(t, { PUBLIC_URL });
  const { url } = world.service;
  const missing = await problemOf(await fetch(`${url}/nothing`), 404, "not_found");
  assert.equal(missing.type, `${PUBLIC_URL}/errors#not_found`);
  const invalid = await problemOf(await world.post({}), 400, "invalid_request");
  assert.equal(invalid.type, `${PUBLIC_URL}/errors#invalid_request`);
  for (const request of ["GET / HTTP/1.1\r\n\r\n", "nonsense\r\n\r\n"]) {
    const { type } = await problemOf(await exchange(url, request), 400, "invalid_request");
    assert.equal(type, `${PUBLIC_URL}/errors#invalid_request`, request);
  }
});

test("type of a problem of a service on its own port leads to the page", async (t) => {
  const { service } = await startWorld(t);
  const { type } = await problemOf(await fetch(`${service.url}/nothing`), 404, "not_found");
  assert.equal(type, `${service.url}/errors#not_found`);
  assert.match(await (await fetch(type)).text(), /id="not_found"/);
});

test("type is relative where PUBLIC_URL is not known, and absent from Resend's form", () => {
  const dialectOf = createDialects(() => "");
  const bodyAt = (path: string): string =>
    dialectOf(path).errors(new Problem("not_found", "Nothing."), { id: "req_1", isAnonymous: true }).body;
  assert.equal((JSON.parse(bodyAt("/")) as { type: string }).type, "/errors#not_found");
  assert.doesNotMatch(bodyAt("/compat/resend/emails"), /"type"/);
});
