/** The Python client: a program with it against the service, and its retries, errors and verification against a scripted server. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { sign } from "../../src/webhooks/signature.ts";
import { codeBlocks } from "../docs/markdown.ts";
import { operatorKey, PYTHON_ENV, useOf, withoutPython } from "../support/client-packages.ts";
import { CHECKOUT } from "../support/program.ts";
import { startWorld } from "../support/world.ts";
import { SCENARIO_FINDINGS } from "./scenario-findings.ts";
import { startScriptedServer } from "./scripted-server.ts";

const run = promisify(execFile);
const skip = withoutPython();
const LIMIT_MS = 120_000;

async function python(code: string, env: Record<string, string> = {}): Promise<unknown> {
  const options = { env: { PATH: process.env.PATH, ...PYTHON_ENV, ...env }, timeout: LIMIT_MS };
  const { stdout } = await run("python3", ["-c", code], options);
  return JSON.parse(stdout);
}

test("a program sends, waits, lists, follows, manages and verifies", { skip, timeout: LIMIT_MS }, async (t) => {
  const world = await startWorld(t, { WEBHOOK_ALLOW_PRIVATE: "true" });
  const env = { PATH: process.env.PATH, ...PYTHON_ENV, ...useOf(world, await operatorKey(world)) };
  const program = join(CHECKOUT, "test/clients/programs/scenario.py");
  const { stdout } = await run("python3", [program], { env, timeout: LIMIT_MS });
  assert.deepEqual(JSON.parse(stdout), SCENARIO_FINDINGS);
});

test("the programs of the documents are Python", { skip, timeout: LIMIT_MS }, async () => {
  const source = codeBlocks(readFileSync(join(CHECKOUT, "docs/API.md"), "utf8"))
    .filter(({ language }) => language === "python")
    .map(({ text }) => text);
  assert.ok(source.length > 3);
  const check = "import ast, json, os; ast.parse(os.environ['SOURCE']); print(json.dumps(True))";
  assert.equal(await python(check, { SOURCE: source.join("\n") }), true);
});

const CALL = `
import json, os
from postrider import Postrider, PostriderError
client = Postrider(os.environ["URL"] + "/prefix/", "svc_live_x", timeout=0.5, retries_max=int(os.environ.get("RETRIES", "4")))
try:
    print(json.dumps(client.send(from_="a@a.example", to="b@b.example", subject="s", text="t")["id"]))
except PostriderError as error:
    print(json.dumps([error.status, error.code, error.detail, error.request_id, error.retry_after]))
`;

const ACCEPTED = { status: 202, body: '{"id":"msg_1","state":"accepted"}' };

test("retries by Retry-After with one idempotency key", { skip, timeout: LIMIT_MS }, async (t) => {
  const server = await startScriptedServer(t, [
    { status: 429, headers: { "Retry-After": "0" } },
    { status: 503, headers: { "Retry-After": "Thu, 01 Jan 1970 00:00:00 GMT" } },
    { status: 0 },
    ACCEPTED,
  ]);
  assert.equal(await python(CALL, { URL: server.url }), "msg_1");
  assert.deepEqual(new Set(server.requests.map(({ line }) => line)), new Set(["POST /prefix/api/sending/send"]));
  const keys = server.requests.map(({ headers }) => headers["idempotency-key"]);
  assert.equal(keys.length, 4);
  assert.equal(new Set(keys).size, 1);
  assert.match(String(keys[0]), /^[\da-f-]{36}$/);
});

test("does not retry what is final, a long wait, or beyond the bound", { skip, timeout: LIMIT_MS }, async (t) => {
  const problem = { code: "quota_exceeded", detail: "Used up.", request_id: "req_1", retry_after: 3600 };
  for (const [answer, found] of [
    [{ status: 429, body: JSON.stringify(problem) }, [429, "quota_exceeded", "Used up.", "req_1", 3600]],
    [{ status: 500 }, [500, "unexpected_response", "The server responded with status 500.", null, null]],
    [
      { status: 302, headers: { Location: "http://127.0.0.1:1/" } },
      [302, "unexpected_response", "The server responded with status 302.", null, null],
    ],
    [
      { status: 202, body: "<html>" },
      [202, "unexpected_response", "The response is not JSON. Is the URL that of Postrider?", null, null],
    ],
  ] as const) {
    const server = await startScriptedServer(t, [answer, ACCEPTED]);
    assert.deepEqual(await python(CALL, { URL: server.url }), found);
    assert.equal(server.requests.length, 1);
  }
  const busy = { status: 503, headers: { "Retry-After": "0" } };
  const server = await startScriptedServer(t, [busy, busy, ACCEPTED]);
  const [status] = (await python(CALL, { URL: server.url, RETRIES: "1" })) as unknown[];
  assert.deepEqual([status, server.requests.length], [503, 2]);
});

test("reports a time limit", { skip, timeout: LIMIT_MS }, async (t) => {
  const server = await startScriptedServer(t, [{ status: -1 }]);
  const found = await python(CALL, { URL: server.url, RETRIES: "0" });
  assert.deepEqual(found, [0, "timeout", "No response within the time limit.", null, null]);
});

const VERIFY = `
import json, os
from postrider import Postrider, WebhookVerificationError, verify_webhook
found = []
for body, headers, secret in json.loads(os.environ["REQUESTS"]):
    try:
        found.append(verify_webhook(body, headers, secret)["type"])
    except (WebhookVerificationError, ValueError) as error:
        found.append(f"{type(error).__name__}: {error}")
for name in ("", ".", ".."):
    try:
        Postrider("http://127.0.0.1:1", "k").remove_domain(name)
    except ValueError as error:
        found.append("ValueError")
print(json.dumps(found))
`;

test("verifies webhooks", { skip, timeout: LIMIT_MS }, async () => {
  const body = '{"type":"recipient.delivered","é":1}';
  const secret = `whsec_${Buffer.alloc(32, 7).toString("base64")}`;
  const other = `whsec_${Buffer.alloc(32, 8).toString("base64")}`;
  const nowS = Math.floor(Date.now() / 1000);
  const headersAt = (timestampS: number, by = secret): Record<string, string> => ({
    "Webhook-Id": "evt_1",
    "Webhook-Timestamp": String(timestampS),
    "Webhook-Signature": `v1a,x v1,*** ${sign(other, { id: "evt_2", timestampS, body })} ${sign(by, { id: "evt_1", timestampS, body })}`,
  });
  const requests = [
    [body, headersAt(nowS), secret],
    [body, headersAt(nowS), [other, secret]],
    [`${body} `, headersAt(nowS), secret],
    [body, headersAt(nowS, other), secret],
    [body, headersAt(nowS - 400), secret],
    [body, headersAt(nowS + 400), secret],
    [body, { "webhook-id": "evt_1" }, secret],
    [body, headersAt(nowS), "secret"],
  ];
  const wrong = "WebhookVerificationError: No signature is right: the secret is another one, or the body was changed.";
  const off = "WebhookVerificationError: webhook-timestamp is more than 300 seconds off.";
  assert.deepEqual(await python(VERIFY, { REQUESTS: JSON.stringify(requests) }), [
    "recipient.delivered",
    "recipient.delivered",
    wrong,
    wrong,
    off,
    off,
    "WebhookVerificationError: The header field webhook-timestamp is missing.",
    "ValueError: secret must be whsec_ and base64",
    "ValueError",
    "ValueError",
    "ValueError",
  ]);
});
