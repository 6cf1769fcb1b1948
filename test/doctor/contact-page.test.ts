import assert from "node:assert/strict";
import { mkdtempSync, writeFileSync } from "node:fs";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { it, type TestContext } from "node:test";
import { readConfig } from "../../src/config.ts";
import { checkContactPage } from "../../src/doctor/contact-page.ts";
import { doctorInput } from "./doctor-input.ts";

const NAME = "mail.host.example";
const CONTACT = "Example Ltd\npostmaster@host.example\n";

/** A web server at the host's name, without TLS; nothing listens for HTTPS. */
async function inputWith(t: TestContext, answer: RequestListener, env: Record<string, string> = {}) {
  const requests: string[] = [];
  const server = createServer((req, res) => {
    requests.push(`${req.headers.host}${req.url}`);
    answer(req, res);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => server.close());
  const { port } = server.address() as AddressInfo;
  const config = readConfig({ MTA_HOSTNAME: NAME, SMTP_ALLOW_PRIVATE: "true", ...env }, { secretFiles: false });
  const zone = { [NAME]: { A: ["127.0.0.1"] } };
  return { input: doctorInput(zone, {}, { config, httpPort: port, httpsPort: 1 }), requests };
}

function contactFile(): string {
  const file = join(mkdtempSync(join(tmpdir(), "contact-")), "contact.txt");
  writeFileSync(file, CONTACT);
  return file;
}

it("finds a page with contact data at the host's name, after a redirect to the same name", async (t) => {
  const { input, requests } = await inputWith(t, (req, res) => {
    if (req.url === "/") res.writeHead(302, { Location: "/imprint" }).end();
    else res.end(`<p>${CONTACT}</p>`);
  });
  const { state, detail } = await checkContactPage(input);
  assert.deepEqual([state, detail], ["ok", `http://${NAME}/imprint has contact data.`]);
  assert.deepEqual(requests, [`${NAME}/`, `${NAME}/imprint`]);
});

const NO_PAGES: [string, RequestListener][] = [
  ["a page without an address", (_, res) => res.end("<p>Welcome to nginx!</p>")],
  ["an error", (_, res) => res.writeHead(404).end(CONTACT)],
  ["a redirect to another name", (_, res) => res.writeHead(302, { Location: "http://other.example/" }).end()],
  ["a redirect without end", (_, res) => res.writeHead(302, { Location: "/" }).end()],
  ["a page without end", (_, res) => res.end("x".repeat(300_000) + CONTACT)],
  ["a connection that is cut", (req) => req.socket.destroy()],
];

for (const [name, answer] of NO_PAGES) {
  it(`${name} is no page: a warning only with CONTACT_PAGE_FILE`, async (t) => {
    const without = await inputWith(t, answer);
    const found = await checkContactPage(without.input);
    assert.equal(found.state, "ok");
    assert.match(found.detail, /^No page with contact data was found at mail\.host\.example\. T-Online/);
    const { input, requests } = await inputWith(t, answer, { CONTACT_PAGE_FILE: contactFile() });
    assert.equal((await checkContactPage(input)).state, "warning");
    assert.ok(requests.length > 0 && requests.length <= 3, requests.join());
  });
}

it("private addresses are not asked", async (t) => {
  const { input, requests } = await inputWith(t, (_, res) => res.end(CONTACT), { SMTP_ALLOW_PRIVATE: "false" });
  assert.match((await checkContactPage(input)).detail, /^No page/);
  assert.deepEqual(requests, []);
});
