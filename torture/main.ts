/**
 * `npm run torture -- --rounds 200`: real processes, real files, real sockets. `--only NAME` tells one story, `--seed N` makes
 * its chances other ones (which moments are hit depends on the machine all the same). Exit 1 when a promise was broken, 2 where
 * there is no such story.
 */
import { parseArgs } from "node:util";
import { Chance } from "../simulate/chance.ts";
import { stories } from "./stories.ts";

const say = (line: string): void => void process.stdout.write(`${line}\n`);

const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "200" },
    seed: { type: "string", default: "1" },
    only: { type: "string" },
  },
});

const told = stories.filter(({ name }) => values.only === undefined || values.only === name);
if (told.length === 0) {
  process.stderr.write(`torture: no story ${values.only}; there are ${stories.map(({ name }) => name).join(", ")}\n`);
  process.exit(2);
}

let broken = 0;
for (const story of told) {
  const obstacle = story.obstacle?.() ?? null;
  if (obstacle !== null) {
    say(`${story.name}: skipped, ${obstacle}`);
    continue;
  }
  say(`${story.name} …`);
  const { figures, violations } = await story.tell({
    chance: new Chance(Number(values.seed)),
    rounds: Number(values.rounds),
    say,
    timed: true,
  });
  say(`${story.name}: ${figures}; broken promises: ${violations.length}`);
  for (const violation of violations.slice(0, 10)) say(`  ${violation}`);
  broken += violations.length;
}
process.exitCode = broken > 0 ? 1 : 0;
