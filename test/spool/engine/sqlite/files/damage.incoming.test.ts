/** Mail that has come back, in a damaged file. */
import assert from "node:assert/strict";
import { it } from "node:test";
import { damagePage, NOW_MS, opened, openSpool, pagesOf } from "../../../../support/damaged-spool.ts";
import { nextIncoming } from "../../../../support/incoming.ts";
import { tempDir } from "../../../../support/temp-dir.ts";

it("a mail whose content is damaged is passed over, and those after it are returned", async (t) => {
  const dataDir = tempDir(t);
  const spool = await openSpool(dataDir);
  const mail = { recipient: "abuse@bounces.shop.example", envelopeSender: "", ip: "192.0.2.1" };
  for (const [content, receivedAtMs] of [
    [Buffer.alloc(50_000, "x"), NOW_MS],
    [Buffer.from("whole"), NOW_MS + 1],
  ] as const)
    await spool.storeIncoming({ ...mail, content, receivedAtMs });
  await spool.close();
  const isContent = ({ name, type }: { name: string; type: string }) => name === "incoming" && type === "overflow";
  damagePage(dataDir, pagesOf(dataDir).find(isContent) ?? assert.fail());
  const again = await opened(t, dataDir);
  const next = await nextIncoming(again, NOW_MS + 1);
  assert.equal(Buffer.from(next?.content ?? []).toString(), "whole");
  const effect = { type: "none" } as const;
  assert.equal(await again.applyIncoming({ id: next?.id ?? "", effect, atMs: NOW_MS + 2 }), "applied");
  assert.equal(await nextIncoming(again, NOW_MS + 1), null);
  const { places } = await again.quarantined(10);
  assert.match(places.join("\n"), /^the mail that has come back: /m);
});
