/**
 * The simulator can see: copies of the project, each with one promise deliberately broken, are caught within 1,000 seeds.
 */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { CHECKOUT } from "../support/program.ts";
import { tempDir } from "../support/temp-dir.ts";

const SEEDS_MAX = "1000";

interface Break {
  name: string;
  file: string;
  /** What stands there, and what stands there in the broken copy; each once. */
  changes: [string, string][];
  /** What the simulator says of it. */
  seen: RegExp;
}

const BREAKS: Break[] = [
  {
    name: "the mark before the dot is left out",
    file: "src/delivery/smtp/transaction.ts",
    changes: [["    await outgoing.beforeDot(results.accepted);\n", ""]],
    seen: /sent twice in silence|failed and yet taken/,
  },
  {
    name: "the dot does not wait for the mark",
    file: "src/delivery/smtp/transaction.ts",
    changes: [
      [
        "    await outgoing.beforeDot(results.accepted);\n",
        "    outgoing.beforeDot(results.accepted).catch(() => {});\n",
      ],
    ],
    seen: /sent twice in silence|failed and yet taken/,
  },
  {
    name: "synchronous=OFF",
    file: "src/spool/sqlite/database.ts",
    changes: [["synchronous = FULL", "synchronous = OFF"]],
    seen: /lost|sent twice in silence|failed and yet taken/,
  },
  {
    name: "the idempotency record in a second transaction",
    file: "src/spool/sqlite/acceptance.ts",
    changes: [
      ["    if (m.idempotency !== null) this.#remember(m, m.idempotency);\n", ""],
      [
        "      committed: () => {\n",
        `      committed: () => {
        if (m.idempotency !== null) this.#remember(m, m.idempotency);
`,
      ],
    ],
    seen: /key used twice/,
  },
  {
    name: "what was in doubt at a crash is simply tried again",
    file: "src/spool/sqlite/recovery.ts",
    changes: [
      [
        "    const marked = this.marked().filter(({ seq }) => !this.#unrecoverable.has(seq));\n",
        "    this.#settle.database.exec(`UPDATE recipients SET state = 'pending', next_attempt_at_ms = 0, mark = NULL WHERE state = 'marked'`);\n    const marked: RecipientKey[] = [];\n",
      ],
    ],
    seen: /sent twice in silence|failed and yet taken/,
  },
  {
    name: "another host after a connection that was lost after the dot",
    file: "src/delivery/verdict.ts",
    changes: [
      [
        'return result.stage === "final_dot" && dotSent',
        'return result.stage === "final_dot" && dotSent && result.type !== "lost"',
      ],
    ],
    seen: /sent twice in silence|failed and yet taken/,
  },
  {
    name: "a stop takes who waits for the final reply for not handed over",
    file: "src/delivery/dispatch/address-attempt.ts",
    changes: [["isAfterDot ? interruptedAfterDot : interruptedBeforeDot", "interruptedBeforeDot"]],
    seen: /sent twice in silence|failed and yet taken/,
  },
  {
    name: "a result that cannot be stored is given up",
    file: "src/delivery/dispatch/job-runner.ts",
    changes: [
      [
        "        await new Promise<void>((resolve) => void clock.after(SPOOL_RETRY_MS, resolve));\n",
        "        return;\n",
      ],
    ],
    seen: /never ends/,
  },
  {
    name: "a damaged message makes the whole claim fail",
    file: "src/spool/sqlite/claims.ts",
    changes: [
      ["      if (!isDamage(error)) throw error;\n      const queue = ", "      throw error;\n      const queue = "],
    ],
    seen: /left to fail|never ends/,
  },
  {
    name: "a damaged content is sent",
    file: "src/spool/sqlite/soundness.ts",
    changes: [["crc !== null && crc32(stored) !== crc", "crc === -1"]],
    seen: /another content/,
  },
  {
    name: "the quarantine of a damaged message is not stored",
    file: "src/spool/sqlite/quarantine.ts",
    changes: [["      this.#store(suspects);\n", ""]],
    seen: /never ends/,
  },
  {
    name: "a damaged message that is sound again is not released",
    file: "src/spool/sqlite/quarantine-check.ts",
    changes: [["        sound.push(seq);\n", ""]],
    seen: /stays in quarantine/,
  },
  {
    name: "the lease of a damaged message does not end",
    file: "src/delivery/dispatch/job-runner.ts",
    changes: [["      return this.#releaseDamaged(job);\n", "      return;\n"]],
    seen: /never ends/,
  },
  {
    name: "the courier sleeps until the next due time, however far that is",
    file: "src/delivery/dispatch/dispatcher.ts",
    changes: [["Math.min(dueMs - clock.now(), SLEEP_MAX_MS)", "dueMs - clock.now()"]],
    seen: /never ends/,
  },
  {
    name: "a dead host is probed by the wall clock",
    file: "src/app/wiring/delivery.ts",
    changes: [["new HostHealth(clock)", "new HostHealth({ ...clock, monotonicMs: () => clock.now() })"]],
    seen: /deferred in fair weather|never ends/,
  },
  {
    name: "what waits is not brought forward when the clock is set back",
    file: "src/app/clock-watch.ts",
    changes: [["    onStep(stepMs);\n", ""]],
    seen: /never ends/,
  },
  {
    name: "retention ends at the first message that is not old",
    file: "src/spool/sqlite/retention.ts",
    changes: [["createdAtMs >= beforeMs && createdAtMs <= nowMs", "createdAtMs >= beforeMs"]],
    seen: /kept for good/,
  },
  {
    name: "the deadline is not looked at again after the look-up of the destination",
    file: "src/delivery/dispatch/job-runner.ts",
    changes: [["if (shutdown.hasBegun || this.#isPastDeadline(job)) {", "if (shutdown.hasBegun) {"]],
    seen: /tried after its deadline/,
  },
  {
    name: "a message with a deadline has the schedule's gaps",
    file: "src/delivery/dispatch/retry-decision.ts",
    changes: [["    ...deadlineOf(job),\n", ""]],
    seen: /not tried again with/,
  },
  {
    name: "every reply but a 421 widens the window",
    file: "src/delivery/throttle/load-signal.ts",
    changes: [
      [
        'if (code !== 421 && !isAboutLoad(reply, stage, subject)) return "neutral";',
        'if (code !== 421) return "accepted";',
      ],
      ['if (stage === "greeting" || stage === "ehlo") return "refused";', ""],
    ],
    seen: /refusals not heeded/,
  },
  {
    name: "a destination that refuses everything is not closed",
    file: "src/delivery/throttle/congestion-window.ts",
    changes: [["if (closure === null && refusals < REFUSALS_UNTIL_CLOSED) return;", "if (closure === null) return;"]],
    seen: /refusals not heeded/,
  },
  {
    name: "an attempt looks at every exchanger",
    file: "src/delivery/routing/route.ts",
    changes: [["  if (hosts.length <= HOSTS_MAX) return hosts;\n", "  if (hosts.length > 0) return hosts;\n"]],
    seen: /too much is stored/,
  },
];

