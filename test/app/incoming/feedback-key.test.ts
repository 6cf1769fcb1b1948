/** The key of what comes back: made once, the same for all, and replaced where it is lost. */
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { describe, it, type TestContext } from "node:test";
import { FEEDBACK_KEY_BYTES, feedbackKey } from "../../../src/app/incoming/feedback-key.ts";
import { secretSealName, Vault } from "../../../src/security/vault.ts";
import { openSqliteSpool } from "../../../src/spool/engine/sqlite/sqlite-spool.ts";
import type { Secrets } from "../../../src/spool/port/secrets.ts";
import { freshDatabase } from "../../support/postgres/fresh-database.ts";
import { missingPostgres } from "../../support/postgres/installation.ts";
import { openNode } from "../../support/postgres/open-node.ts";
import { tempDir } from "../../support/temp-dir.ts";

const newVault = (): Vault => new Vault(randomBytes(32));

function logged() {
  const lines: string[] = [];
  return { lines, log: { warn: (line: string) => lines.push(line) } as unknown as { warn: () => void } };
}

async function openClient(t: TestContext, dataDir: string): Promise<Secrets> {
  const onFatal = (error: Error): void => {
    throw error;
  };
  const store = await openSqliteSpool({ dataDir, role: "client", onFatal });
  t.after(() => store.close());
  return store;
}

/** Asserts that stores of several processes, all of which find no key at first, get one key. */
async function oneKeyFor(stores: Secrets[]): Promise<void> {
  const vault = newVault();
  let waiting = stores.length;
  let release = (): void => {};
  const allHaveRead = new Promise<void>((resolve) => {
    release = resolve;
  });
  const together = (store: Secrets): Secrets => ({
    addSecret: async (...secret) => {
      waiting -= 1;
      if (waiting === 0) release();
      await allHaveRead;
      await store.addSecret(...secret);
    },
    readSecret: (name) => store.readSecret(name),
  });
  const { log, lines } = logged();
  const keys = await Promise.all(stores.map((store) => feedbackKey({ store: together(store), vault, log })));
  assert.equal(new Set(keys.map((key) => key.toString("hex"))).size, 1);
  const [key] = keys;
  assert.equal(key?.length, FEEDBACK_KEY_BYTES);
  for (const store of stores) assert.deepEqual(await feedbackKey({ store, vault, log }), key, "it stays the same");
  assert.deepEqual(lines, []);
}

describe("the feedback key", () => {
  it("is one for two processes that make it at once", async (t) => {
    const dataDir = tempDir(t);
    await oneKeyFor([await openClient(t, dataDir), await openClient(t, dataDir)]);
  });

  it("is one for two nodes that make it at once", { skip: missingPostgres() }, async (t) => {
    const { url } = await freshDatabase(t);
    const nodes = [await openNode(t, url), await openNode(t, url)];
    await oneKeyFor(nodes.map(({ store }) => store));
  });

  it("is stored sealed, and bound to its name", async (t) => {
    const [store, vault] = [await openClient(t, tempDir(t)), newVault()];
    const key = await feedbackKey({ store, vault, log: logged().log });
    const sealed = (await store.readSecret("feedback")) ?? assert.fail();
    assert.ok(!sealed.includes(key) && !sealed.includes(key.toString("base64")));
    assert.equal(vault.open(secretSealName("feedback"), sealed), key.toString("base64"));
    assert.throws(() => vault.open(secretSealName("other"), sealed));
  });

  it("is replaced once where the master key that sealed it is lost, and the log says so", async (t) => {
    const store = await openClient(t, tempDir(t));
    const lost = await feedbackKey({ store, vault: newVault(), log: logged().log });
    const [vault, { log, lines }] = [newVault(), logged()];
    const replaced = await feedbackKey({ store, vault, log });
    assert.notDeepEqual(replaced, lost);
    assert.match(lines.join("\n"), /^feedback key replaced: the master key does not open it[^\n]*$/);
    assert.deepEqual(await feedbackKey({ store, vault, log }), replaced);
    assert.equal(lines.length, 1);
  });

  it("of two processes that replace it at once, is that of the first", async (t) => {
    const dataDir = tempDir(t);
    const [store, second] = [await openClient(t, dataDir), await openClient(t, dataDir)];
    await feedbackKey({ store, vault: newVault(), log: logged().log });
    const vault = newVault();
    const stored = (await store.readSecret("feedback")) ?? assert.fail();
    const first = await feedbackKey({ store, vault, log: logged().log });
    // The second one has read before the first one wrote.
    let reads = 0;
    const late: Secrets = {
      async readSecret(name) {
        reads += 1;
        return reads === 1 ? stored : second.readSecret(name);
      },
      addSecret: (...secret) => second.addSecret(...secret),
    };
    assert.deepEqual(await feedbackKey({ store: late, vault, log: logged().log }), first);
  });

  it("is an error where the stored one was sealed with another key meanwhile", async (t) => {
    const store = await openClient(t, tempDir(t));
    const other = newVault().seal(secretSealName("feedback"), "");
    const broken: Secrets = { readSecret: async () => other, addSecret: (...secret) => store.addSecret(...secret) };
    await assert.rejects(
      feedbackKey({ store: broken, vault: newVault(), log: logged().log }),
      /does not open with the key in master\.key/,
    );
  });
});
