/** API keys in the management interface: when a key is held. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { manageClient } from "../support/manage-client.ts";
import { startWorld } from "../support/world.ts";
import { fieldsOf, problemOf } from "./problem.ts";

test("the fuse of a key has a limit, is off, or is the default one", async (t) => {
  const world = await startWorld(t, { RATE_PER_SECOND: "0" });
  const { ask } = await manageClient(world, "--permissions", "manage");
  const path = `/keys/${world.keyId}`;
  const fuseOf = async (): Promise<unknown> => ((await (await ask("GET", path)).json()) as { fuse: unknown }).fuse;
  for (const [body, fuse] of [
    [{ limit: 5000 }, { limit: 5000, off: false }],
    [{ off: true }, { limit: null, off: true }],
    [
      { limit: 1, off: false },
      { limit: 1, off: false },
    ],
    [{}, { limit: null, off: false }],
  ] as const) {
    const answer = await ask("PUT", `${path}/fuse`, body);
    assert.equal(answer.status, 200);
    assert.deepEqual(((await answer.json()) as { fuse: unknown }).fuse, fuse);
    assert.deepEqual(await fuseOf(), fuse);
  }
  for (const [body, field] of [
    [{ limit: 0 }, "limit"],
    [{ limit: 1.5 }, "limit"],
    [{ limit: 1_000_000_000 }, "limit"],
    [{ limit: 5, off: true }, "off"],
  ] as const)
    assert.deepEqual(fieldsOf(await problemOf(await ask("PUT", `${path}/fuse`, body), 400, "invalid_request")), [
      field,
    ]);
  assert.deepEqual(await fuseOf(), { limit: null, off: false });
  await problemOf(await ask("PUT", "/keys/key_unknown/fuse", { off: true }), 404, "not_found");

  const set = await ask("PUT", `${path}/fuse`, { off: true });
  const late = await ask("PUT", `${path}/fuse`, { limit: 9 }, { "If-Match": '"earlier"' });
  assert.equal(late.headers.get("etag"), set.headers.get("etag"));
  await problemOf(late, 412, "precondition_failed");
});
