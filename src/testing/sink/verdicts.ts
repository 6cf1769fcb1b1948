/** The DKIM, SPF and DMARC verdicts on a message, by mailauth. They do not affect whether the sink accepts it. */
import { type AuthenticateResult, authenticate, type DKIMResult } from "mailauth";
import { mailauthResolver } from "../../dns/node-resolver.ts";
import type { Resolver } from "../../dns/resolver.ts";

export interface DkimVerdict {
  result: string;
  domain: string | null;
  selector: string | null;
  /** Whether the domain is aligned with that of From (relaxed). */
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
const TIMEOUT_MS = 3000;

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
  const { dkim, spf, dmarc } = await authenticate(message.content, {
    ip: message.clientIp,
    helo: message.ehlo,
    sender: message.mailFrom,
    mta: "sink",
    disableArc: true,
    disableBimi: true,
    resolver: mailauthResolver(resolver),
  });
  return {
    dkim: dkimVerdict(dkim.results),
    spf: spf
      ? { result: spf.status.result, domain: spf.domain, comment: spf.status.comment ?? null }
      : { result: "none", domain: null, comment: null },
    dmarc: dmarcVerdict(dmarc),
  };
}

function dkimVerdict(results: DKIMResult[]): Verdicts["dkim"] {
  const signatures = results.map(({ status, signingDomain, selector }) => ({
    result: status.result,
    // mailauth reports no signer for an unsigned message.
    domain: signingDomain ?? null,
    selector: selector ?? null,
    aligned: Boolean(status.aligned),
    comment: status.comment ?? null,
  }));
  const passing = signatures.filter(({ result }) => result === "pass");
  const best = passing.find(({ aligned }) => aligned) ?? passing[0] ?? signatures[0];
  if (best === undefined) return noSignature("none", null);
  return { ...best, signatures: best.domain === null ? [] : signatures };
}

function dmarcVerdict(dmarc: AuthenticateResult["dmarc"]): Verdicts["dmarc"] {
  // Without exactly one From address there is no domain to evaluate.
  if (!dmarc) return { result: "permerror", policy: null, domain: null, comment: "not exactly one From address" };
  const { status, policy, domain, error } = dmarc;
  return { result: status.result, policy: policy ?? null, domain, comment: error ?? status.comment ?? null };
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
