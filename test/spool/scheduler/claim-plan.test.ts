/** The order in which a claim asks for messages, against a store in memory: fair to accounts, destinations and age. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { ClaimRequest } from "../../../src/spool/port/mail.ts";
import { ClaimPlan, type Lookup, type LookupResult } from "../../../src/spool/scheduler/claim-plan.ts";
import { FairScheduler } from "../../../src/spool/scheduler/fair-scheduler.ts";

interface StoredMessage {
  name: string;
  accountId: string;
  domain: string;
  dueMs: number;
  isNew: boolean;
}

type Failure = "unreadable_message" | "unreadable_index";

/** A store of pending messages. `fails` makes look-ups fail. */
class MemoryStore {
  readonly scheduler = new FairScheduler();
  #pending: StoredMessage[] = [];
  fails: (lookup: Lookup) => Failure | null = () => null;

  /** Adds a message accepted at `dueMs`, or with `isNew` false one that had an attempt before. */
  add(name: string, { account = "acc_a", domain = "a.example", dueMs = 1, isNew = true } = {}): void {
    this.#pending.push({ name, accountId: account, domain, dueMs, isNew });
    if (isNew) this.scheduler.enqueue(account, domain, dueMs);
    else this.scheduler.schedule(account, domain, dueMs);
  }

  /** Returns the names of the leased messages in the order of their lease. */
  claim(parts: Partial<ClaimRequest> = {}, shouldStop = () => false): { names: string[]; nextDueMs: number | null } {
    const request = { nowMs: 100, limit: 100, perDomain: 100, allowance: {}, ...parts };
    const names: string[] = [];
    const plan = new ClaimPlan(this.scheduler, request, shouldStop);
    for (let lookup = plan.next(); lookup !== null; lookup = plan.next()) {
      plan.finish(this.#lookUp(lookup, request.nowMs, names));
    }
    return { names, nextDueMs: plan.nextClaimMs() };
  }

  #lookUp(lookup: Lookup, nowMs: number, names: string[]): LookupResult {
    const { queue, acceptedMs } = lookup;
    const inQueue = this.#pending.filter((m) => m.accountId === queue.account.id && m.domain === queue.domain);
    const due = inQueue.filter(({ dueMs }) => dueMs <= nowMs).sort((a, b) => a.dueMs - b.dueMs);
    const message = acceptedMs === null ? due[0] : due.filter(({ dueMs }) => dueMs === acceptedMs).at(-1);
    const failure = this.fails(lookup);
    if (failure !== null || message === undefined) return { outcome: failure ?? "none", nextDueMs: null };
    this.#pending = this.#pending.filter((m) => m !== message);
    names.push(message.name);
    const left = inQueue.filter((m) => m !== message).map(({ dueMs }) => dueMs);
    return { outcome: "leased", nextDueMs: left.length === 0 ? null : Math.min(...left) };
  }
}

function addBacklog(store: MemoryStore, count: number, parts: Parameters<MemoryStore["add"]>[1] = {}): void {
  for (let i = 0; i < count; i += 1)
    store.add(`${parts.account ?? "acc_a"} old ${i}`, { dueMs: i, isNew: false, ...parts });
}

test("accounts are served in round robin, four jobs a turn", () => {
  const store = new MemoryStore();
  for (const account of ["acc_a", "acc_b"]) addBacklog(store, 8, { account });
  const { names } = store.claim({ nowMs: 100, limit: 12 });
  const accounts = names.map((name) => name.split(" ")[0]);
  const turn = (account: string): string[] => Array(4).fill(account);
  assert.deepEqual(accounts, [...turn("acc_a"), ...turn("acc_b"), ...turn("acc_a")]);
  const after = store.claim({ limit: 4 }).names.map((name) => name.split(" ")[0]);
  assert.deepEqual(after, turn("acc_b"));
});

test("a message sent now is the first to be leased from its account, however large the backlog", () => {
  const store = new MemoryStore();
  addBacklog(store, 1000);
  store.add("new", { dueMs: 50 });
  assert.equal(store.claim({ limit: 1 }).names[0], "new");
});

