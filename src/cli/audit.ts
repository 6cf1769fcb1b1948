/** `audit list`: the audit trail of an account, or of all accounts and the installation. */
import { auditView, type ListedEntry, listAudit } from "../app/audit/list-audit.ts";
import { rfc3339 } from "../lib/clock.ts";
import { AUDIT_LISTED_MAX, type AuditEntry } from "../spool/port/audit.ts";
import { type CommandContext, type Implementation, type ParsedArguments, Refusal, UsageError } from "./command.ts";
import { parseSince } from "./since.ts";
import { table } from "./table.ts";

const LIMIT_DEFAULT = 50;
export const LIMIT_MAX = 1000;

export const listAuditCommand: Implementation = {
  async run(context, { options }) {
    const isAll = options["all-accounts"] === true;
    if (isAll && options.account !== undefined) throw new UsageError("--all-accounts and --account exclude each other");
    if (isAll && !context.mayOperate) throw new Refusal("--all-accounts is for operators");
    const limit = limitOf(options);
    const { entries, isMore } = await findAll(context, options, { isAll, limit });
    const more = isMore ? `\nOnly the newest ${limit} are shown: --limit shows up to ${LIMIT_MAX}.` : "";
    const heading = ["TIME", "BY", "FROM", "ACTION", "TARGET", "CHANGE", ...(isAll ? ["ACCOUNT"] : [])];
    const rows = entries.map((entry) => [...rowOf(entry), ...(isAll ? [accountOf(entry)] : [])]);
    return { json: entries.map(auditView), text: table(heading, rows, "No entries.") + more };
  },
};

async function findAll(
  { store, account, nowMs }: CommandContext,
  { action, by, since }: ParsedArguments["options"],
  { isAll, limit }: { isAll: boolean; limit: number },
): Promise<{ entries: ListedEntry[]; isMore: boolean }> {
  const filter = {
    accountId: isAll ? null : account.id,
    ...(typeof action === "string" ? { action } : {}),
    ...(typeof by === "string" ? { by } : {}),
    ...(typeof since === "string" ? { sinceMs: parseSince(since, nowMs) } : {}),
  };
  const entries: ListedEntry[] = [];
  for (let after: string | null = null; ; ) {
    const page = await listAudit(store, {
      ...filter,
      after,
      limit: Math.min(AUDIT_LISTED_MAX, limit - entries.length),
    });
    entries.push(...page.entries);
    after = page.next;
    if (after === null || entries.length >= limit) return { entries, isMore: after !== null };
  }
}

/** The value of --limit: 50 unless given. Throws UsageError. */
export function limitOf({ limit = String(LIMIT_DEFAULT) }: ParsedArguments["options"]): number {
  const number = /^\d{1,9}$/.test(String(limit)) ? Number(limit) : 0;
  if (number >= 1 && number <= LIMIT_MAX) return number;
  throw new UsageError(`--limit '${limit}' is not a whole number from 1 to ${LIMIT_MAX}`);
}

function rowOf({ atMs, actor, action, target, ...fields }: ListedEntry): string[] {
  const by = actor.name ?? "visitor";
  return [
    rfc3339(atMs),
    actor.kind === "key" ? `${by} (${actor.id})` : by,
    actor.ip ?? "",
    action,
    `${target.kind} ${target.name ?? target.id ?? ""}`.trim(),
    changeText(fields),
  ];
}

const accountOf = ({ account, accountId }: ListedEntry): string => account ?? accountId ?? "";

/** Such as `role owner → viewer`. */
function changeText({ before, after }: Pick<AuditEntry, "before" | "after">): string {
  const names = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])];
  return names
    .map((name) => {
      const [old, now] = [before?.[name], after?.[name]].map((value) => (value === undefined ? null : textOf(value)));
      if (old === null) return `${name} ${now}`;
      return now === null ? `${name} was ${old}` : `${name} ${old} → ${now}`;
    })
    .join("; ");
}

const textOf = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value));
