/**
 * Looks up the reverse name of an address and confirms it by its address records (FCrDNS, RFC 8601 §2.7.3). Delivery and the
 * doctor decide how an address without one is used.
 */
import { isSameAddress } from "../lib/ip-address.ts";
import type { Resolver } from "./resolver.ts";

export type ReverseName =
  | { type: "confirmed"; name: string }
  /** The address has no PTR record. */
  | { type: "unnamed" }
  /** The address has names, and none of them resolves back to it. */
  | { type: "unconfirmed"; names: string[] }
  /** `name`: the failed lookup, of the address itself or of its names. */
  | { type: "failure"; name: string; code: string };

/** The number of names to confirm: an address may have any number. */
const NAMES_MAX = 10;

/** Never rejects. */
export async function lookUpReverseName(ip: string, resolver: Resolver): Promise<ReverseName> {
  const ptr = await resolver.ptr(ip);
  if (ptr.type === "failure") return { type: "failure", name: ip, code: ptr.code };
  if (ptr.type !== "found") return { type: "unnamed" };
  const names = ptr.records.slice(0, NAMES_MAX);
  const results = await Promise.all(names.map((name) => lookUpAddresses(name, resolver)));
  const confirmed =
    names[results.findIndex(({ addresses }) => addresses.some((address) => isSameAddress(address, ip)))];
  if (confirmed !== undefined) return { type: "confirmed", name: confirmed };
  const code = results.find(({ failureCode }) => failureCode !== null)?.failureCode;
  return code == null ? { type: "unconfirmed", names } : { type: "failure", name: names.join(", "), code };
}

export interface ForwardAddresses {
  addresses: string[];
  /** The code of a failed lookup: there may be more addresses than these. Null without a failure. */
  failureCode: string | null;
}

/** The addresses of a name, of both families. Never rejects. */
export async function lookUpAddresses(name: string, resolver: Resolver): Promise<ForwardAddresses> {
  const answers = await Promise.all([resolver.a(name), resolver.aaaa(name)]);
  const addresses = answers.flatMap((answer) => (answer.type === "found" ? answer.records : []));
  return { addresses, failureCode: answers.find((answer) => answer.type === "failure")?.code ?? null };
}
