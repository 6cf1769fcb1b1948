import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { outageTolerance } from "../../../../../src/spool/engine/postgres/connection/outage-tolerance.ts";
import { SpoolUnavailable } from "../../../../../src/spool/port/errors.ts";

describe("calls that tolerate an outage", () => {
  it("are logged if they fail in one, and reject after any other error", async () => {
    const logged: unknown[] = [];
    const tolerateOutage = outageTolerance({ debug: (fields: object) => void logged.push(fields) });
    await tolerateOutage(() => Promise.reject(new SpoolUnavailable("no reply")));
    assert.deepEqual(logged, [{ error: "no reply" }]);
    await assert.rejects(
      tolerateOutage(() => Promise.reject(new TypeError("a fault of the program"))),
      TypeError,
    );
    assert.equal(logged.length, 1);
  });
});
