/** `preflight`: whether large receivers take a session from this host, before anything is configured. The work is in doctor/. */
import { isIP } from "node:net";
import { ownSendingIps } from "../app/domains/sending-addresses.ts";
import { createResolver } from "../dns/stub-resolver.ts";
import {
  type AddressPreflight,
  preflightLimits,
  preflightSummary,
  type ReceiverPreflight,
  runPreflight,
} from "../doctor/preflight.ts";
import { systemClock } from "../lib/clock.ts";
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

/** For one query to one server. */
const QUERY_TIMEOUT_MS = 2500;

async function preflightOf({ config }: BareContext, { options }: ParsedArguments): Promise<CommandResult> {
  const profiles = profilesNamed(options.receiver);
  const given = addressNamed(options.address);
  const end = new AbortController();
  const resolver = createResolver({
    servers: config.dnsServers,
    timeoutMs: QUERY_TIMEOUT_MS,
    tries: 1,
    signal: end.signal,
  });
  try {
    const addresses = given === null ? await ownSendingIps(config, resolver) : [given];
    const { hostname, smtpPort, blocklists, smtpAllowPrivate: allowPrivate } = config;
    const settings = { hostname, smtpPort, blocklists, allowPrivate };
    const results = await runPreflight({ ...settings, addresses, profiles, resolver, clock: systemClock });
    return resultOf(results, options.check === true);
  } finally {
    end.abort();
  }
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
  const summary = preflightSummary(results);
  const limits = preflightLimits(results);
  const json = { addresses: results.map(addressJson), summary, limits };
  const text = [...results.map(addressText), limits, summary].join("\n\n");
  const refusing = results.flatMap(({ receivers }) => receivers.filter(isRefusal)).map(({ profile }) => profile.name);
  if (!isChecked || (refusing.length === 0 && results.every(({ port25 }) => port25 !== "closed")))
    return { json, text };
  const failure =
    refusing.length === 0 ? "no receiver can be reached" : `refused by ${[...new Set(refusing)].join(", ")}`;
  return { json, text, failure };
}

const isRefusal = ({ verdict }: ReceiverPreflight): boolean => verdict === "refused";

function addressJson({ address, ptr, ptrDetail, port25, blocklists, receivers }: AddressPreflight) {
  return {
    address,
    ptr,
    ptr_detail: ptrDetail,
    port_25: port25,
    blocklists,
    receivers: receivers.map(({ profile: { name }, verdict, step, reply, advice, url }) => {
      return { name, verdict, step, reply, advice, url };
    }),
  };
}

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
