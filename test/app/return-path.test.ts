import assert from "node:assert/strict";
import { test } from "node:test";
import { inboundWarning, RETURN_PATH_NAME_MAX, setReturnPath } from "../../src/app/return-path.ts";

test("a service that does not listen for bounces gives a warning", () => {
  const hostname = "mta.sender.example";
  assert.match(inboundWarning({ hostname, inboundPort: null }) ?? "", /^INBOUND_PORT is not set: .* bounces are lost/);
  assert.match(inboundWarning({ hostname }) ?? "", /^INBOUND_PORT is not set/);
  assert.equal(inboundWarning({ hostname, inboundPort: 25 }), null);
});

test("a name that makes envelope senders too long is refused, and can be turned off", async () => {
  const asked: [string, boolean][] = [];
  const registry = {
    setReturnPath: async (_: string, name: string, on: boolean) => {
      asked.push([name, on]);
      return name !== "gone.example";
    },
  };
  const set = (name: string, on: boolean) => setReturnPath(registry, { accountId: "acc_1", name }, { on, nowMs: 0 });
  const long = "a".repeat(RETURN_PATH_NAME_MAX);
  assert.deepEqual([await set(`${long}a`, true), await set(long, true)], ["name_too_long", "done"]);
  assert.deepEqual([await set(`${long}a`, false), await set("gone.example", true)], ["done", "not_bound"]);
  assert.deepEqual(asked, [
    [long, true],
    [`${long}a`, false],
    ["gone.example", true],
  ]);
});
