/** One exposition of several processes. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { Counter, Histogram, Registry } from "prom-client";
import { joinExpositions } from "../../src/workers/expositions.ts";

async function textOf(node: string, sent: number, withSeconds: boolean): Promise<string> {
  const registry = new Registry();
  registry.setDefaultLabels({ node });
  const registers = [registry];
  new Counter({ name: "sent_total", help: "Sent.\nTwo lines.", registers, labelNames: ["to"] }).inc(
    { to: "a\nb" },
    sent,
  );
  if (withSeconds) new Histogram({ name: "seconds", help: "Time.", registers, buckets: [1] }).observe(2);
  return registry.metrics();
}

test("the series of each process stay, below one description for each metric", async () => {
  const texts = [await textOf("web#1", 3, false), await textOf("web#2", 4, true), await textOf("web#3", 5, true)];
  assert.equal(
    joinExpositions(texts),
    [
      "# HELP sent_total Sent.\\nTwo lines.",
      "# TYPE sent_total counter",
      'sent_total{to="a\\nb",node="web#1"} 3',
      'sent_total{to="a\\nb",node="web#2"} 4',
      'sent_total{to="a\\nb",node="web#3"} 5',
      "",
      "# HELP seconds Time.",
      "# TYPE seconds histogram",
      ...["web#2", "web#3"].flatMap((node) => [
        `seconds_bucket{le="1",node="${node}"} 0`,
        `seconds_bucket{le="+Inf",node="${node}"} 1`,
        `seconds_sum{node="${node}"} 2`,
        `seconds_count{node="${node}"} 1`,
      ]),
      "",
    ].join("\n"),
  );
});

test("one text stays as it is", async () => {
  const text = await textOf("web#1", 1, true);
  assert.equal(joinExpositions([text]), text);
  assert.equal(joinExpositions([]), "");
});
