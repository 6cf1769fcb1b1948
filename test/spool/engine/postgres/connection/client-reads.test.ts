/** Clients' reads: their turns, and what is left for everything else while those of one account do not end. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as nextIteration } from "node:timers/promises";
import { ClientReads } from "../../../../../src/spool/engine/postgres/connection/client-reads.ts";
import { newMessage } from "../../../../support/messages.ts";
import { freshDatabase } from "../../../../support/postgres/fresh-database.ts";
import { openNode } from "../../../../support/postgres/open-node.ts";

/** Reads that begin in an order that is noted, and end when the test says so. */
class HeldReads {
  readonly begun: string[] = [];
  readonly #ends = new Map<string, (error?: Error) => void>();
  readonly #reads = new ClientReads();

  ask(name: string): Promise<void> {
    return this.#reads.run(name.charAt(0), () => {
      this.begun.push(name);
      return new Promise((resolve, reject) => {
        this.#ends.set(name, (error) => (error === undefined ? resolve() : reject(error)));
      });
    });
  }

  async end(name: string, error?: Error): Promise<void> {
    this.#ends.get(name)?.(error);
    await nextIteration();
  }
}

test("two reads of an account run at one time, and three in all", async () => {
  const reads = new HeldReads();
  for (const name of ["a1", "a2", "a3", "b1", "b2", "c1"]) void reads.ask(name);
  await nextIteration();
  assert.deepEqual(reads.begun, ["a1", "a2", "b1"]);
  await reads.end("a1");
  assert.deepEqual(reads.begun, ["a1", "a2", "b1", "a3"]);
});

test("accounts take turns, whatever the order of their reads", async () => {
  const reads = new HeldReads();
  for (const name of ["a1", "a2", "a3", "a4", "b1", "b2", "b3", "c1"]) void reads.ask(name);
  await nextIteration();
  const ended = ["a1", "a2", "b1", "b2", "a3"];
  for (const name of ended) await reads.end(name);
  assert.deepEqual(reads.begun.slice(0, 4), ["a1", "a2", "b1", "a3"]);
  assert.ok(reads.begun.indexOf("c1") < reads.begun.indexOf("b3"), reads.begun.join());
});

test("a read that rejects ends its turn", async () => {
  const reads = new HeldReads();
  const [first] = ["a1", "a2", "a3"].map((name) => reads.ask(name));
  await nextIteration();
  const rejected = assert.rejects(first ?? Promise.resolve(), /no reply/);
  await reads.end("a1", new Error("no reply"));
  await rejected;
  assert.deepEqual(reads.begun, ["a1", "a2", "a3"]);
});

test("an account whose reads do not end keeps no other one from reading and sending", async (t) => {
  const { url, connect } = await freshDatabase(t);
  const { store } = await openNode(t, url);
  const blocker = await connect();
  await blocker.query("BEGIN; LOCK TABLE events_pruned");
  const filter = { types: null, keys: null, domains: null };
  const query = { accountId: "acc_flood", afterNumber: 0, filter, withDomains: false, limit: 1 };
  const flood = Array.from({ length: 20 }, () => store.events(query));
  const message = newMessage({ createdAtMs: Date.now(), expiresAtMs: Date.now() + 60_000 });
  assert.equal((await store.accept(message)).type, "accepted");
  assert.equal((await store.report(message.id, message.accountId))?.id, message.id);
  await blocker.query("COMMIT");
  for (const page of await Promise.all(flood)) assert.deepEqual(page, { events: [], throughNumber: 0, isEnd: true });
});
