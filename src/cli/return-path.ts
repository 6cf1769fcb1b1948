/** The command that turns a domain's return path on or off. */
import { recordViews } from "../app/domains/domain-view.ts";
import { inboundWarning, setReturnPath } from "../app/domains/return-path.ts";
import type { CheckContext } from "../domains/check.ts";
import { returnPathRecords } from "../domains/records.ts";
import type { Domain } from "../spool/port/domains.ts";
import { boundDomain } from "./bound-domain.ts";
import { recordLines } from "./check-text.ts";
import { type CommandContext, type CommandResult, commandFor, type Implementation, Refusal } from "./command.ts";
import { senderContext } from "./sender-context.ts";

export const returnPath: Implementation = {
  async run(context, { positionals: [typed = "", state] }) {
    const domain = await boundDomain(context, typed);
    const result = await setReturnPath(context.store, domain, { on: state === "on", nowMs: context.nowMs });
    if (result === "name_too_long") {
      throw new Refusal(`the name ${domain.name} is too long for a return path`);
    }
    if (result === "not_bound") throw new Refusal(`the account ${context.account.name} has no domain ${typed}`);
    return state === "on" ? turnedOn(context, domain, await senderContext(context)) : turnedOff(domain);
  },
};

function turnedOn(context: CommandContext, domain: Domain, sender: CheckContext): CommandResult {
  const records = returnPathRecords(domain, sender);
  const warning = inboundWarning(context.config);
  const text = [
    ...(warning === null ? [] : [`warning: ${warning}`, ""]),
    `Publish these records, then run: ${commandFor(context, `domains verify ${domain.name}`)}`,
    "Until both are verified, the envelope sender of messages remains their From address.",
    "",
    ...records.map(recordLines),
  ];
  const warnings = warning === null ? {} : { warnings: [warning] };
  const json = { domain: domain.name, return_path: "on", records: recordViews(records), ...warnings };
  return { json, text: text.join("\n") };
}

function turnedOff({ name }: Domain): CommandResult {
  const text = `The return path of ${name} is off. Keep its records for a week: bounces of messages sent until now arrive there.`;
  return { json: { domain: name, return_path: "off", records: [] }, text };
}
