/** The sink for test messages: started by the first of them, once, and closed with the service. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { TestSink } from "../../../src/delivery/routing/test-sink.ts";

/** A sink whose first `failures` starts fail. */
function setUp(failures = 0) {
  const counts = { starts: 0, closes: 0 };
  const sink = new TestSink(async () => {
    counts.starts += 1;
    if (counts.starts <= failures) throw new Error("no port is free");
    const close = async (): Promise<void> => {
      counts.closes += 1;
    };
    return { port: 4000 + counts.starts, close };
  });
  return { sink, counts };
}

const hostsAt = (port: number) => ({ type: "hosts", hosts: [{ name: "127.0.0.1", port, isSink: true }] });

test("it is started once, however many messages are routed at once, and not without any", async () => {
  const { sink, counts } = setUp();
  assert.equal(counts.starts, 0);
  assert.deepEqual(await Promise.all([sink.route(), sink.route()]), [hostsAt(4001), hostsAt(4001)]);
  assert.deepEqual(await sink.route(), hostsAt(4001));
  assert.equal(counts.starts, 1);
});

test("a start that fails is no route, and the next message tries again", async () => {
  const { sink, counts } = setUp(1);
  const failed = { type: "no_test_sink", error: "no port is free" };
  assert.deepEqual(await Promise.all([sink.route(), sink.route()]), [failed, failed]);
  assert.deepEqual(await sink.route(), hostsAt(4002));
  assert.equal(counts.starts, 2);
});

test("once closed, it is closed if it ran, and not started any more", async () => {
  const { sink, counts } = setUp();
  await sink.route();
  await sink.close();
  assert.equal(counts.closes, 1);
  assert.equal((await sink.route()).type, "no_test_sink");
  const unused = setUp();
  await unused.sink.close();
  assert.deepEqual([(await unused.sink.route()).type, unused.counts], ["no_test_sink", { starts: 0, closes: 0 }]);
});
