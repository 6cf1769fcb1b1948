/** A program does not end without a line while it waits. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";

const module = new URL("../../src/lib/keep-alive.ts", import.meta.url).href;
const clock = new URL("../../src/lib/clock.ts", import.meta.url).href;

function run(program: string) {
  const script = `import { explainUnsettledEnd, keepAlive } from "${module}"; import { systemClock } from "${clock}";
    const wait = () => new Promise((resolve) => systemClock.after(50, () => resolve("waited")));
    explainUnsettledEnd("postrider: ended");
    ${program}`;
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ["--import", "tsx", "--input-type=module", "--eval", script],
    { encoding: "utf8", cwd: new URL("../..", import.meta.url).pathname },
  );
  return { status, stdout, stderr };
}

test("a wait for a timer of the clock alone keeps the process alive", () => {
  assert.deepEqual(run("console.log(await keepAlive(wait()))"), { status: 0, stdout: "waited\n", stderr: "" });
});

test("a program that ends because nothing keeps it alive says so", () => {
  const { status, stdout, stderr } = run("console.log(await wait())");
  assert.equal(status, 13);
  assert.equal(stdout, "");
  assert.match(stderr, /postrider: ended\n$/);
});
