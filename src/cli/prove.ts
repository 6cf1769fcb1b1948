/** `prove`: shows on the host's own disk that mail survives kills. The run is in prove/. */
import { existsSync } from "node:fs";
import { rfc3339 } from "../lib/clock.ts";
import { MINUTE_MS } from "../lib/units.ts";
import { ProveFailure } from "../prove/failure.ts";
import { type Proof, prove } from "../prove/prove.ts";
import {
  type BareContext,
  type CommandResult,
  type Implementation,
  type ParsedArguments,
  pluralize,
  Refusal,
  UsageError,
} from "./command.ts";
import { resultCell } from "./result-cell.ts";
import { table } from "./table.ts";

const MINUTES = "5";
const MINUTES_MAX = 60;
/** Ids that the text names; `--json` has all. */
const IDS_SHOWN_MAX = 5;

const POWER_CUT =
  "A kill leaves what the kernel has in memory, so kills do not show what a power cut would lose. The time of an fsync is only a hint at that.";
const OTHER_DATABASE =
  "This was the built-in spool. The messages of your service are in PostgreSQL (DATABASE_URL): run pg_test_fsync on the host of that.";

async function runProof({ config, untilStopped, progress }: BareContext, { options }: ParsedArguments) {
  const runMs = minutesOf(options.minutes) * MINUTE_MS;
  const dir = dirOf(options.dir) ?? config.dataDir;
  const startedAtMs = Date.now();
  try {
    const proof = await prove({ dir, runMs, signal: untilStopped(), progress });
    return resultOf(proof, { startedAtMs, hasOtherDatabase: config.databaseUrl !== null });
  } catch (error) {
    throw error instanceof ProveFailure ? new Refusal(error.message) : error;
  } finally {
    progress("");
  }
}

function minutesOf(text: string | boolean | undefined): number {
  const minutes = Number(text ?? MINUTES);
  if (minutes > 0 && minutes <= MINUTES_MAX) return minutes;
  throw new UsageError(`--minutes ${text}: it must be a number above 0, and at most ${MINUTES_MAX}`);
}

function dirOf(dir: string | boolean | undefined): string | null {
  if (typeof dir !== "string") return null;
  if (dir !== "" && existsSync(dir)) return dir;
  throw new UsageError(`--dir ${dir}: there is no such directory`);
}

interface About {
  startedAtMs: number;
  hasOtherDatabase: boolean;
}

/** What is printed of a proof, and whether it failed. */
export function resultOf(proof: Proof, about: About): CommandResult {
  const failure = failureOf(proof);
  const result = { json: jsonOf(proof, { ...about, failure }), text: textOf(proof, about) };
  return failure === null ? result : { ...result, failure };
}

function failureOf({ lost, doubled, disk }: Proof): string | null {
  const faults = [
    ...(lost.length === 0 ? [] : [`${pluralize(lost.length, "message")} lost`]),
    ...(doubled.length === 0 ? [] : [`${pluralize(doubled.length, "message")} doubled`]),
    ...(disk.keeps === "no" ? ["the disk does not keep what it acknowledges"] : []),
  ];
  return faults.length === 0 ? null : faults.join("; ");
}

function textOf({ answersMs, disk, ...proof }: Proof, { hasOtherDatabase }: About): string {
  const { lost, doubled } = proof;
  const ids = (list: readonly string[]): string =>
    list.length > IDS_SHOWN_MAX ? `${list.slice(0, IDS_SHOWN_MAX).join(", ")}, …` : list.join(", ");
  const rows = [
    ["", "accepted", `${proof.accepted} messages; the 202 took ${answersMs.p50} ms (p50), ${answersMs.p99} ms (p99)`],
    ["", "delivered", String(proof.delivered)],
    ["", "unknown", `${proof.unknown}, killed between the final dot and its record; not sent again`],
    ...(proof.pending === 0 ? [] : [[resultCell("warning"), "pending", `${proof.pending}, not delivered in a minute`]]),
    [resultCell(lost.length === 0 ? "ok" : "problem"), "lost", [lost.length, ...lossLines(lost, ids)].join("; ")],
    [
      resultCell(doubled.length === 0 ? "ok" : "problem"),
      "doubled",
      [doubled.length, ...(doubled.length === 0 ? [] : [ids(doubled.flatMap((each) => each.ids))])].join("; "),
    ],
    ["", "commits", `${Math.round(disk.syncedPerSecond)} a second, each a write of 4 KiB and an fsync`],
    [resultCell(DISK_STATES[disk.keeps]), "disk", disk.hints.join(" ")],
  ];
  const kills = `${pluralize(proof.kills, "kill")} in ${proof.runMs / MINUTE_MS} min, on ${proof.place} (${proof.fileSystem})`;
  return [kills, table(null, rows, ""), POWER_CUT, ...(hasOtherDatabase ? [OTHER_DATABASE] : [])].join("\n");
}

const DISK_STATES = { plausible: "ok", unclear: "unclear", no: "problem" } as const;

/** Ids by reason. */
function lossLines(lost: Proof["lost"], ids: (list: readonly string[]) => string): string[] {
  const reasons = [...new Set(lost.map(({ reason }) => reason))];
  return reasons.map(
    (reason) => `${reason}: ${ids(lost.filter((each) => each.reason === reason).map(({ id }) => id))}`,
  );
}

function jsonOf(proof: Proof, { startedAtMs, hasOtherDatabase, failure }: About & { failure: string | null }) {
  const { disk } = proof;
  return {
    passed: failure === null,
    failure,
    started_at: rfc3339(startedAtMs),
    minutes: proof.runMs / MINUTE_MS,
    kills: proof.kills,
    accepted: proof.accepted,
    delivered: proof.delivered,
    unknown: proof.unknown,
    pending: proof.pending,
    lost: proof.lost,
    doubled: proof.doubled.map(({ ids, arrivals }) => ({ ids, arrivals })),
    accepted_ms: proof.answersMs,
    disk: {
      directory: proof.place,
      file_system: proof.fileSystem,
      fsync_us: Math.round(disk.fsyncUs * 10) / 10,
      commits_per_second: Math.round(disk.syncedPerSecond),
      keeps_acknowledged: disk.keeps,
      hints: disk.hints,
    },
    notes: [POWER_CUT, ...(hasOtherDatabase ? [OTHER_DATABASE] : [])],
  };
}

export const proveCommand: Implementation = {
  neverOpensSpool: true,
  run: runProof,
  runWithoutSpool: runProof,
};
