/**
 * A return path whose name is an alias (CNAME), as another service may have asked for. The records of its target then stand for
 * its own, and it cannot have others beside it.
 */
import type { Resolver } from "../dns/resolver.ts";

/** The target of the alias; null if the name is none. A failed lookup proves nothing. */
export async function aliasOf(name: string, resolver: Resolver): Promise<string | null> {
  const answer = await resolver.cname(name);
  return answer.type === "found" ? (answer.records[0] ?? null) : null;
}

/** Says what stands in the way, and how to remove it. */
export function explainAlias(name: string, target: string): string {
  return `${name} is an alias (CNAME) of ${target}, and no other record can stand beside a CNAME record (RFC 1034 §3.6.2). Delete the CNAME record first.`;
}
