/** Mutation test of the simulator: it detects each deliberately broken copy of the project within 300 seeds. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { test } from "node:test";
import { type Break, bundleBroken } from "../support/broken-copy.ts";

const SEEDS_MAX = "300";

interface SimulatedBreak extends Break {
  /** The first seed, 1 if absent. Where the ones before it take long and detect nothing, it is the one that detected the copy last. */
  from?: number;
  /** Each so many seeds from there, 1 if absent: those of one kind of run (simulate/focus.ts and others). */
  every?: number;
}

const BREAKS: SimulatedBreak[] = [
  {
    name: "no mark before the final dot",
    file: "src/delivery/smtp/transaction.ts",
    changes: [["    await outgoing.beforeDot(results.accepted);\n", ""]],
    violation: /silent duplicate|failed although delivered/,
    from: 4,
  },
  {
    name: "the final dot does not wait for the mark",
    file: "src/delivery/smtp/transaction.ts",
    changes: [
      [
        "    await outgoing.beforeDot(results.accepted);\n",
        "    outgoing.beforeDot(results.accepted).catch(() => {});\n",
      ],
    ],
    violation: /silent duplicate|failed although delivered/,
    from: 11,
  },
  {
    name: "synchronous=OFF",
    file: "src/spool/engine/sqlite/connection/database.ts",
    changes: [["synchronous = FULL", "synchronous = OFF"]],
    violation: /lost|delivered but not in the spool|silent duplicate|failed although delivered/,
    from: 2,
  },
  {
    name: "the idempotency record is written in a second transaction",
    file: "src/spool/engine/sqlite/mail/acceptance.ts",
    changes: [
      ["    if (m.idempotency !== null) this.#remember(m, m.idempotency);\n", ""],
      [
        "      committed: () => {\n",
        `      committed: () => {
        if (m.idempotency !== null) this.#remember(m, m.idempotency);
`,
      ],
    ],
    violation: /duplicate for one key/,
    from: 7,
  },
  {
    name: "marked recipients are retried after a crash",
    file: "src/spool/engine/sqlite/mail/recovery.ts",
    changes: [
      [
        "    const marked = this.marked().filter((key) => !leases.isLive(key) && !this.#unrecoverable.has(key.seq));\n",
        "    this.#marked.database.exec(`UPDATE work SET due_ms = 0, mark = NULL`);\n    const marked: RecipientKey[] = [];\n",
      ],
    ],
    violation: /silent duplicate|failed although delivered/,
    from: 4,
  },
  {
    name: "another host is tried after a connection lost after the final dot",
    file: "src/delivery/verdict.ts",
    changes: [
      [
        'return result.stage === "final_dot" && dotSent',
        'return result.stage === "final_dot" && dotSent && result.type !== "lost"',
      ],
    ],
    violation: /silent duplicate|failed although delivered/,
    from: 47,
  },
  {
    name: "a stop treats recipients after the final dot as not sent",
    file: "src/delivery/dispatch/address-attempt.ts",
    changes: [["isAfterDot ? interruptedAfterDot : interruptedBeforeDot", "interruptedBeforeDot"]],
    violation: /silent duplicate|failed although delivered/,
    from: 118,
  },
  {
    name: "a result that cannot be stored is dropped",
    file: "src/delivery/dispatch/job-runner.ts",
    changes: [
      [
        "        await new Promise<void>((resolve) => void clock.after(SPOOL_RETRY_MS, resolve));\n",
        "        return;\n",
      ],
    ],
    violation: /not final|a stop left/,
    from: 18,
  },
  {
    name: "a damaged message fails the whole claim",
    file: "src/spool/engine/sqlite/mail/claims.ts",
    changes: [
      [
        "      if (!isDamage(error)) throw error;\n      this.#parts.quarantine",
        "      throw error;\n      this.#parts.quarantine",
      ],
    ],
    violation: /unhandled rejection|not final/,
    from: 37,
  },
  {
    name: "damaged content is sent",
    file: "src/spool/engine/sqlite/files/soundness.ts",
    changes: [["crc !== null && contentChecksum(stored, row) !== crc", "crc === -1"]],
    violation: /content changed/,
    from: 8,
    every: 25,
  },
  {
    name: "a damaged later part of a content is sent",
    file: "src/spool/engine/sqlite/files/soundness.ts",
    changes: [["partChecksum(content, { messageId, part }) !== crc", "crc === -1"]],
    violation: /content changed/,
    from: 258,
    every: 25,
  },
  {
    name: "the parts of an accepted content stay listed for removal",
    file: "src/spool/engine/sqlite/mail/content-parts.ts",
    changes: [["const { changes } = this.#statements.unlist.run(number);", "const changes: number = 1;"]],
    violation: /parts missing|parts both stored and listed for removal|content changed/,
  },
  {
    name: "the quarantine of a damaged message is not stored",
    file: "src/spool/engine/sqlite/quarantine/quarantine.ts",
    changes: [["      this.#store(suspects);\n", ""]],
    violation: /not final/,
    from: 6,
  },
  {
    name: "a repaired message is not released from quarantine",
    file: "src/spool/engine/sqlite/quarantine/quarantine-check.ts",
    changes: [["        sound.push(seq);\n", ""]],
    violation: /still quarantined/,
    from: 63,
  },
  {
    name: "the lease of a damaged message does not end",
    file: "src/delivery/dispatch/job-runner.ts",
    changes: [["    if (undecided.length > 0) await this.#releaseUndecided({ ...job, recipients: undecided });\n", ""]],
    violation: /not final/,
    // Contents are damaged while their messages wait for another attempt.
    from: 508,
    every: 25,
  },
  {
    name: "the dispatcher sleeps until the next due time without a limit",
    file: "src/delivery/dispatch/dispatcher.ts",
    changes: [["Math.min(dueMs - clock.now(), SLEEP_MAX_MS)", "dueMs - clock.now()"]],
    violation: /not final/,
    from: 20,
  },
  {
    name: "probes of a dead host follow the wall clock",
    file: "src/service/delivery-parts.ts",
    changes: [["new HostHealth(clock)", "new HostHealth({ ...clock, monotonicMs: () => clock.now() })"]],
    violation: /deferred without a fault|not final/,
    from: 42,
    every: 25,
  },
  {
    name: "pending attempts are not moved when the clock is set back",
    file: "src/app/installation/clock-watch.ts",
    changes: [["    onStep(stepMs);\n", ""]],
    violation: /not final/,
    from: 42,
    every: 25,
  },
  {
    name: "retention stops at the first recent message",
    file: "src/spool/engine/sqlite/mail/retention.ts",
    changes: [["createdAtMs >= beforeMs && createdAtMs <= nowMs", "createdAtMs >= beforeMs"]],
    violation: /content not deleted/,
    from: 38,
  },
  {
    name: "the deadline is not checked after the DNS lookup and the wait for a slot",
    file: "src/delivery/dispatch/job-runner.ts",
    changes: [
      ["if (shutdown.hasBegun || this.#isPastDeadline(job)) {", "if (shutdown.hasBegun) {"],
      ["const isLate = this.#isPastDeadline(job);", "const isLate = false;"],
    ],
    violation: /attempt after the deadline/,
    from: 334,
    every: 25,
  },
  {
    name: "retry gaps ignore the deadline",
    file: "src/delivery/dispatch/retry-decision.ts",
    changes: [["    ...deadlineOf(job),\n", ""]],
    violation: /not retried with/,
    from: 6,
  },
  {
    name: "a 5xx about our own records fails the recipient",
    file: "src/delivery/verdict.ts",
    changes: [
      [
        "  if (reason !== null) return deferred(reason, ",
        "  if (reason !== null && !isPermanent) return deferred(reason, ",
      ],
    ],
    violation: /failed without a cause|not delivered for a refusal of us/,
    from: 13,
    every: 40,
  },
  {
    name: "a pause that a second message ignores",
    file: "src/delivery/throttle/window-state.ts",
    changes: [["return waitLeftMs(closure, nowMs) > 0 ? active : active + 1;", "return active + 1;"]],
    violation: /attempt within a pause/,
    from: 26,
    every: 40,
  },
  {
    name: "a block of our address fails the recipient",
    file: "src/delivery/verdict.ts",
    changes: [["  sending_address: SENDING_ADDRESS_BLOCKED,\n", ""]],
    violation: /failed for our address/,
    from: 26,
    every: 40,
  },
  {
    name: "a paused sending domain is never probed",
    file: "src/delivery/throttle/sender-pauses.ts",
    changes: [["if (nowMs < refused.probeAtMs) return", "if (nowMs >= 0) return"]],
    violation: /deferred without a fault|not final|not delivered for a refusal of us/,
    from: 13,
    every: 40,
  },
  {
    name: "every reply except 421 widens the congestion window",
    file: "src/delivery/throttle/load-signal.ts",
    changes: [
      [
        "  const classification = classifyReply(reply, stage);\n",
        '  if (code !== 421) return "accepted";\n  const classification = classifyReply(reply, stage);\n',
      ],
      ['if (stage === "greeting" || stage === "ehlo") return "refused";', ""],
    ],
    violation: /too many attempts at a rate limit/,
    from: 150,
    every: 25,
  },
  {
    name: "a destination that refuses everything stays open",
    file: "src/delivery/throttle/window-state.ts",
    changes: [
      [
        "if (closure === null && refusals < REFUSALS_UNTIL_CLOSED && !pause.atOnce) return;",
        "if (closure === null) return;",
      ],
    ],
    violation: /too many attempts at a rate limit/,
    from: 150,
    every: 25,
  },
  {
    name: "an attempt that waits stays in its account's fair share",
    file: "src/delivery/throttle/attempt-lanes.ts",
    changes: [['      if (this.#late < LATE_MAX) this.#move(attempt, "late");\n', ""]],
    violation: /waits for slow hosts/,
    from: 424,
    every: 50,
  },
  {
    name: "fresh mail waits like all other first contacts",
    file: "src/spool/scheduler/fair-scheduler.ts",
    changes: [["queue.account.fresh.add(domain, acceptedMs);", "{}"]],
    violation: /live mail to (known|new) domains waits for slow hosts/,
    from: 74,
    every: 50,
  },
  {
    name: "an attempt tries every mail exchanger",
    file: "src/delivery/routing/route.ts",
    changes: [["  if (hosts.length <= HOSTS_MAX) return hosts;\n", "  if (hosts.length > 0) return hosts;\n"]],
    violation: /stored attempt too large/,
    from: 22,
  },
  {
    name: "events of messages are written after the commit",
    file: "src/spool/engine/sqlite/mail/acceptance.ts",
    changes: [
      ["    this.#parts.events.addAccepted(seq, m);\n", ""],
      [
        "      committed: () => {\n",
        `      committed: () => {
        this.#parts.events.addAccepted(seq, m);
`,
      ],
    ],
    violation: /no message\.accepted first|sequences of row/,
    from: 16,
  },
  {
    name: "events of recipients are written after the commit",
    file: "src/spool/engine/sqlite/mail/event-writer.ts",
    changes: [
      [
        "    return this.#write(recipient.accountId, () => this.#addRecipient(recipient, event));\n",
        `    this.#late.push(() => this.#write(recipient.accountId, () => this.#addRecipient(recipient, event)));
    return true;
`,
      ],
      [
        "  takeAccounts(): string[] {\n",
        `  readonly #late: (() => void)[] = [];
  takeAccounts(): string[] {
    for (const write of this.#late.splice(0)) write();
`,
      ],
    ],
    violation: /events after \d+ changes|no event of|last event of/,
    from: 2,
  },
  {
    name: "events are read in the order of their times",
    file: "src/spool/engine/sqlite/webhooks/event-reads.ts",
    changes: [["AND e.number > ? ORDER BY e.number LIMIT ?", "AND e.number > ? ORDER BY e.at_ms LIMIT ?"]],
    violation: /out of order|never got event|repeated without a cause/,
    from: 38,
  },
  {
    name: "a failed event does not hold back the later ones of its message",
    file: "src/webhooks/event-supply.ts",
    changes: [["    batch.addBlocked(this.#window.block(orderKey));\n", ""]],
    violation: /out of order/,
    from: 4,
  },
  {
    name: "an event that is read before an earlier failure is stored is not held back",
    file: "src/webhooks/event-supply.ts",
    changes: [["this.#window.add(page, (key) => this.#isHeld(key))", "this.#window.add(page, () => false)"]],
    violation: /out of order/,
    from: 37,
  },
  {
    name: "the position is stored before the events are sent",
    file: "src/webhooks/event-window.ts",
    changes: [
      ["return first === undefined ? this.#throughNumber : first.event.number - 1;", "return this.#throughNumber;"],
    ],
    violation: /never got event/,
  },
  {
    name: "a redirect counts as a success",
    file: "src/webhooks/endpoint-sender.ts",
    changes: [
      [
        "const isSent = status !== null && status >= 200 && status < 300;",
        "const isSent = status !== null && status < 400;",
      ],
    ],
    violation: /never got event|is stored as sent/,
    from: 38,
  },
];

const skip = process.env.CI === "true" ? false : "slow: runs with CI=true";

for (const broken of BREAKS) {
  test(`detects: ${broken.name}`, { skip }, async (t) => {
    const from = String(broken.from ?? 1);
    const every = String(broken.every ?? 1);
    const seeds = ["--seeds", SEEDS_MAX, "--from", from, "--every", every, "--stop"];
    const program = await bundleBroken(t, broken, "simulate/main.ts");
    const child = spawn(process.execPath, [program, ...seeds], { stdio: ["ignore", "pipe", "inherit"] });
    t.after(() => child.kill("SIGKILL"));
    let output = "";
    child.stdout.on("data", (chunk) => {
      output += chunk;
    });
    const [code] = await once(child, "close");
    t.diagnostic(output.split("\n")[0] ?? "");
    assert.equal(code, 1, output);
    assert.match(output, broken.violation);
  });
}
