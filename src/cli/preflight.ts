/** `preflight`: whether large receivers take a session from this server, before anything is configured. The work is in doctor/. */
import { isIP } from "node:net";
import { ownSendingIps } from "../app/domains/sending-addresses.ts";
import { hourlyPreflight } from "../app/reports/hourly-preflight.ts";
import { preflightReport } from "../app/reports/preflight.ts";
import type { Resolver } from "../dns/resolver.ts";
import type { AddressPreflight, PreflightAddress, ReceiverPreflight } from "../doctor/preflight.ts";
import { rfc3339 } from "../lib/clock.ts";
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
  const addressesBy = async (resolver: Resolver): Promise<PreflightAddress[]> =>
    (given === null ? await ownSendingIps(config, resolver) : [given]).map((ip) => ({ ip }));
  const results = await hourlyPreflight(config, profiles, { addressesBy, nowMs: Date.now() });
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
  // An address of a family that none of them has is not tried.
  const tried = results.filter(({ receivers }) => receivers.some(({ verdict }) => verdict !== "not_tried"));
  const isReached =
    tried.length > 0 &&
    tried.every(({ receivers }) => receivers.some(({ step }) => step !== null && step !== "connect"));
  if (!isChecked || (refusing.length === 0 && isReached)) return { json, text };
  const failure =
    refusing.length === 0 ? "no receiver was reached" : `rejected by ${[...new Set(refusing)].join(", ")}`;
  return { json, text, failure };
}

const isRefusal = ({ verdict }: ReceiverPreflight): boolean => verdict === "refused";

const AGAIN = "A result with a time is of an earlier run: a receiver is tried once an hour at most.";

/** A line for each reason. */
function untriedLines(receivers: readonly ReceiverPreflight[]): string[] {
  const reasons = new Set(receivers.flatMap(({ untried }) => untried ?? []));
  return [...reasons].map((reason) => {
    const names = receivers.filter(({ untried }) => untried === reason).map(({ profile }) => profile.label);
    return `Not tried, because ${reason}: ${names.join(", ")}.`;
  });
}

function addressText({ address, isBound, ptrDetail, blocklists, receivers }: AddressPreflight): string {
  const tried = receivers.filter(({ verdict }) => verdict !== "not_tried");
  const rows = tried.map(({ profile, verdict, step, reply, earlierAtMs }) => [
    profile.label,
    resultCell(verdict),
    step ?? "",
    `${reply ?? ""}${earlierAtMs === undefined ? "" : ` (at ${rfc3339(earlierAtMs)})`}`,
  ]);
  const advice = tried.flatMap(({ profile, advice: what, url }) =>
    what === null ? [] : [`${profile.label}: ${what}${url === null ? "" : ` ${url}`}`],
  );
  const listed = blocklists.filter((each) => each.listed !== false).map(({ detail }) => detail);
  const untried = untriedLines(receivers);
  const bound =
    isBound || address === null
      ? []
      : [
          `This server does not have ${address}: sessions left from what the system chooses, as behind a one-to-one translation.`,
        ];
  const results = table(["RECEIVER", "VERDICT", "STEP", "REPLY"], rows, "No receiver was tried.");
  const again = tried.some(({ earlierAtMs }) => earlierAtMs !== undefined) ? [AGAIN] : [];
  return [ptrDetail, ...bound, ...listed, results, ...again, ...advice, ...untried].join("\n");
}

export const preflight: Implementation = {
  neverOpensSpool: true,
  run: () => Promise.reject(new Error("preflight runs without a spool")),
  runWithoutSpool: preflightOf,
};
