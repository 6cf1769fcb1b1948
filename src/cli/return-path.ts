/** The command that turns a domain's return path on or off, and how the commands of domains show one. */
import { inboundWarning, setReturnPath } from "../app/return-path.ts";
import type { CheckContext } from "../domains/check.ts";
import { gracePeriodEndMs } from "../domains/grace-period.ts";
import { returnPathRecords } from "../domains/records.ts";
import { rfc3339 } from "../lib/clock.ts";
import { type Domain, RETURN_PATH_CHECK_NAMES } from "../spool/port/domains.ts";
import type { ReturnPath } from "../spool/port/return-paths.ts";
import { checkJson, checkLine, publishedRecords, recordLines, stateWord } from "./check-text.ts";
import { type Command, type CommandContext, type CommandResult, Refusal, UsageError } from "./command.ts";

export interface ReturnPathParts {
  boundDomain: (context: CommandContext, typed: string) => Promise<Domain>;
  checkContext: (context: CommandContext) => Promise<CheckContext>;
}

export function returnPathCommand({ boundDomain, checkContext }: ReturnPathParts): Command {
  return {
    usage: "domains return-path NAME on|off",
    summary: "have bounces of the domain sent to the service, and print the DNS records to publish",
    async run(context, { positionals: [typed = "", state] }) {
      if (state !== "on" && state !== "off") throw new UsageError(`'${state}' is neither on nor off`);
      const domain = await boundDomain(context, typed);
      const result = await setReturnPath(context.store, domain, { on: state === "on", nowMs: context.nowMs });
      if (result === "name_too_long") {
        throw new Refusal(`the name ${domain.name} is too long for a return path`);
      }
      if (result === "not_bound") throw new Refusal(`the account ${context.account.name} has no domain ${typed}`);
      return state === "on" ? turnedOn(context, domain, await checkContext(context)) : turnedOff(domain);
    },
  };
}

function turnedOn({ config }: CommandContext, domain: Domain, sender: CheckContext): CommandResult {
  const records = returnPathRecords(domain, sender);
  const warning = inboundWarning(config);
  const text = [
    ...(warning === null ? [] : [`warning: ${warning}`, ""]),
    `Publish these records, then run: domains verify ${domain.name}`,
    "Until both are verified, the envelope sender of messages remains their From address.",
    "",
    ...records.map(recordLines),
  ];
  const warnings = warning === null ? {} : { warnings: [warning] };
  const json = { domain: domain.name, return_path: "on", records: publishedRecords(records), ...warnings };
  return { json, text: text.join("\n") };
}

function turnedOff({ name }: Domain): CommandResult {
  const text = `The return path of ${name} is off. Keep its records for a week: bounces of messages sent until now arrive there.`;
  return { json: { domain: name, return_path: "off", records: [] }, text };
}

/** The return path in the JSON of `domains verify`; null if it is off. */
export function returnPathJson(path: ReturnPath | null) {
  if (path === null) return null;
  const checks = RETURN_PATH_CHECK_NAMES.map((name) => [name, checkJson(path.checks[name])]);
  return { active: path.active, checks: Object.fromEntries(checks) };
}

/** As returnPathJson, for `domains list`: the states of the checks alone. */
export function returnPathStates(path: ReturnPath | null) {
  if (path === null) return null;
  const states = RETURN_PATH_CHECK_NAMES.map((name) => [name, path.checks[name].state]);
  return { active: path.active, checks: Object.fromEntries(states) };
}

/** The lines of `domains verify` about the return path; none if it is off. */
export function returnPathLines(path: ReturnPath | null): string[] {
  if (path === null) return [];
  const lines = RETURN_PATH_CHECK_NAMES.map((name) => checkLine(name, path.checks[name]));
  const { domain, active } = path;
  if (!active) {
    return [
      ...lines,
      `The return path of ${domain} is not active: the envelope sender of messages is their From address.`,
    ];
  }
  return [...lines, `The return path of ${domain} is ${[ACTIVE, ...failingChecks(path)].join(": ")}.`];
}

const ACTIVE = "active";

/** The cell of `domains list`. */
export function returnPathText(path: ReturnPath | null): string {
  if (path === null) return "off";
  if (path.active) return [ACTIVE, ...failingChecks(path)].join(": ");
  const states = RETURN_PATH_CHECK_NAMES.map((name) => `${name} ${stateWord(path.checks[name])}`);
  return `not active: ${states.join(", ")}`;
}

/** The checks in their grace period, as one text; none if no check fails. */
function failingChecks({ checks }: ReturnPath): string[] {
  const failing = RETURN_PATH_CHECK_NAMES.flatMap((name) => {
    const endMs = gracePeriodEndMs(checks[name]);
    return endMs === null ? [] : [`${name} failed (counts until ${rfc3339(endMs)})`];
  });
  return failing.length === 0 ? [] : [failing.join(", ")];
}
