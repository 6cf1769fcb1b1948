/**
 * CI's check for known vulnerabilities, with a local registry: no finding passes, a vulnerability fails, a missing
 * report fails, and a registry without an audit endpoint passes with a banner.
 */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { type TestContext, test } from "node:test";
import { fileURLToPath } from "node:url";

const AUDIT = fileURLToPath(new URL("../../.ci/audit", import.meta.url));

const skip = process.env.CI === "true" ? false : "runs npm ten times, so it runs with CI=true";

/** Answers the request for advisories; all other requests get 404. */
const advising =
  (status: number, answer: unknown): RequestListener =>
  ({ method }, response) => {
    response.statusCode = method === "POST" ? status : 404;
    response.end(method !== "POST" ? "{}" : typeof answer === "string" ? answer : JSON.stringify(answer));
  };

const silent: RequestListener = () => {};

/** `null` for an unreachable registry. */
async function auditWith(
  t: TestContext,
  registry: RequestListener | null,
  more: Record<string, string> = {},
): Promise<{ code: number; output: string }> {
  const server = createServer(registry ?? silent);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  t.after(() => server.close().closeAllConnections());
  if (registry === null) server.close();
  const { PATH, HOME } = process.env;
  const env = { PATH, HOME, npm_config_registry: `http://127.0.0.1:${port}/`, npm_config_audit: "true", ...more };
  const child = spawn(AUDIT, { env, stdio: ["ignore", "pipe", "inherit"] });
  let output = "";
  child.stdout.on("data", (chunk) => {
    output += chunk;
  });
  const [code] = await once(child, "close");
  return { code, output };
}

const advisory = {
  id: 1,
  url: "https://advisories.example/1",
  title: "A hole in the front",
  severity: "low",
  vulnerable_versions: "*",
  cwe: [],
  cvss: { score: 1, vectorString: null },
};

test("no known vulnerability passes", { skip }, async (t) => {
  const { code, output } = await auditWith(t, advising(200, {}));
  assert.deepEqual([code, output], [0, "npm audit: no known vulnerability\n"]);
});

test("a known vulnerability of the product fails, and is named", { skip }, async (t) => {
  const { code, output } = await auditWith(t, advising(200, { koa: [advisory] }));
  assert.equal(code, 1);
  assert.match(output, /koa[\s\S]+A hole in the front/);
});

test("a registry without an audit endpoint passes with a banner that nothing was audited", { skip }, async (t) => {
  for (const status of [404, 405, 501]) {
    const { code, output } = await auditWith(t, advising(status, {}));
    assert.equal(code, 0);
    assert.match(
      output,
      new RegExp(`^#{80}\\n#\\n# +npm audit: NOTHING WAS AUDITED\\n(#.*\\n)*# +${status} .*\\n(#.*\\n)*#{80}\\n$`),
    );
  }
});

test("any other missing report fails", { skip }, async (t) => {
  const garbage = "<html>welcome to this network</html>";
  for (const registry of [advising(500, {}), advising(503, {}), advising(401, {}), advising(200, garbage), null]) {
    const { code, output } = await auditWith(t, registry);
    assert.equal(code, 1, output);
    assert.match(output, /^npm audit failed: the registry gave no report: .+\n$/);
  }
  const { code, output } = await auditWith(t, silent, { AUDIT_LIMIT_S: "5" });
  assert.deepEqual([code, output], [1, "npm audit failed: the registry gave no report: no answer (exit status 124)\n"]);
});
