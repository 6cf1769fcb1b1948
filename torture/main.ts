/**
 * `npm run torture -- --rounds 200` runs every scenario with real processes, files and sockets. `--only NAME` runs
 * one scenario. `--seed N` changes the random choices; the exact time of a fault still depends on the machine.
 * `--faults NAME,NAME` restricts the faults of the scenario `cluster`, and `--together N` checks its invariants after so many rounds.
 * With `--untimed`, on a machine in use, times are reported only. Exits 1 after a violation, and 2 for an unknown scenario.
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
    faults: { type: "string" },
    together: { type: "string" },
    untimed: { type: "boolean", default: false },
  },
});

const selected = scenarios.filter(({ name }) => values.only === undefined || values.only === name);
if (selected.length === 0) {
  process.stderr.write(
    `torture: unknown scenario ${values.only}; known: ${scenarios.map(({ name }) => name).join(", ")}\n`,
  );
  process.exit(2);
}

let violationCount = 0;
for (const scenario of selected) {
  const obstacle = scenario.obstacle?.() ?? null;
  if (obstacle !== null) {
    print(`${scenario.name}: skipped, ${obstacle}`);
    continue;
  }
  print(`${scenario.name}, seed ${values.seed} …`);
  const { figures, violations } = await scenario.run({
    prng: new Prng(Number(values.seed)),
    rounds: Number(values.rounds),
    print,
    timed: !values.untimed,
    ...(values.faults === undefined ? {} : { faults: values.faults }),
    ...(values.together === undefined ? {} : { together: Number(values.together) }),
  });
  print(`${scenario.name}: ${figures}; violations: ${violations.length}`);
  for (const violation of violations.slice(0, 10)) print(`  ${violation}`);
  violationCount += violations.length;
}
process.exitCode = violationCount > 0 ? 1 : 0;
