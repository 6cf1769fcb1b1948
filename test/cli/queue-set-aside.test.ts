/** queue set-aside lists mail that came back and is not read again. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { NOW_MS, openSpool } from "../support/damaged-spool.ts";
import { nextIncoming } from "../support/incoming.ts";
import { runCli } from "../support/run-cli.ts";
import { tempDir } from "../support/temp-dir.ts";

test("queue set-aside lists what is not read, and nothing else", async (t) => {
  const dataDir = tempDir(t);
  const spool = await openSpool(dataDir);
  const mail = { recipient: "dmarc-reports@bounces.shop.example", envelopeSender: "x@mail.example", ip: "192.0.2.1" };
  for (const content of [Buffer.alloc(100, "x"), Buffer.alloc(2000, "x")])
    await spool.storeIncoming({ ...mail, receivedAtMs: NOW_MS, content });
  const { id } = (await nextIncoming(spool, NOW_MS)) ?? assert.fail();
  await spool.setAsideIncoming(id, NOW_MS);
  await spool.close();
  const { stdout, stderr } = await runCli(["queue", "set-aside", "--json"], { DATA_DIR: dataDir });
  assert.equal(stderr, "");
  const at = new Date(NOW_MS).toISOString();
  const [shown, ...others] = JSON.parse(stdout) as Record<string, unknown>[];
  assert.deepEqual(others, []);
  assert.deepEqual(
    [shown?.id, shown?.recipient, shown?.sender, shown?.octets, Date.parse(String(shown?.set_aside_at))],
    [id, mail.recipient, mail.envelopeSender, 100, Date.parse(at)],
  );
});
