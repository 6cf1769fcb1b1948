/** The options of Node that the service runs with are the same everywhere. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { it } from "node:test";
import packageJson from "../../package.json" with { type: "json" };
import { SERVICE_FLAGS } from "../../src/lib/service-program.ts";

const read = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");
const flagsIn = (words: readonly string[]): string[] =>
  words.filter((word) => word.startsWith("--") && word !== "--import");

it("npm start, the systemd unit and the image run the service with the same options", () => {
  assert.deepEqual(flagsIn(packageJson.scripts.start.split(" ")), SERVICE_FLAGS);
  const [, unit = ""] = /^ExecStart=(.*)$/m.exec(read("ops/postrider.service")) ?? [];
  assert.deepEqual(flagsIn(unit.split(" ")), SERVICE_FLAGS);
  const [, image = ""] = /^CMD (\[.*\])$/m.exec(read("Dockerfile")) ?? [];
  assert.deepEqual(flagsIn(JSON.parse(image)), SERVICE_FLAGS);
});
