/** Suppressions with a set cause: their addition, their end, and the pages of their list. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { SetCause } from "../../../../src/message/result/suppression.ts";
import type { Spool } from "../../../../src/spool/port/spool.ts";
import type {
  NewSuppression,
  SuppressionFilter,
  SuppressionPosition,
} from "../../../../src/spool/port/suppressions.ts";
import { newMessage } from "../../../support/messages.ts";
import { applyRetention, at, DAY_MS, NOW_MS, type OpenSpool } from "./suite.ts";

const ACCOUNT = "acc_default";
const ANN = { email: "Ann@customers.example", domain: "customers.example" };
const LISTED = { accountId: ACCOUNT, after: 3, nowMs: NOW_MS, limit: 100 };

const suppressionOf = (address: string, parts: Partial<NewSuppression> = {}): NewSuppression => ({
  address,
  cause: "manual",
  atMs: NOW_MS,
  untilMs: null,
  ...parts,
});

const add = (spool: Spool, suppressions: NewSuppression[], nowMs = NOW_MS) =>
  spool.addSuppressions({ accountId: ACCOUNT, suppressions, nowMs });

const test = (spool: Spool, email = ANN.email, nowMs = NOW_MS) =>
  spool.suppression({ accountId: ACCOUNT, email, after: 3, nowMs });

async function allPages(spool: Spool, parts: Partial<SuppressionFilter>): Promise<string[][]> {
  const pages: string[][] = [];
  let position: SuppressionPosition | null | undefined;
  for (; position !== null; ) {
    const page = await spool.suppressions({ ...LISTED, ...parts, ...(position === undefined ? {} : { position }) });
    pages.push(page.addresses.map(({ email }) => email));
    position = page.next;
  }
  return pages;
}

async function resultOfNext(spool: Spool, createdAtMs = NOW_MS) {
  const message = newMessage({ recipients: [ANN], createdAtMs, suppressAfter: 3 });
  await spool.accept(message);
  const { result, reason, category, events } = at((await spool.report(message.id))?.recipients ?? []);
  return { result: [result, reason, category], event: events.at(-1) };
}

export function setSuppressionsConformance(name: string, open: OpenSpool): void {
  describe(`${name}: suppressions that were added`, () => {
    it("fail the next recipient with their cause and end, also after a crash, and for their account alone", async (t) => {
      const first = await open(t);
      const untilMs = NOW_MS + DAY_MS;
      assert.deepEqual(await add(first.spool, [suppressionOf(ANN.email, { untilMs, atMs: NOW_MS - 5 })]), {
        added: 1,
        changed: 0,
        already: 0,
      });
      const { spool } = await first.reopen();
      const { result, event } = await resultOfNext(spool);
      assert.deepEqual(result, ["failed", "suppressed", "policy"]);
      const period = { since_ms: NOW_MS - 5, until_ms: untilMs };
      assert.deepEqual(event, { at_ms: NOW_MS, type: "suppressed", cause: "manual", ...period, refusals: [] });
      const found = { email: ANN.email, cause: "manual", sinceMs: NOW_MS - 5, untilMs, refusals: [] };
      assert.deepEqual(await test(spool, "Ann@CUSTOMERS.example"), found);
      assert.equal(await spool.suppression({ ...LISTED, accountId: "acc_other", email: ANN.email }), null);
      for (const email of ["ann@customers.example", "no address"]) assert.equal(await test(spool, email), null);
    });

    it("a hard bounce of another service is about the address", async (t) => {
      const { spool } = await open(t);
      await add(spool, [suppressionOf(ANN.email, { cause: "bounce" })]);
      assert.deepEqual((await resultOfNext(spool)).result, ["failed", "suppressed", "bad_address"]);
    });

    it("are in force before their end alone, and then deleted by retention", async (t) => {
      const { spool } = await open(t);
      const ends = Array.from({ length: 1200 }, (_, i) => suppressionOf(`u${i}@a.example`, { untilMs: NOW_MS + 10 }));
      await add(spool, [...ends.slice(0, 600), suppressionOf(ANN.email, { untilMs: NOW_MS + 10 })]);
      await add(spool, [...ends.slice(600), suppressionOf("bob@a.example", { untilMs: NOW_MS + 11 })]);
      assert.deepEqual((await resultOfNext(spool, NOW_MS + 9)).result, ["failed", "suppressed", "policy"]);
      assert.deepEqual((await resultOfNext(spool, NOW_MS + 10)).result, ["pending", null, null]);
      const nowMs = NOW_MS + 10;
      assert.deepEqual((await allPages(spool, { nowMs })).flat(), ["bob@a.example"]);
      assert.equal(await test(spool, ANN.email, nowMs), null);
      await applyRetention(spool, { nowMs, contentsBeforeMs: 0, resultsBeforeMs: 0 });
      // In the past, those that are deleted would be listed.
      assert.deepEqual((await allPages(spool, {})).flat(), ["bob@a.example"]);
    });

    it("an address that is added again keeps the stronger cause and the later end", async (t) => {
      const { spool } = await open(t);
      const stateAfter = async (cause: SetCause, untilMs: number | null, atMs = NOW_MS) => {
        const counts = await add(spool, [suppressionOf(ANN.email, { cause, untilMs, atMs })]);
        const found = await test(spool);
        return [counts.added, counts.changed, counts.already, found?.cause, found?.untilMs, found?.sinceMs];
      };
      const later = NOW_MS + DAY_MS;
      assert.deepEqual(await stateAfter("bounce", later), [1, 0, 0, "bounce", later, NOW_MS]);
      assert.deepEqual(await stateAfter("bounce", later, NOW_MS + 1), [0, 0, 1, "bounce", later, NOW_MS]);
      assert.deepEqual(await stateAfter("manual", NOW_MS + 5, NOW_MS + 1), [0, 1, 0, "manual", later, NOW_MS + 1]);
      assert.deepEqual(await stateAfter("manual", NOW_MS + 5), [0, 1, 0, "manual", NOW_MS + 5, NOW_MS]);
      assert.deepEqual(await stateAfter("complaint", null, NOW_MS + 2), [0, 1, 0, "complaint", null, NOW_MS + 2]);
      for (const cause of ["bounce", "manual", "unsubscribed"] as const)
        assert.deepEqual(await stateAfter(cause, NOW_MS + 1), [0, 0, 1, "complaint", null, NOW_MS + 2]);
      assert.equal(await spool.unsuppress(ACCOUNT, ANN.email), true);
      assert.equal(await test(spool), null);
    });

    it("an ended suppression is replaced, and addresses that occur twice count once", async (t) => {
      const { spool } = await open(t);
      await add(spool, [suppressionOf(ANN.email, { cause: "complaint", untilMs: NOW_MS + 1 })]);
      const twice = [
        suppressionOf(ANN.email),
        suppressionOf(ANN.email, { cause: "bounce" }),
        suppressionOf("b@a.example"),
      ];
      assert.deepEqual(await add(spool, twice, NOW_MS + 1), { added: 2, changed: 0, already: 1 });
      assert.equal((await test(spool, ANN.email, NOW_MS + 1))?.cause, "manual");
      assert.deepEqual(await add(spool, []), { added: 0, changed: 0, already: 0 });
    });

    it("two additions at the same time lose nothing", async (t) => {
      const { spool } = await open(t);
      const rows = (cause: SetCause) =>
        Array.from({ length: 200 }, (_, i) => suppressionOf(`u${i}@a.example`, { cause }));
      const counts = await Promise.all(
        (["bounce", "complaint", "manual"] as const).map((cause) => add(spool, rows(cause).toReversed())),
      );
      assert.equal(
        counts.reduce((sum, { added }) => sum + added, 0),
        200,
      );
      const { addresses } = await spool.suppressions({ ...LISTED, limit: 500 });
      assert.deepEqual(new Set(addresses.map(({ cause }) => cause)), new Set(["complaint"]));
    });

    it("are listed in pages that are stable, narrowed by cause and by a part of the address", async (t) => {
      const { spool } = await open(t);
      // Many of one moment.
      const rows = Array.from({ length: 250 }, (_, i) =>
        suppressionOf(`user${100 + i}@a${i % 2}.example`, {
          atMs: NOW_MS - Math.floor(i / 100),
          cause: i % 10 === 0 ? "bounce" : "manual",
        }),
      );
      await add(spool, rows);
      const pages = await allPages(spool, { limit: 100 });
      assert.deepEqual(
        pages.map((page) => page.length),
        [100, 100, 50],
      );
      assert.equal(new Set(pages.flat()).size, 250);
      assert.deepEqual((await allPages(spool, { limit: 1 })).flat(), pages.flat());
      assert.equal((await allPages(spool, { limit: 7, cause: "bounce" })).flat().length, 25);
      assert.equal((await allPages(spool, { cause: "complaint" })).flat().length, 0);
      assert.equal((await allPages(spool, { limit: 10, search: "@A1." })).flat().length, 125);
      assert.deepEqual((await allPages(spool, { search: "user349" })).flat(), ["user349@a1.example"]);
    });
  });
}
