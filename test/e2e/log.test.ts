/** The log: one line per request, one per recipient of an attempt, a common id in both, and no secrets. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { createResolver } from "../../src/dns/stub-resolver.ts";
import { createLog } from "../../src/lib/log.ts";
import { install, OPERATOR } from "../support/dashboard/installation.ts";
import { clientOf } from "../support/dashboard/sign-in.ts";
import { bindVerified, RECIPIENT_DOMAIN, SENDER_DOMAIN, sendBody, startWorld, type World } from "../support/world.ts";

type Line = Record<string, unknown>;

const at = (local: string): string => `${local}@${RECIPIENT_DOMAIN}`;

/** A world whose log is readable. */
async function loggedWorld(t: TestContext, env: Record<string, string> = {}) {
  const written: string[] = [];
  const log = createLog("debug", { write: (line: string) => void written.push(line) });
  const world = await startWorld(t, { RETRY_SCHEDULE: "1h", ...env }, { log });
  return { world, written, linesOf: (message: string) => linesOf(written, message) };
}

function linesOf(written: string[], message: string): Line[] {
  const lines = written.map((line) => JSON.parse(line) as Line);
  return lines.filter(({ msg }) => msg === message);
}

async function settled(world: World, id: string): Promise<void> {
  for (;;) {
    const { recipients } = (await (await world.lookUp(id)).json()) as { recipients: { attempts: number }[] };
    if (recipients.every(({ attempts }) => attempts > 0)) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

test("one id connects the request with the attempt of each recipient", {
  timeout: 30_000,
}, async (t) => {
  const { world, linesOf } = await loggedWorld(t);
  const to = [at("delivered"), at("5xx-550"), at("4xx-451"), at("drop-after-dot"), `ann@gone.${RECIPIENT_DOMAIN}`];
  const answer = await world.post(sendBody({ to }));
  const { id } = (await answer.json()) as { id: string };
  await settled(world, id);

  const accepted = linesOf("request").filter(({ messageId }) => messageId === id);
  assert.equal(accepted.length, 1);
  const [{ durationMs, time, level, msg, ...request } = {}] = accepted;
  assert.deepEqual(request, {
    requestId: answer.headers.get("x-request-id"),
    method: "POST",
    path: "/api/sending/send",
    status: 202,
    keyId: world.keyId,
    messageId: id,
  });
  assert.ok(Number(durationMs) >= 0);

  const attempts = linesOf("attempt").filter(({ messageId }) => messageId === id);
  attempts.sort((a, b) => Number(a.recipient) - Number(b.recipient));
  const mx = `mx.${RECIPIENT_DOMAIN}`;
  const reported = attempts.map((line) => [line.recipient, line.outcome, line.result, line.stage, line.code, line.mx]);
  assert.deepEqual(reported, [
    [0, "delivered", "delivered", "final_dot", 250, mx],
    [1, "failed", "failed", "rcpt", 550, mx],
    [2, "deferred", "pending", "rcpt", 451, mx],
    [3, "unknown", "unknown", "final_dot", undefined, mx],
    [4, "failed", "failed", "dns", undefined, `gone.${RECIPIENT_DOMAIN}`],
  ]);
  for (const line of attempts) {
    assert.equal(line.attempt, 1);
    assert.ok(Number.isInteger(line.durationMs) && Number(line.durationMs) >= 0, String(line.durationMs));
  }
});

test("every request has one line with the id of its response", { timeout: 30_000 }, async (t) => {
  const { world, linesOf } = await loggedWorld(t);
  const asked: [string, number, Promise<Response>][] = [
    ["/healthz", 200, fetch(`${world.service.url}/healthz`)],
    ["/nowhere", 404, fetch(`${world.service.url}/nowhere?key=${world.key}`)],
    ["/api/sending/messages/svc_live_…", 404, world.lookUp(world.key)],
    ["/api/sending/messages/msg_x", 401, world.lookUp("msg_x", "", "svc_live_wrong")],
    ["/api/sending/send", 400, world.post("{")],
  ];
  for (const [path, status, request] of asked) {
    const answer = await request;
    assert.equal(answer.status, status, path);
    const requestId = answer.headers.get("x-request-id");
    const lines = linesOf("request").filter((line) => line.requestId === requestId);
    assert.deepEqual(
      lines.map((line) => [line.path, line.status]),
      [[path, status]],
    );
  }
  const response = await malformed(world.service.port);
  const [, requestId] = /^X-Request-Id: (\S+)/m.exec(response) ?? [];
  const lines = linesOf("request").filter((line) => line.requestId === requestId);
  assert.deepEqual(
    lines.map(({ status, problem }) => [status, problem]),
    [[400, "invalid_request"]],
  );
  const metrics = await (await fetch(`${world.service.url}/metrics`)).text();
  assert.match(metrics, /^postrider_requests_refused_total\{code="invalid_request"\} 1$/m);
});

test("a request that the spool cannot serve is one warning without a stack", { timeout: 30_000 }, async (t) => {
  const { world, linesOf } = await loggedWorld(t);
  await world.service.spool.close();
  for (const answer of [await world.post(sendBody()), await world.lookUp("msg_x")]) {
    assert.equal(answer.status, 503);
    const requestId = answer.headers.get("x-request-id");
    const [{ time, reason, ...line } = {}, ...others] = linesOf("request rejected").filter(
      (rejected) => rejected.requestId === requestId,
    );
    assert.deepEqual([line, others], [{ level: 40, requestId, msg: "request rejected" }, []]);
    assert.match(String(reason), /^[^\n]*closed[^\n]*$/);
  }
  assert.deepEqual(linesOf("request failed"), []);
});

/** The service's response to bytes that are not a request. */
function malformed(port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    let response = "";
    const socket = connect(port, "127.0.0.1", () => socket.write("NO REQUEST AT ALL\r\n\r\n"));
    socket.setEncoding("latin1");
    socket.on("data", (chunk) => {
      response += chunk;
    });
    socket.on("close", () => resolve(response));
    socket.on("error", reject);
  });
}