test("at least one slot in four goes to the message due longest, however many new messages there are", () => {
  const store = new MemoryStore();
  addBacklog(store, 5);
  for (let i = 0; i < 100; i += 1) store.add(`new ${i}`, { dueMs: 10 + i / 2 });
  const { names } = store.claim({ limit: 20 });
  const old = names.filter((name) => name.includes("old"));
  assert.deepEqual(old, ["acc_a old 0", "acc_a old 1", "acc_a old 2", "acc_a old 3", "acc_a old 4"]);
  for (let i = 0; i < 20; i += 4)
    assert.ok(
      names.slice(i, i + 4).some((name) => name.includes("old")),
      names.join(),
    );
});

test("an account's destinations are served in round robin, however many queues one of them has", () => {
  const store = new MemoryStore();
  for (let i = 0; i < 10; i += 1) {
    addBacklog(store, 2, { domain: `d${i}.example` });
    const key = { accountId: "acc_a", domain: `d${i}.example` };
    store.scheduler.requeue(key, { destination: "mx.example", acceptedMs: null });
  }
  store.add("other", { domain: "other.example", dueMs: 99, isNew: false });
  assert.ok(store.claim({ limit: 5 }).names.includes("other"));
});

test("a claim holds its limits, and a full destination does not delay the others", () => {
  const store = new MemoryStore();
  addBacklog(store, 10, { domain: "full.example" });
  addBacklog(store, 10, { domain: "free.example" });
  addBacklog(store, 10, { account: "acc_b" });
  const request = { perDomain: 3, allowance: { "full.example": 0 }, accountAllowance: { acc_b: 1 } };
  const { names, nextDueMs } = store.claim(request);
  assert.equal(names.filter((name) => name.startsWith("acc_a")).length, 3);
  assert.equal(names.filter((name) => name.startsWith("acc_b")).length, 1);
  assert.equal(nextDueMs, null, "what is excluded does not make the next claim due");
  assert.equal(store.claim({ limit: 2 }).names.length, 2);
});

test("the plan returns when to claim again", () => {
  const store = new MemoryStore();
  addBacklog(store, 3);
  store.add("later", { domain: "b.example", dueMs: 500, isNew: false });
  assert.equal(store.claim({ limit: 2 }).nextDueMs, 100, "more is due");
  assert.equal(store.claim().nextDueMs, 500);
  assert.deepEqual(store.claim({ nowMs: 499 }).names, []);
  assert.deepEqual(store.claim({ nowMs: 500 }), { names: ["later"], nextDueMs: null });
});

test("a message that cannot be read uses up a slot and no budget", () => {
  const store = new MemoryStore();
  addBacklog(store, 1, { domain: "damaged.example" });
  addBacklog(store, 5);
  store.fails = ({ queue }) => (queue.domain === "damaged.example" ? "unreadable_message" : null);
  assert.equal(store.claim({ limit: 5 }).names.length, 5);
});

test("queues of a part of the index that cannot be read rest for a minute", () => {
  const store = new MemoryStore();
  addBacklog(store, 2, { domain: "damaged.example" });
  addBacklog(store, 2);
  store.fails = ({ queue }) => (queue.domain === "damaged.example" ? "unreadable_index" : null);
  assert.deepEqual(store.claim(), { names: ["acc_a old 0", "acc_a old 1"], nextDueMs: 60_100 });
  store.fails = () => null;
  assert.deepEqual(store.claim({ nowMs: 60_099 }).names, []);
  assert.equal(store.claim({ nowMs: 60_100 }).names.length, 2);
});

test("a claim that should stop ends after its round", () => {
  const store = new MemoryStore();
  addBacklog(store, 20);
  let rounds = 0;
  const shouldStop = (): boolean => {
    rounds += 1;
    return rounds > 2;
  };
  assert.equal(store.claim({}, shouldStop).names.length, 8);
});
