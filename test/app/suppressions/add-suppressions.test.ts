/** Additions to a suppression list, and an export that is imported again. */
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { addSuppressions, ENTRIES_MAX, importSuppressions } from "../../../src/app/suppressions/add-suppressions.ts";
import { EXPORT_FORMATS, exportSuppressions } from "../../../src/app/suppressions/export-suppressions.ts";
import { listSuppressions, removeSuppression, testAddress } from "../../../src/app/suppressions/suppression-list.ts";
import { openSqliteSpool } from "../../../src/spool/engine/sqlite/sqlite-spool.ts";
import type { Store } from "../../../src/spool/port/store.ts";
import type { NewSuppression } from "../../../src/spool/port/suppressions.ts";
import { tempDir } from "../../support/temp-dir.ts";

const NOW_MS = Date.parse("2026-11-02T10:00:00Z");
const OF = { accountId: "acc_default", suppressAfter: 3, nowMs: NOW_MS };

/** Records the calls. */
function recording() {
  const calls: (readonly NewSuppression[])[] = [];
  const store = {
    async addSuppressions({ suppressions }: Parameters<Store["addSuppressions"]>[0]) {
      calls.push(suppressions);
      return { added: suppressions.length, changed: 0, already: 0 };
    },
  };
  return { calls, store };
}

async function openTestSpool(t: TestContext): Promise<Store> {
  const spool = await openSqliteSpool({ dataDir: tempDir(t), role: "client", onFatal: assert.fail });
  t.after(() => spool.close());
  return spool;
}

async function* octets(...parts: string[]): AsyncGenerator<Uint8Array, void> {
  for (const part of parts) yield Buffer.from(part);
}

test("adds addresses by their key, and names those that are not valid", async () => {
  const { calls, store } = recording();
  const untilMs = NOW_MS + 1000;
  const entries = [
    "Ann@BÜCHER.example",
    "no address",
    { email: "b@x.example", cause: "bounce" as const, sinceMs: NOW_MS + 99, untilMs: null },
    { email: "c@x.example", untilMs: NOW_MS },
  ];
  const result = await addSuppressions(store, { ...OF, entries, untilMs });
  assert.deepEqual(calls, [
    [
      { address: "Ann@xn--bcher-kva.example", cause: "manual", untilMs, atMs: NOW_MS },
      { address: "b@x.example", cause: "bounce", untilMs: null, atMs: NOW_MS },
    ],
  ]);
  const { faults, ...counts } = result;
  assert.deepEqual(counts, { added: 2, changed: 0, already: 0, invalid: 2 });
  assert.deepEqual(
    faults.map(({ at, email }) => [at, email]),
    [
      [1, "no address"],
      [3, "c@x.example"],
    ],
  );
  assert.equal(faults[1]?.detail, "The end has passed.");
});

test("adds in transactions of bounded size, names the first invalid addresses, and takes no more than the limit", async () => {
  const { calls, store } = recording();
  const entries = Array.from({ length: 1200 }, (_, i) => (i % 10 === 0 ? "x".repeat(500) : `u${i}@x.example`));
  const { added, invalid, faults } = await addSuppressions(store, { ...OF, entries });
  assert.deepEqual([added, invalid, faults.length, faults[0]?.email.length], [1080, 120, 20, 100]);
  assert.deepEqual(
    calls.map((call) => call.length),
    [250, 250, 250, 250, 80],
  );
  const tooMany = Array.from({ length: ENTRIES_MAX + 1 }, () => "a@x.example");
  await assert.rejects(addSuppressions(store, { ...OF, entries: tooMany }), RangeError);
});

test("an import counts by cause, and --cause and --until replace what the file has; a dry run adds nothing", async () => {
  const { calls, store } = recording();
  const file = () => octets("email,cause,since,until\na@x.example,bounce,,\nb@x.exa", "mple,complaint,,\nc,manual,,\n");
  const dry = await importSuppressions(store, file(), { ...OF, isDryRun: true });
  assert.deepEqual([dry.format, dry.causes, dry.invalid, dry.added], ["Postrider", { bounce: 1, complaint: 1 }, 1, 0]);
  assert.deepEqual([dry.faults[0]?.at, calls.length], [4, 0]);
  await importSuppressions(store, file(), { ...OF, cause: "manual", untilMs: NOW_MS + 5 });
  assert.deepEqual(
    calls.flat().map(({ cause, untilMs }) => [cause, untilMs]),
    [
      ["manual", NOW_MS + 5],
      ["manual", NOW_MS + 5],
    ],
  );
});

