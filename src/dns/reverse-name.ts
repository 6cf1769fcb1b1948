/**
 * The reverse name of an address, confirmed by its own address records (FCrDNS, RFC 8601 §2.7.3). What an address without
 * one may be used for is decided by the delivery and the doctor.
 */
import { isSameAddress } from "../lib/ip-address.ts";
import type { Resolver } from "./resolver.ts";

export type ReverseName =
  | { type: "confirmed"; name: string }
  /** It has no PTR record. */
  | { type: "unnamed" }
  /** It has names, and none of them leads back to it. */
  | { type: "unconfirmed"; names: string[] }
  /** `name`: what could not be looked up, the address itself or what it is called. */
  | { type: "failure"; name: string; code: string };

/** An address may have any number of names. */
const NAMES_MAX = 10;

/** Never rejects. */
export async function lookUpReverseName(ip: string, resolver: Resolver): Promise<ReverseName> {
  const ptr = await resolver.ptr(ip);
  if (ptr.type === "failure") return { type: "failure", name: ip, code: ptr.code };
  if (ptr.type !== "found") return { type: "unnamed" };
  const names = ptr.records.slice(0, NAMES_MAX);
  const seen = await Promise.all(names.map((name) => lookUpAddresses(name, resolver)));
  const confirmed = names[seen.findIndex(({ addresses }) => addresses.some((address) => isSameAddress(address, ip)))];
  if (confirmed !== undefined) return { type: "confirmed", name: confirmed };
  const code = seen.find(({ failureCode: trouble }) => trouble !== null)?.failureCode;
  return code == null ? { type: "unconfirmed", names } : { type: "failure", name: names.join(", "), code };
}

export interface ForwardAddresses {
  addresses: string[];
  /** The code of a question that got no answer: there may be more addresses than these. */
  failureCode: string | null;
}

/** Both families. Never rejects. */
export async function lookUpAddresses(name: string, resolver: Resolver): Promise<ForwardAddresses> {
  const answers = await Promise.all([resolver.a(name), resolver.aaaa(name)]);
  const addresses = answers.flatMap((answer) => (answer.type === "found" ? answer.records : []));
  return { addresses, failureCode: answers.find((answer) => answer.type === "failure")?.code ?? null };
}
