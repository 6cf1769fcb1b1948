/** Posting a report to a real server, and to what a hostile domain may name. */
import assert from "node:assert/strict";
import type { RequestListener } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { it, type TestContext } from "node:test";
import { type HttpsReportParts, postReport } from "../../src/tls-reports/https-report.ts";
import { fakeResolver } from "../support/fake-resolver.ts";
import { certificateAuthority } from "../support/self-signed.ts";

const authority = certificateAuthority();
const REPORT = Buffer.from([0x1f, 0x8b, 1, 2, 3]);

async function server(t: TestContext, answer: RequestListener): Promise<string> {
  const listener = createServer(authority.issue("reports.example"), answer);
  await new Promise<void>((resolve) => listener.listen(0, "127.0.0.1", resolve));
  t.after(() => {
    listener.closeAllConnections();
    listener.close();
  });
  return `https://reports.example:${(listener.address() as AddressInfo).port}/v1/tls?a=b`;
}

const parts = (changes: Partial<HttpsReportParts> = {}): HttpsReportParts => ({
  resolver: fakeResolver({
    "reports.example": { A: ["127.0.0.1"] },
    "other.example": { A: ["127.0.0.1"] },
    "private.example": { A: ["10.0.0.1"] },
  }),
  allowPrivate: true,
  isOwnAddress: () => false,
  ca: authority.cert,
  ...changes,
});

it("sends the compressed report with its type", async (t) => {
  const received: unknown[] = [];
  const url = await server(t, (request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk) => chunks.push(chunk));
    request.on("end", () => {
      received.push([request.method, request.url, request.headers["content-type"], Buffer.concat(chunks)]);
      response.writeHead(201).end("created");
    });
  });
  assert.deepEqual(await postReport(url, REPORT, parts()), { type: "sent" });
  assert.deepEqual(received, [["POST", "/v1/tls?a=b", "application/tlsrpt+gzip", REPORT]]);
});

it("tells a temporary failure from a refusal, and follows no redirect", async (t) => {
  const results: string[] = [];
  for (const status of [400, 404, 302, 408, 429, 500, 503]) {
    const url = await server(t, (_, response) => void response.writeHead(status, { Location: "/other" }).end());
    const { type } = await postReport(url, REPORT, parts());
    results.push(`${status} ${type}`);
  }
  assert.deepEqual(results, [
    "400 refused",
    "404 refused",
    "302 refused",
    "408 failed",
    "429 failed",
    "500 failed",
    "503 failed",
  ]);
});

it("refuses other schemes and passwords, and connects to no private address", async () => {
  for (const url of ["http://reports.example/", "https://a:b@reports.example/", "file:///etc/passwd", "nonsense"]) {
    assert.equal((await postReport(url, REPORT, parts())).type, "refused", url);
  }
  const strict = parts({ allowPrivate: false });
  for (const host of ["127.0.0.1", "[::1]", "169.254.169.254", "[::ffff:10.0.0.1]"]) {
    assert.equal((await postReport(`https://${host}/`, REPORT, strict)).type, "refused", host);
  }
  for (const name of ["private.example", "reports.example", "missing.example"]) {
    assert.equal((await postReport(`https://${name}/`, REPORT, strict)).type, "failed", name);
  }
});

it("fails without a valid certificate, and when the server stays silent or responds without end", async (t) => {
  const url = await server(t, (_, response) => {
    response.writeHead(200);
    const write = (): void => {
      while (response.write(Buffer.alloc(65_536)));
    };
    response.on("drain", write);
    write();
  });
  assert.deepEqual(await postReport(url, REPORT, parts()), { type: "sent" });
  assert.equal((await postReport(url.replace("reports.", "other."), REPORT, parts())).type, "failed");
  assert.equal((await postReport(url, REPORT, { ...parts(), ca: "" })).type, "failed");
  const silent = await server(t, () => {});
  assert.equal((await postReport(silent, REPORT, parts({ limitMs: 200 }))).type, "failed");
});
