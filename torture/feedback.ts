/**
 * Reads damaged and hostile bounces and complaints: no exception, bounded time for each, bounded memory for all. `--rounds 200`, the
 * default, reads 1,000,000 of them.
 */
import { readFeedback } from "../src/message/feedback/feedback.ts";
import { feedbackSamples, mutated } from "../test/support/feedback-mutations.ts";
import { type Scenario, violationUnless } from "./scenario.ts";

const PER_ROUND = 5000;
/** Of CPU time for one message of at most 1 MiB, on a machine that others may use, too. */
const CPU_MS_MAX = 1000;
const MEMORY_BYTES_MAX = 400e6;

export const feedback: Scenario = {
  name: "feedback",
  run: async ({ prng, rounds, print, timed = true }) => {
    const samples = feedbackSamples();
    const seen = new Map<string, number>();
    const violations: string[] = [];
    let slowestMs = 0;
    let memory = 0;
    for (let round = 1; round <= rounds; round += 1) {
      for (let run = 0; run < PER_ROUND; run += 1) {
        const raw = mutated(samples, prng);
        const { type, ms } = readTimed(raw);
        seen.set(type, (seen.get(type) ?? 0) + 1);
        if (type.startsWith("exception")) violations.push(`round ${round}, message ${run}: ${type}`);
        if (timed && ms > CPU_MS_MAX) violations.push(`round ${round}, message ${run}: ${Math.round(ms)} ms of CPU`);
        slowestMs = Math.max(slowestMs, ms);
      }
      memory = Math.max(memory, process.memoryUsage().rss);
      if (round % 20 === 0) print(`  ${round * PER_ROUND} messages, the slowest ${Math.round(slowestMs)} ms`);
    }
    const megabytes = Math.round(memory / 1e6);
    violations.push(...violationUnless(memory < MEMORY_BYTES_MAX, `${megabytes} MB of resident memory`));
    const kinds = [...seen].map(([type, count]) => `${count} ${type}`).join(", ");
    return { figures: `${kinds}; the slowest ${Math.round(slowestMs)} ms of CPU; at most ${megabytes} MB`, violations };
  },
};

function readTimed(raw: Buffer): { type: string; ms: number } {
  const before = process.cpuUsage();
  let type: string;
  try {
    type = readFeedback(raw).type;
  } catch (error) {
    type = `exception ${error}`;
  }
  const { user, system } = process.cpuUsage(before);
  return { type, ms: (user + system) / 1000 };
}
