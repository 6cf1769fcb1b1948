/** The places of a day for reports: shares of networks, places of known reporters, and what is forgotten. */
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  KNOWN_MAX,
  NETWORK_SHARE_MAX,
  type Place,
  RESERVED_PLACES,
  ReportPlaces,
  SHARED_PLACES,
} from "../../../src/app/incoming/report-places.ts";
import { DAY_MS } from "../../../src/lib/units.ts";

const NOW_MS = 20_000 * DAY_MS;

function scene() {
  const entries = new Map<string, string>();
  const places = new ReportPlaces({
    readValue: async (name) => entries.get(name) ?? null,
    async writeValue(name, text) {
      entries.set(name, text);
    },
  });
  const find = (ip: string, nowMs = NOW_MS, kind: "dmarc" | "tls" = "dmarc", domainId = "dom_1"): Promise<Place> =>
    places.find({ domainId, kind, ip, nowMs });
  /** Returns why there is no place; `taken` if there was one. */
  const take = async (...request: Parameters<typeof find>): Promise<string> => {
    const place = await find(...request);
    if (place.type === "none") return place.because;
    await place.take();
    return "taken";
  };
  /** Takes until there is no place. Returns how many were taken. */
  const takeAll = async (...request: Parameters<typeof find>): Promise<number> => {
    let taken = 0;
    while ((await take(...request)) === "taken") taken += 1;
    return taken;
  };
  return { entries, find, take, takeAll };
}

/** Ten networks of ten owners take all places of the day. */
async function flood({ takeAll }: ReturnType<typeof scene>, nowMs: number): Promise<void> {
  for (let i = 0; i < SHARED_PLACES / NETWORK_SHARE_MAX; i += 1)
    assert.equal(await takeAll(`203.${i}.113.1`, nowMs), NETWORK_SHARE_MAX);
}

test("a network has a share of a day, by /24 and /48, for each kind of report and domain", async () => {
  const { take, takeAll } = scene();
  assert.equal(await takeAll("192.0.2.1"), NETWORK_SHARE_MAX);
  assert.equal(await take("192.0.2.200"), "share_used");
  assert.equal(await take("192.0.3.1"), "taken");
  assert.equal(await take("192.0.2.1", NOW_MS, "tls"), "taken");
  assert.equal(await take("192.0.2.1", NOW_MS, "dmarc", "dom_2"), "taken");
  assert.equal(await take("192.0.2.1", NOW_MS + DAY_MS), "taken");
  assert.equal(await takeAll("2001:db8:1:2::1"), NETWORK_SHARE_MAX);
  assert.equal(await take("2001:db8:1:ffff::1"), "share_used");
  assert.equal(await take("2001:db8:2::1"), "taken");
});

test("a place is used up only if it is taken", async () => {
  const { find, takeAll } = scene();
  for (let i = 0; i < 100; i += 1) assert.equal((await find("192.0.2.1")).type, "free");
  assert.equal(await takeAll("192.0.2.1"), NETWORK_SHARE_MAX);
});

test("all networks together have the places of a day, and a new one has none beyond it", async () => {
  const world = scene();
  await flood(world, NOW_MS);
  assert.equal(await world.take("198.51.100.1"), "day_full");
  assert.equal(await world.take("198.51.100.1", NOW_MS + DAY_MS), "taken");
});

test("who has reported on an earlier day keeps places of its own, from any host of its /16 or /32", async () => {
  const world = scene();
  for (const ip of ["209.85.128.1", "2001:4860:1::1"]) assert.equal(await world.take(ip, NOW_MS), "taken");
  const next = NOW_MS + DAY_MS;
  await flood(world, next);
  for (const ip of ["209.85.220.41", "2001:4860:2::1"])
    assert.equal(await world.takeAll(ip, next), RESERVED_PLACES, ip);
  assert.equal(await world.take("209.86.1.1", next), "day_full");
});

test("who has first reported on this day has no places of its own yet", async () => {
  const { take, takeAll } = scene();
  assert.equal(await take("209.85.128.1"), "taken");
  for (let i = 0; i < 10; i += 1) await takeAll(`203.${i}.113.1`);
  assert.equal(await take("209.85.220.41"), "day_full");
});

test("a known reporter has its own places besides those of all", async () => {
  const { take, takeAll } = scene();
  await take("192.0.2.1", NOW_MS);
  assert.equal(await takeAll("192.0.2.1", NOW_MS + DAY_MS), RESERVED_PLACES + NETWORK_SHARE_MAX);
});

test("a reporter is known for 35 days, and those known first stay", async () => {
  const world = scene();
  for (let i = 0; i < KNOWN_MAX + 1; i += 1) assert.equal(await world.take(`10.${i}.0.1`, NOW_MS), "taken");
  const later = NOW_MS + 35 * DAY_MS;
  await flood(world, later);
  assert.equal(await world.take(`10.${KNOWN_MAX - 1}.9.9`, later), "taken");
  assert.equal(await world.take(`10.${KNOWN_MAX}.9.9`, later), "day_full");
  const over = later + DAY_MS;
  await flood(world, over);
  assert.equal(await world.take("10.1.0.1", over), "day_full", "it has not reported for 36 days");
  assert.equal(await world.take(`10.${KNOWN_MAX - 1}.9.9`, over), "taken", "it has reported the day before");
});

test("a damaged entry counts from zero again", async () => {
  const { entries, take } = scene();
  entries.set("report-places dmarc dom_1", "{");
  assert.equal(await take("192.0.2.1"), "taken");
});
