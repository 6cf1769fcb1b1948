/** A scrape of one worker has the metrics of all. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Clock } from "../../src/lib/clock.ts";
import { GatheredMetrics, MetricsGatherer, type WorkerPort } from "../../src/workers/gathering.ts";
import { fakeClock } from "../support/fake-clock.ts";

const textOf = (name: string): string => `# HELP up Up.\n# TYPE up gauge\nup{node="${name}"} 1\n`;

/** A worker that answers with its name, and the supervisor's port to it. */
function addWorker(gatherer: MetricsGatherer, clock: Clock, name: string) {
  const metrics: GatheredMetrics = new GatheredMetrics(clock, (message) => gatherer.receive(port, message));
  const port: WorkerPort = (message) => metrics.receive(message);
  metrics.renderWith(async () => textOf(name));
  gatherer.add(port);
  return { metrics, port };
}

const samples = (text: string): string[] => [...text.matchAll(/^up\{node="(.*)"\}/gm)].map(([, name]) => name ?? "");

test("each worker returns the metrics of all that are there, in the order of their start", async () => {
  const clock = fakeClock();
  const gatherer = new MetricsGatherer(clock);
  const [one, two] = [addWorker(gatherer, clock, "web#1"), addWorker(gatherer, clock, "web#2")];
  const answers = await Promise.all([one.metrics.all(), two.metrics.all(), one.metrics.all()]);
  for (const answer of answers) assert.deepEqual(samples(answer), ["web#1", "web#2"]);
  gatherer.remove(one.port);
  assert.deepEqual(samples(await two.metrics.all()), ["web#2"]);
  assert.deepEqual(clock.dueMs, []);
});

test("a worker that fails, and one that does not answer in time, are left out", async () => {
  const clock = fakeClock();
  const gatherer = new MetricsGatherer(clock);
  const one = addWorker(gatherer, clock, "web#1");
  addWorker(gatherer, clock, "web#2").metrics.renderWith(() => Promise.reject(new Error("the spool is unavailable")));
  gatherer.add(() => {});
  const answer = one.metrics.all();
  await clock.advance(3000);
  assert.deepEqual(samples(await answer), ["web#1"]);
});

test("without an answer of the supervisor it is the worker's own metrics", async () => {
  const clock = fakeClock();
  const metrics = new GatheredMetrics(clock, () => {});
  metrics.renderWith(async () => textOf("web#1"));
  const answer = metrics.all();
  await clock.advance(5000);
  assert.deepEqual(samples(await answer), ["web#1"]);
  // It may come later.
  metrics.receive({ type: "gathered", id: 1, texts: [] });
});

test("an error is the worker's own if no worker can answer", async () => {
  const clock = fakeClock();
  const gatherer = new MetricsGatherer(clock);
  const one = addWorker(gatherer, clock, "web#1");
  one.metrics.renderWith(() => Promise.reject(new Error("the spool is unavailable")));
  await assert.rejects(one.metrics.all(), /the spool is unavailable/);
});