test("an import that cannot go on has added what was before, and says where it stopped", async () => {
  const { calls, store } = recording();
  const result = await importSuppressions(store, octets('a@x.example\nb@x.example\n"c'), OF);
  assert.deepEqual([result.added, calls.flat().length], [2, 2]);
  assert.match(result.stopped ?? "", /line 3: a quoted cell/);
  const unknown = await importSuppressions(store, octets("name,phone\n"), OF);
  assert.deepEqual([unknown.format, unknown.added], [null, 0]);
  assert.match(unknown.stopped ?? "", /columns name,phone/);
});

const inParts = (text: string, size: number): string[] =>
  Array.from({ length: Math.ceil(text.length / size) }, (_, i) => text.slice(i * size, (i + 1) * size));

for (const format of EXPORT_FORMATS) {
  test(`what is exported as ${format} and imported into another account is exported the same`, async (t) => {
    const spool = await openTestSpool(t);
    const causes = ["manual", "bounce", "complaint", "unsubscribed"] as const;
    const odd = ["+tag@x.example", "'+tag@x.example", "=a@x.example", "Ünï@bücher.example", '"a, b"@x.example'];
    const entries = [...odd, ...Array.from({ length: 2300 }, (_, i) => `u${i}@x.example`)].map((email, i) => ({
      email,
      cause: causes[i % 4] ?? "manual",
      sinceMs: NOW_MS - Math.floor(i / 7) * 1001,
      untilMs: i % 3 === 0 ? NOW_MS + i + 1 : null,
    }));
    const { added, faults } = await addSuppressions(spool, { ...OF, entries });
    assert.deepEqual([added, faults], [entries.length, []]);
    const exported = await exportOf(spool, "acc_default");
    const result = await importSuppressions(spool, octets(...inParts(exported, 999)), {
      ...OF,
      accountId: "acc_other",
    });
    assert.deepEqual([result.added, result.invalid, result.stopped], [entries.length, 0, null]);
    assert.equal(await exportOf(spool, "acc_other"), exported);
    const again = await importSuppressions(spool, octets(exported), OF);
    assert.deepEqual([again.added, again.changed, again.already], [0, 0, entries.length]);
  });

  async function exportOf(spool: Store, accountId: string): Promise<string> {
    let text = "";
    for await (const part of exportSuppressions(spool, { ...OF, accountId, format })) text += part;
    return text;
  }
}

test("the list is read page by page with a cursor, and an address is tested and removed", async (t) => {
  const spool = await openTestSpool(t);
  await addSuppressions(spool, { ...OF, entries: ["a@x.example", "b@x.example", "c@x.example"] });
  const first = await listSuppressions(spool, { ...OF, limit: 2 });
  assert.ok(first !== "invalid_cursor" && first.next !== null);
  const second = await listSuppressions(spool, { ...OF, limit: 2, cursor: first.next });
  assert.ok(second !== "invalid_cursor");
  assert.deepEqual(
    [...first.data, ...second.data].map(({ email }) => email),
    ["c@x.example", "b@x.example", "a@x.example"],
  );
  assert.equal(second.next, null);
  for (const cursor of ["", "x", "c3g", "!"])
    assert.equal(await listSuppressions(spool, { ...OF, limit: 2, cursor }), "invalid_cursor");

  const found = await testAddress(spool, { ...OF, email: "a@X.example" });
  assert.deepEqual([found?.email, found?.cause, found?.sinceMs], ["a@x.example", "manual", NOW_MS]);
  assert.equal(await removeSuppression(spool, { ...OF, email: "a@x.example" }), true);
  assert.equal(await testAddress(spool, { ...OF, email: "a@x.example" }), null);
});
