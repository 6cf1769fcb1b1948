/** The own traffic comes from memory, that of other nodes as they last stored it, and an idle service stores nothing. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { storedTraffic, TrafficBoard } from "../../../src/app/reports/traffic-board.ts";
import type { OwnTraffic } from "../../../src/spool/port/node-traffic.ts";
import { fakeClock, quiet } from "../../support/fake-clock.ts";

const NOW_MS = 1_700_000_000_000;

function boardOf(isShared: boolean) {
  const clock = fakeClock(NOW_MS);
  const stored = new Map<string, string>();
  let domains: OwnTraffic["domains"] = [];
  let writes = 0;
  const spool = {
    readLiveNodeValues: async () => [...stored.values()],
    async writeNodeValue(_: string, text: string) {
      writes += 1;
      stored.set("n1", text);
    },
  };
  const rest = { attempts: 0, attemptsMax: 500, accountsAtShare: [], hasAcceptPriority: false };
  const own = (): OwnTraffic => ({ atMs: clock.now(), ...rest, domains, destinations: [], destinationOf: {} });
  const board = new TrafficBoard({ spool, clock, node: "n1", isShared, own });
  return {
    clock,
    stored,
    spool,
    board,
    own,
    writes: () => writes,
    send: () => {
      domains = [{ accountId: "acc_1", domain: "a.example", inFlight: 1, deliveredLastMinute: 0 }];
    },
    end: () => {
      domains = [];
    },
  };
}

test("an idle service stores nothing; a busy one stores its traffic, and once that it has ended", async () => {
  const { clock, board, spool, writes, send, end } = boardOf(true);
  const pass = async (): Promise<void> => {
    clock.advance(5000);
    await quiet();
  };
  board.start();
  await pass();
  assert.equal(writes(), 0);
  send();
  await pass();
  assert.equal((await storedTraffic(spool, clock.now()))[0]?.domains.length, 1);
  end();
  await pass();
  await pass();
  assert.equal(writes(), 2);
  assert.equal((await storedTraffic(spool, clock.now()))[0]?.domains.length, 0);
  send();
  await pass();
  await board.stop();
  assert.deepEqual((await storedTraffic(spool, clock.now()))[0]?.domains, []);
});

test("what a node of an earlier version stores of a closed destination is completed", async () => {
  const { clock, spool, stored, own } = boardOf(true);
  const closed = { sinceMs: 1, probeAtMs: 2 };
  const destination = { name: "mx", attempts: 0, window: 0, limit: null, connections: 0, usedAtMs: 1, closed };
  stored.set("n1", JSON.stringify({ node: "n1", ...own(), destinations: [destination] }));
  const [traffic] = await storedTraffic(spool, clock.now());
  assert.deepEqual(traffic?.destinations[0]?.closed, { ...closed, isProbing: false, causes: [], last: null });
});

test("adds what other nodes have stored lately, and ignores what it cannot read", async () => {
  const { board, stored, own } = boardOf(true);
  stored.set("n1", JSON.stringify({ node: "n1", ...own() }));
  stored.set("n2", JSON.stringify({ node: "n2", ...own() }));
  stored.set("n3", JSON.stringify({ node: "n3", ...own(), atMs: NOW_MS - 60_000 }));
  stored.set("n4", "{}");
  stored.set("n5", "not JSON");
  assert.deepEqual(
    (await board.all()).map(({ node }) => node),
    ["n1", "n2"],
  );
});

test("reads nothing where the service is alone", async () => {
  const { board, stored, own } = boardOf(false);
  stored.set("n2", JSON.stringify({ node: "n2", ...own() }));
  assert.deepEqual(
    (await board.all()).map(({ node }) => node),
    ["n1"],
  );
});
