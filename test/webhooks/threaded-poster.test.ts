/** Posts from the worker thread: its start, its batches, its settings, its end and its failure. */
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { Worker } from "node:worker_threads";
import { Webhook } from "standardwebhooks";
import { startThread } from "../../src/lib/thread.ts";
import { startZoneServer } from "../../src/testing/zone-server.ts";
import type { Poster } from "../../src/webhooks/poster.ts";
import type { PosterThreadOptions } from "../../src/webhooks/poster-thread.ts";
import { newSecret } from "../../src/webhooks/signature.ts";
import { startPosterThread } from "../../src/webhooks/threaded-poster.ts";
import { startRawReceiver, startReceiver } from "./receiver.ts";

const SECRET = newSecret();

function posterFor(t: TestContext, options: Partial<PosterThreadOptions> = {}): Poster {
  const all = { dnsServers: [], allowPrivate: true, sendingIps: [], ...options };
  const poster = startPosterThread(all, assert.fail);
  t.after(() => poster.close());
  return poster;
}

const postTo = (url: string, id = "evt_1") => ({
  url,
  id,
  atMs: Date.now(),
  body: `{"id":"${id}"}`,
  secrets: [SECRET],
});

/** Counts the messages to the threads that the test starts. */
function countMessages(t: TestContext): { count(): number } {
  const posted = t.mock.method(Worker.prototype, "postMessage");
  return { count: () => posted.mock.callCount() };
}

test("the thread posts signed webhooks, and gathers those of one moment into one message", async (t) => {
  const messages = countMessages(t);
  const receiver = await startReceiver(t);
  receiver.respond = (response, { headers }) => response.end(headers["webhook-id"]);
  const poster = posterFor(t);
  const ids = Array.from({ length: 50 }, (_, i) => `evt_${i}`);
  const url = `http://127.0.0.1:${receiver.port}/`;
  const results = await Promise.all(ids.map((id) => poster.post(postTo(url, id))));
  assert.deepEqual(
    results.map(({ status, response }) => [status, response]),
    ids.map((id) => [200, id]),
  );
  for (const { body, headers } of receiver.posts) {
    new Webhook(SECRET).verify(body, headers as Record<string, string>);
  }
  assert.equal(messages.count(), 1);
});

test("the thread uses the DNS servers and the address policy", async (t) => {
  const zone = await startZoneServer({
    records: [
      { name: "hooks.example", type: "A", values: ["127.0.0.1"] },
      { name: "own.example", type: "A", values: ["8.8.8.8"] },
    ],
  });
  t.after(() => zone.close());
  const receiver = await startReceiver(t);
  const options = { dnsServers: [zone.address], sendingIps: ["8.8.8.8"] };
  const url = `hooks.example:${receiver.port}/`;
  assert.equal((await posterFor(t, options).post(postTo(`http://${url}`))).status, 204);
  const strict = posterFor(t, { ...options, allowPrivate: false });
  assert.match(String((await strict.post(postTo(`https://${url}`))).error), /no public address \(127.0.0.1/);
  assert.match(String((await strict.post(postTo("https://own.example/"))).error), /address of the sending host/);
  assert.equal(receiver.posts.length, 1);
});

test("without a post there is no thread, and a close ends the posts under way", async (t) => {
  const messages = countMessages(t);
  const terminated = t.mock.method(Worker.prototype, "terminate");
  await posterFor(t).close();
  assert.equal(terminated.mock.callCount(), 0);
  const receiver = await startRawReceiver(t, () => {});
  const poster = posterFor(t);
  const posted = poster.post(postTo(`http://127.0.0.1:${receiver.port}/`));
  while (receiver.posts.length === 0) await new Promise((resolve) => setImmediate(resolve));
  const unsent = poster.post(postTo(`http://127.0.0.1:${receiver.port}/`));
  await poster.close();
  assert.equal(terminated.mock.callCount(), 1);
  for (const result of [await posted, await unsent, await poster.post(postTo("http://127.0.0.1/"))]) {
    assert.deepEqual([result.status, result.error], [null, "The service was stopped before a response arrived."]);
  }
  assert.deepEqual([messages.count(), receiver.posts.length], [1, 1]);
});

test("a thread that dies is reported, and its posts end", async (t) => {
  let report: (error: Error) => void = assert.fail;
  const reported = new Promise<Error>((resolve) => {
    report = resolve;
  });
  const options = { dnsServers: ["not an address"], allowPrivate: true, sendingIps: [] };
  const poster = startPosterThread(options, (error) => report(error));
  t.after(() => poster.close());
  const { status, error } = await poster.post(postTo("http://127.0.0.1/"));
  assert.deepEqual([status, error], [null, "The webhook could not be sent: the sending thread failed."]);
  assert.match((await reported).message, /not an address/);
});

test("a thread that cannot be started for want of descriptors ends its posts, and the next post starts one", async (t) => {
  const receiver = await startReceiver(t);
  const starts: (typeof startThread)[] = [
    () => {
      throw Object.assign(new Error("no descriptors"), { code: "ERR_WORKER_INIT_FAILED" });
    },
    (_entry, ...parts) => startThread(new URL("../support/missing-thread.ts", import.meta.url), ...parts),
    startThread,
  ];
  const options = { dnsServers: [], allowPrivate: true, sendingIps: [] };
  const poster = startPosterThread(options, assert.fail, (...parts) => {
    const start = starts.shift();
    assert.ok(start !== undefined);
    return start(...parts);
  });
  t.after(() => poster.close());
  const url = `http://127.0.0.1:${receiver.port}/`;
  for (let i = 0; i < 2; i += 1) {
    const { status, error } = await poster.post(postTo(url));
    assert.equal(status, null);
    assert.match(String(error), /out of file descriptors/);
  }
  assert.equal((await poster.post(postTo(url))).status, 204);
});
