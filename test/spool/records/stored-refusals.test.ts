import assert from "node:assert/strict";
import { it } from "node:test";
import { storedRefusals } from "../../../src/spool/records/stored-refusals.ts";

it("decodes refusals, and counts those that cannot be decoded as none", () => {
  const refusals = [{ at_ms: 1, code: 550, enhanced_code: "5.1.1", message: "No", mx: "mx.example", ip: "192.0.2.1" }];
  assert.deepEqual(storedRefusals(JSON.stringify(refusals)), refusals);
  for (const json of ['[{"at_ms":"1","code":550,"message":"No"}]', "{}", "["])
    assert.deepEqual(storedRefusals(json), []);
});
