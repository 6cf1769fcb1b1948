import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { DISABLE_AFTER_MS } from "../../src/app/webhooks/webhook-state.ts";
import { EndpointHealth, PROBE_INTERVAL_MS } from "../../src/webhooks/endpoint-health.ts";

function failed(health: EndpointHealth, times: number, nowMs = 0): void {
  for (let i = 0; i < times; i += 1) health.failed(500, nowMs);
}

describe("endpoint health", () => {
  it("counts as failing after ten failures in a row, and then has one attempt at once and a probe a minute", () => {
    const health = new EndpointHealth(null);
    failed(health, 9);
    assert.equal(health.isFailing, false);
    assert.equal(health.probeWaitMs(0), 0);
    failed(health, 1);
    assert.equal(health.isFailing, true);
    assert.equal(health.concurrentMax, 1);
    assert.equal(health.probeWaitMs(1000), 0);
    health.probing(1000);
    assert.equal(health.probeWaitMs(1001), PROBE_INTERVAL_MS - 1);
    assert.equal(health.probeWaitMs(1000 + PROBE_INTERVAL_MS), 0);
  });

  it("recovers with a success, and says so only if it counted as failing", () => {
    const health = new EndpointHealth(null);
    failed(health, 9);
    assert.equal(health.succeeded(), false);
    failed(health, 10);
    assert.equal(health.succeeded(), true);
    assert.equal(health.isFailing, false);
    assert.ok(health.concurrentMax > 1);
  });

  it("is to be disabled after five days without a success, counted across restarts", () => {
    const health = new EndpointHealth(100);
    assert.equal(health.failed(500, 99 + DISABLE_AFTER_MS), null);
    assert.equal(health.failed(null, 100 + DISABLE_AFTER_MS), "failing");
    health.succeeded();
    assert.equal(health.failed(500, 100 + DISABLE_AFTER_MS), null);
  });

  it("is down while ten attempts in a row, or all of an hour, have failed", () => {
    const health = new EndpointHealth(null);
    assert.equal(health.isDown(9e9), false);
    health.failed(500, 1000);
    assert.equal(health.isDown(1000), false);
    assert.equal(health.isDown(1000 + 3_600_000), true);
    health.succeeded();
    failed(health, 10, 2000);
    assert.equal(health.isDown(2000), true);
  });

  it("is to be disabled at once by a 410", () => {
    assert.equal(new EndpointHealth(null).failed(410, 0), "gone");
  });
});
