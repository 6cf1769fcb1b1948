/**
 * `npm run simulate -- --seeds 1000` runs that many seeds and prints the number of violations, which must be zero.
 * `--from N` sets the first seed, `--every N` runs each Nth seed from there (those of one focus, see focus.ts), and
 * `--stop` ends at the first violation. `--seed N` runs one seed and prints every effect. Exits 1 after a violation.
 *
 * `npm run simulate -- --day --messages 1000000` runs the model of a day (day.ts) with Postrider's policy and that of Postfix, and
 * prints what each delivers. `--reaction refuse|pause|block` is what receivers do about excess, `--seed N` draws another day.
 */
import { parseArgs } from "node:util";
import { dayLines, runDay } from "./day.ts";
import { REACTIONS } from "./day-receivers.ts";
import { createInitialSpool, type InitialSpool } from "./initial-spool.ts";
import { type Outcome, runSeed } from "./run.ts";

const print = (line: string): void => void process.stdout.write(`${line}\n`);

const { values } = parseArgs({
  options: {
    seeds: { type: "string", default: "1000" },
    from: { type: "string", default: "1" },
    every: { type: "string", default: "1" },
    seed: { type: "string" },
    stop: { type: "boolean", default: false },
    day: { type: "boolean", default: false },
    messages: { type: "string", default: "1000000" },
    reaction: { type: "string", default: "block" },
  },
});

async function runOne(seed: number, initialSpool: InitialSpool): Promise<Outcome[]> {
  return [await runSeed(seed, { initialSpool, trace: print })];
}

async function runMany(initialSpool: InitialSpool): Promise<Outcome[]> {
  const [from, count, every] = [Number(values.from), Number(values.seeds), Number(values.every)];
  const outcomes: Outcome[] = [];
  for (let seed = from; seed < from + count * every; seed += every) {
    const outcome = await runSeed(seed, { initialSpool });
    if (outcome.violations.length > 0) print(`seed ${seed}: ${outcome.violations.slice(0, 3).join("; ")}`);
    outcomes.push(outcome);
    if (values.stop && outcome.violations.length > 0) break;
  }
  return outcomes;
}

function totals(outcomes: Outcome[]): Map<string, number> {
  const sums = new Map<string, number>();
  for (const { tally } of outcomes)
    for (const [name, count] of Object.entries(tally)) sums.set(name, (sums.get(name) ?? 0) + count);
  return sums;
}

async function runSeeds(): Promise<void> {
  const initialSpool = await createInitialSpool();
  const outcomes =
    values.seed === undefined ? await runMany(initialSpool) : await runOne(Number(values.seed), initialSpool);
  const sum = (of: (outcome: Outcome) => number): number => outcomes.reduce((total, outcome) => total + of(outcome), 0);
  const failing = outcomes.filter(({ violations }) => violations.length > 0);

  if (values.seed !== undefined) for (const violation of outcomes[0]?.violations ?? []) print(`broken: ${violation}`);
  print(
    `${outcomes.length} seeds, ${sum((o) => o.counts.incarnations)} process incarnations, ${sum((o) => o.counts.effects)} effects, ` +
      `${sum((o) => o.counts.messages)} messages accepted, ${sum((o) => o.counts.deliveries)} deliveries to peers, ${sum((o) => o.counts.unknown)} recipients left unknown`,
  );
  print(`drawn: ${[...totals(outcomes)].map(([name, count]) => `${name} ${count}`).join(", ")}`);
  print(`losses and silent duplicates: ${sum((o) => o.violations.length)} (budget 0)`);
  if (failing.length > 0) print(`replay a seed with: npm run simulate -- --seed ${failing[0]?.seed}`);
  process.exitCode = failing.length > 0 ? 1 : 0;
}

async function runDays(): Promise<void> {
  const [messages, seed] = [Number(values.messages), Number(values.seed ?? 1)];
  if (!Number.isSafeInteger(messages) || messages < 1)
    throw new RangeError(`--messages must be 1 or more: ${values.messages}`);
  const reaction = REACTIONS.find((each) => each === values.reaction);
  if (reaction === undefined) throw new RangeError(`--reaction must be ${REACTIONS.join(", ")}: ${values.reaction}`);
  for (const policy of ["postrider", "postfix"] as const)
    for (const line of dayLines(policy, await runDay(policy, { messages, seed, reaction }))) print(line);
}

await (values.day ? runDays() : runSeeds());
