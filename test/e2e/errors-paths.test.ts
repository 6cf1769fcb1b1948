/** Rejected paths and methods, and a service that cannot serve. */
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { RECIPIENT_DOMAIN, sendBody, startWorld, type World } from "../support/world.ts";
import { problemOf } from "./problem.ts";
import { connectRaw, requestBytes } from "./raw-http.ts";
import { assertNothingSent, json, otherAccountsKey, SEND, startRefusingWorld } from "./refusals.ts";

test("errors: paths and methods", { timeout: 60_000 }, async (t) => {
  const world = await startRefusingWorld(t);
  await t.test("404 not_found", (t) => notFound(t, world));
  await t.test("405 method_not_allowed", (t) => methodNotAllowed(t, world));
  await t.test("no message was sent", () => assertNothingSent(world));
});

async function notFound(t: TestContext, world: World): Promise<void> {
  await t.test("unknown, malformed and foreign ids get the same response", async () => {
    const own = (await (await world.post(sendBody({ to: `4xx-451@${RECIPIENT_DOMAIN}` }))).json()) as { id: string };
    assert.equal((await world.lookUp(own.id)).status, 200);
    const { key: sibling } = await world.newKey();
    const { key: other } = await otherAccountsKey(world);
    const answers = [
      await world.lookUp(own.id, "", sibling),
      await world.lookUp(own.id, "", other),
      await world.lookUp(own.id, "?wait=5", sibling),
      ...(await Promise.all(
        [
          `${own.id}x`,
          own.id.slice(0, -1),
          own.id.toUpperCase(),
          `msg_${"A".repeat(24)}`,
          "1",
          "%00",
          "%ff",
          "%",
          "a%2Fb",
        ]
          .concat(["'%20OR%201=1--", "x".repeat(2000), "%F0%9F%93%AE"])
          .map((id) => world.lookUp(id)),
      )),
    ];
    const bodies = await Promise.all(answers.map((answer) => problemOf(answer, 404, "not_found")));
    const [first, ...rest] = bodies.map(({ request_id: _, ...body }) => body);
    for (const body of rest) assert.deepEqual(body, first);
  });

  await t.test("no such path", async () => {
    const paths = ["/", "/api", "/api/sending", "/api/sending/sends", "/v1/api/sending/send"];
    for (const path of [...paths, "/api/sending/messages/a/b", "/api/sending/%"]) {
      for (const method of ["GET", "POST"]) {
        await problemOf(await fetch(world.service.url + path, { method }), 404, "not_found");
      }
    }
  });
}

async function methodNotAllowed(t: TestContext, world: World): Promise<void> {
  const cases = [
    { path: SEND, allow: "POST", methods: ["GET", "PUT", "DELETE", "PATCH", "OPTIONS"] },
    { path: "/api/sending/messages/msg_x", allow: "GET", methods: ["POST", "PUT", "DELETE", "OPTIONS"] },
    { path: "/api/sending/messages", allow: "GET", methods: ["POST", "DELETE"] },
    { path: "/api/sending/events", allow: "GET", methods: ["POST", "DELETE"] },
    { path: "/openapi.json", allow: "GET", methods: ["POST", "DELETE"] },
    { path: "/healthz", allow: "GET", methods: ["POST", "DELETE"] },
  ];
  for (const { path, allow, methods } of cases) {
    await t.test(path, async () => {
      for (const method of methods) {
        const answer = await fetch(world.service.url + path, { method });
        const allowed = (answer.headers.get("allow") ?? "").split(", ");
        assert.ok(allowed.includes(allow), `Allow: ${allowed}`);
        assert.ok(!allowed.includes(method));
        await problemOf(answer, 405, "method_not_allowed");
      }
    });
  }
}

test("503 engine_unavailable when the store is closed", { timeout: 30_000 }, async (t) => {
  const world = await startWorld(t);
  await world.service.spool.close();
  await problemOf(await world.post(sendBody()), 503, "engine_unavailable");
  await problemOf(await world.lookUp("msg_x"), 503, "engine_unavailable");
});

test("503 engine_unavailable while the service stops, for requests in progress", { timeout: 30_000 }, async (t) => {
  const world = await startWorld(t);
  const client = await connectRaw(world.service.url);
  const headers = [`Authorization: Bearer ${world.key}`, "Content-Type: application/json"];
  const bytes = requestBytes({ headers, body: json });
  await client.write(bytes.subarray(0, -10));
  // A response on another connection shows that the first request has been read up to here.
  assert.equal((await world.lookUp("msg_x")).status, 404);
  const stopped = world.service.stop();
  await client.write(bytes.subarray(-10));
  await problemOf(await client.answer(), 503, "engine_unavailable");
  client.end();
  await stopped;
  assert.equal(world.sink.entries.length, 0);
});
