/**
 * Evaluates DMARC for a message (RFC 9989 §4.4, §4.10.2, §5.3): whether a domain that SPF or DKIM has authenticated is aligned with
 * that of From. Who has authenticated them is the caller's concern.
 */
import type { Resolver } from "../dns/resolver.ts";
import { discoverPolicy } from "./discovery.ts";
import type { Policy } from "./record.ts";
import { organisationalDomain, walkTree } from "./tree-walk.ts";

/** Domains as A-labels, lower case. */
export interface Authenticated {
  /** Of From. */
  author: string;
  /** Of the signatures that verified. */
  dkim: string[];
  /** Of MAIL FROM where SPF passed. */
  spf: string[];
}

export interface DmarcResult {
  result: "pass" | "fail" | "none" | "temperror";
  /** What the record asks receivers to apply to a message that fails; null without a record that applies. */
  policy: Policy | null;
  /** The domain of the record; that of From without one. */
  domain: string;
  aligned: { dkim: string[]; spf: string[] };
  comment: string | null;
}

/** Identifiers that are compared, so that a message cannot ask for any number of walks. */
const IDENTIFIERS_MAX = 10;

/** Never rejects. */
export async function evaluateDmarc(
  { author, dkim, spf }: Authenticated,
  resolver: Pick<Resolver, "txt" | "mx">,
): Promise<DmarcResult> {
  const found = await discoverPolicy(author, resolver);
  const none = { policy: null, domain: author, aligned: { dkim: [], spf: [] } };
  if (found.type === "failure") {
    return { ...none, result: "temperror", comment: `_dmarc.${found.domain}: ${found.code}` };
  }
  if (found.type === "none" || found.applied === null) return { ...none, result: "none", comment: null };
  const { record, owner, applied, requested, tag } = found;
  const organisations = new Organisations(resolver);
  const aligned = {
    dkim: await organisations.aligned(author, dkim, record.strictDkim),
    spf: await organisations.aligned(author, spf, record.strictSpf),
  };
  const isAligned = aligned.dkim.length + aligned.spf.length > 0;
  const comment = `${tag}=${requested}${record.isTest ? " t=y" : ""}`;
  return { result: isAligned ? "pass" : "fail", policy: applied, domain: owner, aligned, comment };
}

/** Organisational domains, each looked up once. */
class Organisations {
  readonly #resolver: Pick<Resolver, "txt">;
  readonly #known = new Map<string, Promise<string>>();

  constructor(resolver: Pick<Resolver, "txt">) {
    this.#resolver = resolver;
  }

  /** Those of the domains that are aligned with the author's: the same one, or unless `strict` one of the same organisation. */
  async aligned(author: string, domains: string[], strict: boolean): Promise<string[]> {
    const aligned: string[] = [];
    for (const domain of domains.slice(0, IDENTIFIERS_MAX)) {
      if (domain === author || (!strict && (await this.#areOne(author, domain)))) aligned.push(domain);
    }
    return aligned;
  }

  async #areOne(one: string, other: string): Promise<boolean> {
    return (await this.#organisationOf(one)) === (await this.#organisationOf(other));
  }

  #organisationOf(domain: string): Promise<string> {
    const known = this.#known.get(domain);
    if (known !== undefined) return known;
    // After a failed query the steps up to it decide: a wrong answer can only deny alignment that a later try finds.
    const found = walkTree(domain, this.#resolver).then(({ steps }) => organisationalDomain(domain, steps));
    this.#known.set(domain, found);
    return found;
  }
}
