/** /metrics: what was accepted, refused and delivered, and what waits, in numbers that only grow or say how it is. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { letter, RECIPIENT_DOMAIN, startWorld } from "../support/world.ts";

const at = (local: string): string => `${local}@${RECIPIENT_DOMAIN}`;

test("GET /metrics", { timeout: 30_000 }, async (t) => {
  const world = await startWorld(t, { RETRY_SCHEDULE: "1h" });
  const to = [at("delivered"), at("5xx-550"), at("4xx-451"), at("drop-after-dot"), `ann@gone.${RECIPIENT_DOMAIN}`];
  const { id } = (await (await world.post(letter({ to }))).json()) as { id: string };
  for (;;) {
    const { recipients } = (await (await world.lookUp(id)).json()) as { recipients: { attempts: number }[] };
    if (recipients.every(({ attempts }) => attempts > 0)) break;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  await world.post("{");
  await world.post(letter({ from: "a@elsewhere.example" }));
  const answer = await fetch(`${world.service.url}/metrics`);
  assert.match(answer.headers.get("content-type") ?? "", /^text\/plain; version=0\.0\.4/);
  const text = await answer.text();
  const numberOf = (series: string): number => {
    const line = text.split("\n").find((l) => l.startsWith(`${series} `)) ?? assert.fail(`${series} in ${text}`);
    return Number(line.slice(series.length + 1));
  };
  const wanted = {
    postrider_messages_accepted_total: 1,
    postrider_recipients_accepted_total: 5,
    'postrider_requests_refused_total{code="invalid_json"}': 1,
    'postrider_requests_refused_total{code="sender_not_allowed"}': 1,
    'postrider_attempts_total{outcome="delivered"}': 1,
    'postrider_attempts_total{outcome="failed"}': 2,
    'postrider_attempts_total{outcome="deferred"}': 1,
    'postrider_attempts_total{outcome="unknown"}': 1,
    'postrider_results_total{result="delivered"}': 1,
    'postrider_results_total{result="failed"}': 2,
    'postrider_results_total{result="unknown"}': 1,
    'postrider_queue_recipients{state="pending"}': 1,
    'postrider_queue_recipients{state="unknown"}': 1,
    'postrider_commit_seconds_count{operation="accept"}': 1,
    postrider_delivery_seconds_count: 1,
  };
  for (const [series, value] of Object.entries(wanted)) assert.equal(numberOf(series), value, series);
  assert.ok(numberOf("postrider_queue_oldest_seconds") > 0);
  assert.ok(numberOf("nodejs_eventloop_lag_p99_seconds") >= 0);
  for (const secret of [RECIPIENT_DOMAIN, id, "svc_live_", "acc_"]) assert.ok(!text.includes(secret), secret);
});
