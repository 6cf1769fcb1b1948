/** Where notices begin: what is stored, and how often the store is asked. */
import assert from "node:assert/strict";
import { it, type TestContext } from "node:test";
import type { NoticeDraft } from "../../../src/app/notices/notice.ts";
import { NoticeBoard } from "../../../src/app/notices/notice-board.ts";
import { NOTICE_APART_MS } from "../../../src/spool/port/notices.ts";
import { fakeClock } from "../../support/fake-clock.ts";
import { FakeNotices } from "../../support/notices.ts";
import { freshDatabase } from "../../support/postgres/fresh-database.ts";
import { missingPostgres } from "../../support/postgres/installation.ts";
import { openNode } from "../../support/postgres/open-node.ts";

const START_MS = 1_700_000_000_000;

const draft = (occurrence: string): NoticeDraft => ({
  kind: "disk_fills",
  accountId: null,
  cause: "disk mail-1",
  occurrence,
  subject: "The disk of mail-1 fills",
  paragraphs: ["What happened.", "What to do:"],
  link: "/dashboard/operator/host",
});

it("asks the store once about what it has, and again about what came too soon", async () => {
  const clock = fakeClock(START_MS);
  const store = new FakeNotices();
  const board = new NoticeBoard({ store, clock });
  assert.deepEqual([await board.post(draft("1")), await board.post(draft("1")), store.calls], ["added", "known", 1]);
  assert.deepEqual(
    [await board.post(draft("2")), await board.post(draft("2")), store.calls],
    ["too_soon", "too_soon", 3],
  );
  await clock.advance(NOTICE_APART_MS);
  assert.equal(await board.post(draft("2")), "added");
  assert.equal(store.stored[0]?.text, "What happened.\n\nWhat to do:");
  assert.match(store.stored[0]?.id ?? "", /^ntc_/);
});

it("has one notice of what several nodes find at the same time", {
  skip: missingPostgres(),
}, async (t: TestContext) => {
  const { url } = await freshDatabase(t);
  const stores = [(await openNode(t, url, "client")).store, (await openNode(t, url, "client")).store];
  const clock = fakeClock(START_MS);
  const boards = stores.map((store) => new NoticeBoard({ store, clock }));
  const found = await Promise.all(boards.flatMap((board) => [board.post(draft("1")), board.post(draft("1"))]));
  assert.deepEqual(found.toSorted(), ["added", "known", "known", "known"]);
  await clock.advance(NOTICE_APART_MS - 1);
  assert.deepEqual(await Promise.all(boards.map((board) => board.post(draft("2")))), ["too_soon", "too_soon"]);
  for (const store of stores) assert.equal((await store.notices({ accountId: null, limit: 10 })).notices.length, 1);
});
