/** Mutation test of the torture: it detects each deliberately broken copy of the project within a few rounds. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { rmSync } from "node:fs";
import { test } from "node:test";
import { bundlePrograms } from "../bundles.ts";
import { compileTree } from "../compiled-tree.ts";
import { type Break, breakCopy } from "../support/broken-copy.ts";
import { missingPostgresOrTime, missingTime } from "../support/postgres/installation.ts";

const PARTS = [
  "src",
  "simulate",
  "torture",
  "bench",
  "ops",
  "test/support",
  "README.md",
  "package.json",
  "tsconfig.json",
];

/** A copy is detected after so many rounds, or so many more. */
const ROUNDS_TOGETHER = 4;

interface TorturedBreak extends Break {
  /** The scenario that detects the copy, how many rounds it needs, and the fault that it is restricted to. */
  scenario: "cluster" | "submission";
  fault?: string;
  rounds: number;
  /** Whether times are violations too: a node that is ended in error shows in no other way. */
  timed?: boolean;
}

const BREAKS: TorturedBreak[] = [
  {
    name: "no owner and epoch in the mark's condition",
    file: "src/spool/engine/postgres/mail/work-writes.ts",
    changes: [
      [
        `AS i (seq, position, owner, epoch, mark)
     WHERE w.seq = i.seq AND w.position = i.position AND w.owner = i.owner AND w.epoch = i.epoch
`,
        `AS i (seq, position, owner, epoch, mark)
     WHERE w.seq = i.seq AND w.position = i.position AND w.owner IS NOT NULL
`,
      ],
    ],
    violation: /silent duplicate/,
    scenario: "cluster",
    fault: "end node",
    // The two nodes meet in one of two rounds where nothing else runs, and in one of six on a busy machine.
    rounds: 40,
  },
  {
    name: "a lease by the node's own clock",
    file: "src/spool/engine/postgres/cluster/nodes-table.ts",
    changes: [
      [
        // biome-ignore lint/suspicious/noTemplateCurlyInString: the source has it
        "SET heartbeat_at = clock_timestamp(), lease_until = clock_timestamp() + ${LEASE},",
        // biome-ignore lint/suspicious/noTemplateCurlyInString: the source has it
        "SET heartbeat_at = clock_timestamp(), lease_until = to_timestamp($5::float8 / 1000) + ${LEASE},",
      ],
      [
        "session.run(renew, [number, leases, deliveredLastMinute, isDrained])",
        "session.run(renew, [number, leases, deliveredLastMinute, isDrained, Date.now()])",
      ],
    ],
    violation: /node ended in error/,
    scenario: "cluster",
    fault: "skew",
    rounds: 3,
    timed: true,
  },
  {
    name: "`recover` for all nodes",
    file: "src/spool/engine/postgres/mail/recovery.ts",
    changes: [
      [
        "epoch = NULL WHERE owner = $1 AND mark IS NULL",
        "epoch = NULL WHERE owner >= least(0::bigint, $1) AND mark IS NULL",
      ],
      [
        "FROM work WHERE owner = $1 AND mark IS NOT NULL",
        "FROM work WHERE owner >= least(0::bigint, $1) AND mark IS NOT NULL",
      ],
    ],
    violation: /recovered in error/,
    scenario: "cluster",
    fault: "end node",
    rounds: 6,
  },
  {
    name: "a submission without an idempotency key is not recognised when it is repeated",
    file: "src/message/submitted/submitted-message.ts",
    changes: [["const derivedKey = messageId === null ?", 'const derivedKey = messageId !== "" ?']],
    violation: /two ids for one message|duplicate for one key/,
    scenario: "submission",
    rounds: 3,
  },
];

const skipOf = ({ scenario }: TorturedBreak): string | false =>
  scenario === "cluster" ? missingPostgresOrTime() : missingTime();

for (const broken of BREAKS) {
  test(`detects: ${broken.name}`, { skip: skipOf(broken) }, async (t) => {
    const { scenario, fault, rounds, timed = false } = broken;
    const args = ["--only", scenario, "--rounds", String(rounds), "--together", String(ROUNDS_TOGETHER)];
    if (fault !== undefined) args.push("--faults", fault);
    if (!timed) args.push("--untimed");
    const tree = compileTree(breakCopy(t, broken, PARTS));
    t.after(() => rmSync(tree, { recursive: true }));
    await bundlePrograms(tree);
    const child = spawn(process.execPath, ["torture/main.js", ...args], {
      cwd: tree,
      stdio: ["ignore", "pipe", "inherit"],
    });
    t.after(() => child.kill("SIGKILL"));
    let output = "";
    child.stdout.on("data", (chunk) => {
      output += chunk;
    });
    const [code] = await once(child, "close");
    assert.equal(code, 1, output);
    assert.match(output, broken.violation);
  });
}
