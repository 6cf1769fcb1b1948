/** The programs that a proof starts. */
import assert from "node:assert/strict";
import { it } from "node:test";
import packageJson from "../../package.json" with { type: "json" };
import { SERVICE_FLAGS } from "../../src/prove/programs.ts";

it("starts the service with the flags of npm start, without the loader", () => {
  const words = packageJson.scripts.start.split(" ");
  assert.deepEqual(
    SERVICE_FLAGS,
    words.filter((word) => word.startsWith("--") && word !== "--import"),
  );
});
