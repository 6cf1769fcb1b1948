import assert from "node:assert/strict";
import { test } from "node:test";
import { inboundWarning, setReturnPath } from "../../../src/app/domains/return-path.ts";

/** Of the 254 octets of an address, 47 are the local part of an envelope sender, and 9 are `@bounces.`. */
const LONGEST = 254 - 47 - 9;

test("a service that does not listen for bounces gives a warning", () => {
  assert.match(inboundWarning({ inboundPort: null }) ?? "", /^INBOUND_PORT is not set: .* bounces are lost/);
  assert.equal(inboundWarning({ inboundPort: 25 }), null);
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
  const long = "a".repeat(LONGEST);
  assert.deepEqual([await set(`${long}a`, true), await set(long, true)], ["name_too_long", "done"]);
  assert.deepEqual([await set(`${long}a`, false), await set("gone.example", true)], ["done", "not_bound"]);
  assert.deepEqual(asked, [
    [long, true],
    [`${long}a`, false],
    ["gone.example", true],
  ]);
});
