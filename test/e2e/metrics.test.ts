/** /metrics: accepted, rejected and delivered messages, the backlog, and current states. */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { get } from "node:https";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { test } from "node:test";
import { selfSigned } from "../support/self-signed.ts";
import { tempDir } from "../support/temp-dir.ts";
import { RECIPIENT_DOMAIN, sendBody, startWorld, type World } from "../support/world.ts";

const at = (local: string): string => `${local}@${RECIPIENT_DOMAIN}`;

async function sent(world: World, to: string[]): Promise<string> {
  return ((await (await world.post(sendBody({ to }))).json()) as { id: string }).id;
}

async function triedOnce(world: World, id: string): Promise<void> {
  for (;;) {
    const { recipients } = (await (await world.lookUp(id)).json()) as { recipients: { attempts: number }[] };
    if (recipients.every(({ attempts }) => attempts > 0)) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

test("GET /metrics", { timeout: 30_000 }, async (t) => {
  const world = await startWorld(t, { RETRY_SCHEDULE: "1h" });
  const to = [at("delivered"), at("5xx-550"), at("4xx-451"), at("drop-after-dot"), `ann@gone.${RECIPIENT_DOMAIN}`];
  const id = await sent(world, to);
  await triedOnce(world, id);
  world.zone.set(`dead.${RECIPIENT_DOMAIN}`, "A", ["127.0.0.77"]);
  const dead = ["a", "b"].map((local) => `${local}@dead.${RECIPIENT_DOMAIN}`);
  for (const address of dead) await triedOnce(world, await sent(world, [address]));
  await world.post("{");
  await world.post(sendBody({ from: "a@elsewhere.example" }));
  const answer = await fetch(`${world.service.url}/metrics`);
  assert.match(answer.headers.get("content-type") ?? "", /^text\/plain; version=0\.0\.4/);
  const text = await answer.text();
  const numberOf = (series: string): number => {
    const line = text.split("\n").find((l) => l.startsWith(`${series} `)) ?? assert.fail(`${series} in ${text}`);
    return Number(line.slice(series.length + 1));
  };
  const wanted = {
    postrider_messages_accepted_total: 3,
    postrider_recipients_accepted_total: 7,
    'postrider_requests_refused_total{code="invalid_json"}': 1,
    'postrider_requests_refused_total{code="sender_not_allowed"}': 1,
    'postrider_attempts_total{outcome="delivered"}': 1,
    'postrider_attempts_total{outcome="failed"}': 2,
    'postrider_requests_refused_total{code="quota_exceeded"}': 0,
    'postrider_attempts_total{outcome="deferred"}': 3,
    'postrider_attempts_total{outcome="unknown"}': 1,
    'postrider_results_total{result="delivered"}': 1,
    'postrider_results_total{result="failed"}': 2,
    'postrider_results_total{result="unknown"}': 1,
    'postrider_queue_recipients{state="pending"}': 3,
    'postrider_queue_recipients{state="unknown"}': 1,
    'postrider_commit_seconds_count{operation="accept"}': 3,
    'postrider_destinations{state="open"}': 0,
    'postrider_destinations{state="dead"}': 1,
    'postrider_destinations{state="closed"}': 0,
    'postrider_destinations{state="blocked"}': 0,
    'postrider_receiver_blocked{receiver="gmail"}': 0,
    'postrider_receiver_blocked{receiver="other"}': 0,
    'postrider_receiver_attempts_total{receiver="gmail",outcome="delivered"}': 0,
    'postrider_receiver_attempts_total{receiver="other",outcome="delivered"}': 1,
    'postrider_receiver_attempts_total{receiver="other",outcome="failed"}': 1,
    'postrider_receiver_attempts_total{receiver="other",outcome="unknown"}': 1,
    postrider_paused_senders: 0,
    postrider_attempts_under_way: 0,
    postrider_delivery_seconds_count: 1,
  };
  for (const [series, value] of Object.entries(wanted)) assert.equal(numberOf(series), value, series);
  assert.ok(numberOf("postrider_queue_oldest_seconds") > 0);
  assert.ok(numberOf("postrider_fsync_seconds_count") >= 3);
  assert.ok(numberOf("postrider_fsync_seconds_sum") > 0);
  assert.ok(numberOf("nodejs_eventloop_lag_p99_seconds") >= 0);
  for (const secret of [RECIPIENT_DOMAIN, id, "svc_live_", "acc_"]) assert.ok(!text.includes(secret), secret);
});

test("recipients final at acceptance count as results, and attempts in progress are visible", {
  timeout: 30_000,
}, async (t) => {
  const world = await startWorld(t, { SUPPRESS_AFTER: "1", RETRY_SCHEDULE: "1h" });
  const before = seriesIn(await scrape(world));
  await triedOnce(world, await sent(world, [at("nobody")]));
  await sent(world, [at("nobody")]);
  const text = await scrape(world);
  assert.match(text, /^postrider_results_total\{result="failed"\} 2$/m);
  assert.match(text, /^postrider_attempts_total\{outcome="failed"\} 1$/m);
  assert.match(text, /^postrider_undelivered_total\{result="failed",category="bad_address"\} 2$/m);
  const slow = await sent(world, [at("slow-2s")]);
  for (;;) {
    const busy = await scrape(world);
    if (!/^postrider_destinations\{state="open"\} 1$/m.test(busy)) continue;
    assert.match(busy, /^postrider_attempts_under_way 1$/m);
    break;
  }
  await triedOnce(world, slow);
  await world.post("{");
  await fetch(`${world.service.url}/made/up?path=1`, { method: "BREW" }).catch(() => {});
  assert.ok(before.length > 50);
  assert.deepEqual(seriesIn(await scrape(world)), before, "every series exists before its first event");
});

const scrape = async (world: World): Promise<string> => (await fetch(`${world.service.url}/metrics`)).text();

/** The name and labels of each of our series. */
const seriesIn = (text: string): string[] =>
  [...text.matchAll(/^(postrider_\S+) /gm)].map(([, series = ""]) => series).toSorted();

test("reports over HTTPS when the certificate expires", { timeout: 30_000 }, async (t) => {
  const certsDir = tempDir(t);
  const untilMs = Date.parse("2040-01-02T03:04:05Z");
  const { cert, key } = selfSigned("localhost", { untilMs });
  writeFileSync(join(certsDir, "http.crt"), cert);
  writeFileSync(join(certsDir, "http.key"), key);
  const { service } = await startWorld(t, { CERTS_DIR: certsDir });
  const answer = await new Promise<string>((resolve, reject) => {
    get(`${service.url}/metrics`, { rejectUnauthorized: false, agent: false }, (res) => resolve(text(res))).on(
      "error",
      reject,
    );
  });
  assert.match(answer, new RegExp(`^postrider_certificate_not_after_seconds ${untilMs / 1000}$`, "m"));
});