test("the log contains no secret, whatever the result of a message", { timeout: 30_000 }, async (t) => {
  const { world, written } = await loggedWorld(t);
  const secrets = {
    subject: "SubjectOfTheLetter",
    text: "BodyOfTheLetter",
    html: "<p>MarkupOfTheLetter</p>",
    attachments: [{ filename: "a.txt", content: Buffer.from("FileOfTheLetter").toString("base64") }],
    metadata: { note: "MetadataOfTheLetter" },
    headers: { "X-Own": "HeaderOfTheLetter" },
  };
  const to = [at("delivered"), at("5xx-550"), at("4xx-451"), at("drop-after-dot")];
  const { id } = (await (await world.post(sendBody({ ...secrets, to }))).json()) as { id: string };
  await settled(world, id);
  await world.post(JSON.stringify(sendBody(secrets)).slice(0, -1));
  await world.post(sendBody({ ...secrets, colour: "FieldOfTheLetter" }));
  await world.post(sendBody(secrets), { "Idempotency-Key": '"BrokenKeyOfTheLetter' });
  await world.lookUp(id, "", `${world.key}x`);
  await world.service.spool.close();
  await world.post(sendBody(secrets));

  const log = written.join("");
  assert.ok(log.includes(id));
  const { CERTS_DIR = "" } = world.env;
  const master = readFileSync(join(CERTS_DIR, "master.key"));
  assert.ok(master.length >= 32);
  const own = [world.key, world.key.slice(-20), master.toString("utf8").trim(), master.toString("base64")];
  const contents = ["OfTheLetter", secrets.attachments[0]?.content ?? "", "PRIVATE KEY", at("delivered")];
  for (const secret of [...own, ...contents]) assert.ok(!log.includes(secret), secret);
});

test("actions in the dashboard are logged without secrets", { timeout: 30_000 }, async (t) => {
  const here = await install(t, { env: { ADMIN_EMAIL: OPERATOR.email, ADMIN_PASSWORD: OPERATOR.password } });
  const resolver = createResolver({ servers: [here.zone.address] });
  await bindVerified({ ...here, resolver }, SENDER_DOMAIN);
  const client = await clientOf(here.url);
  const sent = await client.post("/start", { local: "hello", domain: SENDER_DOMAIN, to: OPERATOR.email });
  const [id] = /msg_[\w-]+/.exec(sent.headers.get("location") ?? "") ?? [];
  const line = linesOf(here.logged, "request").find(({ messageId }) => messageId === id);
  const { requestId, method, path, status, userId } = line ?? {};
  assert.deepEqual([method, path, status], ["POST", "/dashboard/start", 302]);
  assert.equal(requestId, sent.headers.get("x-request-id"));
  assert.match(String(userId), /^usr_/);
  const created = await client.post("/keys", { name: "website" });
  const shown = await (await client.get((created.headers.get("location") ?? "").replace("/dashboard", ""))).text();
  const [key] = /svc_live_[\w-]+/.exec(shown) ?? assert.fail(shown);
  for (const secret of [OPERATOR.password, client.cookie.split("=")[1] ?? "", client.formToken, key, "PRIVATE KEY"]) {
    assert.ok(secret.length > 8 && !here.logged.join("").includes(secret), secret);
  }
});
