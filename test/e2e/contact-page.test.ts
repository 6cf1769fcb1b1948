/** The page with contact data, through the whole service. */
import assert from "node:assert/strict";
import { mkdtempSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { startWorld } from "../support/world.ts";

const HOST = "mail.host.example";

interface Answered {
  status: number;
  location: string | undefined;
  policy: string | undefined;
  body: string;
}

/** A request with a Host field of its own, which fetch does not send. */
function get(url: string, { host, method = "GET" }: { host: string; method?: string }): Promise<Answered> {
  return new Promise((resolve, reject) => {
    const headers = { Host: host, Accept: "text/html" };
    const outgoing = request(url, { method, headers }, async (response) => {
      let body = "";
      for await (const part of response.setEncoding("utf8")) body += part;
      const { location, "content-security-policy": policy } = response.headers;
      resolve({ status: response.statusCode ?? 0, location, policy: policy?.toString(), body });
    });
    outgoing.on("error", reject).end();
  });
}

test("the host's name shows the contact data, other names the dashboard", async (t) => {
  const file = join(mkdtempSync(join(tmpdir(), "contact-")), "contact.txt");
  writeFileSync(file, "Example <Ltd>\r\n1 Main Street\npostmaster@host.example\n");
  const { service } = await startWorld(t, { MTA_HOSTNAME: HOST, CONTACT_PAGE_FILE: file });
  for (const [path, host] of [
    ["/", HOST],
    ["/", `${HOST.toUpperCase()}:8080`],
    ["/?lang=de", `${HOST}.`],
    ["/contact", "other.example"],
  ] as const) {
    const { status, body, policy } = await get(`${service.url}${path}`, { host });
    assert.equal(status, 200, path);
    assert.match(body, /Example &lt;Ltd(>|&gt;)\r?\n1 Main Street\npostmaster@host\.example<\/p>/u);
    assert.match(policy ?? "", /default-src 'none'/);
  }
  const other = await get(`${service.url}/`, { host: "other.example" });
  assert.deepEqual([other.status, other.location], [302, "/dashboard"]);
  assert.equal((await get(`${service.url}/contact`, { host: HOST, method: "POST" })).status, 405);
});

test("without CONTACT_PAGE_FILE there is none", async (t) => {
  const { service } = await startWorld(t, { MTA_HOSTNAME: HOST });
  const { status, location } = await get(`${service.url}/`, { host: HOST });
  assert.deepEqual([status, location], [302, "/dashboard"]);
  assert.equal((await get(`${service.url}/contact`, { host: HOST })).status, 404);
});
