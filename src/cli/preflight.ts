/** `preflight`: whether large receivers take a session from this host, before anything is configured. The work is in doctor/. */
import { isIP } from "node:net";
import { ownSendingIps } from "../app/domains/sending-addresses.ts";
import { preflightReport } from "../app/reports/preflight.ts";
import { configuredPreflight } from "../doctor/configured-preflight.ts";
import type { AddressPreflight, ReceiverPreflight } from "../doctor/preflight.ts";
import { PROFILES, type ReceiverProfile } from "../receivers/profiles.ts";
import {
  type BareContext,
  type CommandResult,
  type Implementation,
  type ParsedArguments,
  UsageError,
} from "./command.ts";
import { resultCell } from "./result-cell.ts";
import { table } from "./table.ts";

async function preflightOf({ config }: BareContext, { options }: ParsedArguments): Promise<CommandResult> {
  const profiles = profilesNamed(options.receiver);
  const given = addressNamed(options.address);
  const results = await configuredPreflight(config, profiles, async (resolver) =>
    (given === null ? await ownSendingIps(config, resolver) : [given]).map((ip) => ({ ip })),
  );
  return resultOf(results, options.check === true);
}

function profilesNamed(name: string | boolean | undefined): readonly ReceiverProfile[] {
  if (typeof name !== "string") return PROFILES;
  const found = PROFILES.filter((profile) => profile.name === name);
  if (found.length > 0) return found;
  throw new UsageError(`no receiver is named ${name}; there are ${PROFILES.map((profile) => profile.name).join(", ")}`);
}

function addressNamed(address: string | boolean | undefined): string | null {
  if (typeof address !== "string") return null;
  if (isIP(address) !== 0) return address;
  throw new UsageError(`--address ${address}: it must be an IP address`);
}

function resultOf(results: AddressPreflight[], isChecked: boolean): CommandResult {
  const json = preflightReport(results);
  const text = [...results.map(addressText), json.limits, json.summary].join("\n\n");
  const refusing = results.flatMap(({ receivers }) => receivers.filter(isRefusal)).map(({ profile }) => profile.name);
  if (!isChecked || (refusing.length === 0 && results.every(({ port25 }) => port25 !== "closed")))
    return { json, text };
  const failure =
    refusing.length === 0 ? "no receiver can be reached" : `refused by ${[...new Set(refusing)].join(", ")}`;
  return { json, text, failure };
}

const isRefusal = ({ verdict }: ReceiverPreflight): boolean => verdict === "refused";

function addressText({ ptrDetail, blocklists, receivers }: AddressPreflight): string {
  const tried = receivers.filter(({ verdict }) => verdict !== "not_tried");
  const rows = tried.map(({ profile, verdict, step, reply }) => [
    profile.label,
    resultCell(verdict),
    step ?? "",
    reply ?? "",
  ]);
  const advice = tried.flatMap(({ profile, advice: what, url }) =>
    what === null ? [] : [`${profile.label}: ${what}${url === null ? "" : ` ${url}`}`],
  );
  const listed = blocklists.filter((each) => each.listed !== false).map(({ detail }) => detail);
  const names = receivers.filter(({ verdict }) => verdict === "not_tried").map(({ profile }) => profile.label);
  const untried = names.length === 0 ? [] : [`Not tried: ${names.join(", ")}.`];
  const results = table(["RECEIVER", "VERDICT", "STEP", "REPLY"], rows, "No receiver was tried.");
  return [ptrDetail, ...listed, results, ...advice, ...untried].join("\n");
}

export const preflight: Implementation = {
  neverOpensSpool: true,
  run: () => Promise.reject(new Error("preflight runs without a spool")),
  runWithoutSpool: preflightOf,
};
