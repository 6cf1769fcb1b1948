/**
 * `npm run torture -- --rounds 200`: real processes, real files, real sockets. `--only NAME` tells one story, `--seed N` makes
 * its chances other ones (which moments are hit depends on the machine all the same). Exit 1 when a promise was broken, 2 where
 * there is no such story.
 */
import { parseArgs } from "node:util";
import { Prng } from "../simulate/prng.ts";
import { scenarios } from "./scenarios.ts";

const print = (line: string): void => void process.stdout.write(`${line}\n`);

const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "200" },
    seed: { type: "string", default: "1" },
    only: { type: "string" },
  },
});

const selected = scenarios.filter(({ name }) => values.only === undefined || values.only === name);
if (selected.length === 0) {
  process.stderr.write(`torture: no story ${values.only}; there are ${scenarios.map(({ name }) => name).join(", ")}\n`);
  process.exit(2);
}

let violationCount = 0;
for (const scenario of selected) {
  const obstacle = scenario.obstacle?.() ?? null;
  if (obstacle !== null) {
    print(`${scenario.name}: skipped, ${obstacle}`);
    continue;
  }
  print(`${scenario.name} …`);
  const { figures, violations } = await scenario.run({
    prng: new Prng(Number(values.seed)),
    rounds: Number(values.rounds),
    print,
    timed: true,
  });
  print(`${scenario.name}: ${figures}; broken promises: ${violations.length}`);
  for (const violation of violations.slice(0, 10)) print(`  ${violation}`);
  violationCount += violations.length;
}
process.exitCode = violationCount > 0 ? 1 : 0;