function breakCopy(t: TestContext, { file, changes }: Break): string {
  const copy = tempDir(t);
  for (const part of ["src", "simulate", "package.json"])
    cpSync(join(CHECKOUT, part), join(copy, part), { recursive: true });
  symlinkSync(join(CHECKOUT, "node_modules"), join(copy, "node_modules"));
  let text = readFileSync(join(copy, file), "utf8");
  for (const [sound, broken] of changes) {
    assert.equal(text.split(sound).length, 2, `${file} has changed: break it elsewhere`);
    text = text.replace(sound, () => broken);
  }
  writeFileSync(join(copy, file), text);
  return copy;
}

const skip = process.env.CI === "true" ? false : "takes half a minute, so it runs with CI=true";

for (const broken of BREAKS) {
  test(`caught: ${broken.name}`, { skip }, async (t) => {
    const args = ["--import", "tsx", "simulate/main.ts", "--seeds", SEEDS_MAX, "--stop"];
    const child = spawn(process.execPath, args, { cwd: breakCopy(t, broken), stdio: ["ignore", "pipe", "inherit"] });
    t.after(() => child.kill("SIGKILL"));
    let said = "";
    child.stdout.on("data", (chunk) => {
      said += chunk;
    });
    const [code] = await once(child, "close");
    t.diagnostic(said.split("\n")[0] ?? "");
    assert.equal(code, 1, said);
    assert.match(said, broken.seen);
  });
}
