/**
 * The verdicts on a message: DKIM and SPF by mailauth, DMARC on their results by dmarc/, because mailauth finds organisational domains by
 * a list of public suffixes. They do not affect whether the sink accepts the message.
 */

import { authenticate, type DKIMResult } from "mailauth";
import { type DmarcResult, evaluateDmarc } from "../../dmarc/evaluation.ts";
import type { Resolver } from "../../dns/resolver.ts";
import { mailauthResolver } from "../../dns/stub-resolver.ts";
import { domainInAscii } from "../../message/domain-encoding.ts";

interface DkimVerdict {
  result: string;
  domain: string | null;
  selector: string | null;
  /** Whether the signature verifies and its domain is aligned with that of From. */
  aligned: boolean;
  comment: string | null;
}

export interface Verdicts {
  /** The best signature; `signatures` has them all. */
  dkim: DkimVerdict & { signatures: DkimVerdict[] };
  spf: { result: string; domain: string | null; comment: string | null };
  dmarc: { result: string; policy: string | null; domain: string | null; comment: string | null };
}

export interface Received {
  content: Buffer;
  mailFrom: string;
  clientIp: string;
  ehlo: string;
}

/** The sender waits for its reply meanwhile, so unresponsive name servers must not delay it for long. */
const TIMEOUT_MS = 10_000;

/** The verdicts on a message; all "temperror" after an error or a timeout. Never rejects. */
export async function judge(message: Received, resolver: Resolver): Promise<Verdicts> {
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<Verdicts>((resolve) => {
    timer = setTimeout(() => resolve(noVerdicts("no verdict in time")), TIMEOUT_MS);
  });
  try {
    return await Promise.race([authenticated(message, resolver), tooLate]);
  } catch (error) {
    return noVerdicts(error instanceof Error ? error.message : String(error));
  } finally {
    clearTimeout(timer);
  }
}

async function authenticated(message: Received, resolver: Resolver): Promise<Verdicts> {
  const { dkim, spf } = await authenticate(message.content, {
    ip: message.clientIp,
    helo: message.ehlo,
    sender: message.mailFrom,
    mta: "sink",
    disableArc: true,
    disableBimi: true,
    disableDmarc: true,
    resolver: mailauthResolver(resolver),
  });
  const author = authorDomain((dkim as { headerFrom?: string[] }).headerFrom ?? []);
  const signers = dkim.results.flatMap(({ status, signingDomain }) =>
    status.result === "pass" && signingDomain ? [signingDomain.toLowerCase()] : [],
  );
  const sender = spf && spf.status.result === "pass" ? [spf.domain.toLowerCase()] : [];
  const dmarc = author === null ? null : await evaluateDmarc({ author, dkim: signers, spf: sender }, resolver);
  return {
    dkim: dkimVerdict(dkim.results, dmarc?.aligned.dkim ?? []),
    spf: spf
      ? { result: spf.status.result, domain: spf.domain, comment: spf.status.comment ?? null }
      : { result: "none", domain: null, comment: null },
    dmarc: dmarcVerdict(dmarc),
  };
}

/** The domain of From in A-labels; null without exactly one address. */
function authorDomain(addresses: string[]): string | null {
  const [address, ...more] = addresses;
  if (address === undefined || more.length > 0) return null;
  const domain = domainInAscii(address.slice(address.lastIndexOf("@") + 1).trim());
  return domain === "" ? null : domain;
}

function dkimVerdict(results: DKIMResult[], alignedDomains: string[]): Verdicts["dkim"] {
  const signatures = results.map(({ status, signingDomain, selector }) => ({
    result: status.result,
    // mailauth reports no signer for an unsigned message.
    domain: signingDomain ?? null,
    selector: selector ?? null,
    aligned: status.result === "pass" && alignedDomains.includes(signingDomain?.toLowerCase() ?? ""),
    comment: status.comment ?? null,
  }));
  const passing = signatures.filter(({ result }) => result === "pass");
  const best = passing.find(({ aligned }) => aligned) ?? passing[0] ?? signatures[0];
  if (best === undefined) return noSignature("none", null);
  return { ...best, signatures: best.domain === null ? [] : signatures };
}

function dmarcVerdict(dmarc: DmarcResult | null): Verdicts["dmarc"] {
  // Without exactly one From address there is no domain to evaluate.
  if (dmarc === null) {
    return { result: "permerror", policy: null, domain: null, comment: "not exactly one From address" };
  }
  const { result, policy, domain, comment } = dmarc;
  return { result, policy, domain, comment };
}

function noVerdicts(comment: string): Verdicts {
  return {
    dkim: noSignature("temperror", comment),
    spf: { result: "temperror", domain: null, comment },
    dmarc: { result: "temperror", policy: null, domain: null, comment },
  };
}

function noSignature(result: string, comment: string | null): Verdicts["dkim"] {
  return { result, domain: null, selector: null, aligned: false, comment, signatures: [] };
}
