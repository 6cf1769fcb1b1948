/**
 * Evaluates an SPF record for our sending addresses with mailauth (RFC 7208). Besides each address's result, it reports what
 * mailauth does not: the first failed lookup (mailauth ignores failures inside an include) and the records that were read.
 */
import { spf } from "mailauth/lib/spf/index.js";
import type { DnsAnswer, LookupFailure, Resolver } from "../dns/resolver.ts";
import { mailauthResolver } from "../dns/stub-resolver.ts";
import type { CheckContext } from "./check.ts";
import { isSpf } from "./spf-record.ts";
import { TERM_LENGTH_MAX } from "./spf-syntax.ts";

/** Records with a longer term, which is invalid, are not passed to mailauth: its time is quadratic in a term's length. */
const hasLongTerm = (record: string): boolean => record.split(" ").some((term) => term.length > TERM_LENGTH_MAX);

export interface AddressResult {
  ip: string;
  result: string;
  /** mailauth's description of an error. */
  text: string;
}

export interface SpfEvaluation {
  results: AddressResult[];
  /** The first lookup that failed. */
  firstFailure: { name: string; failure: LookupFailure } | null;
  /** The SPF records that were read, by lower-case name. */
  records: Map<string, string>;
}

/** Evaluates `record` for every sending address, as if it were published at `name`. */
export async function evaluateSpf(name: string, record: string, context: CheckContext): Promise<SpfEvaluation> {
  const evaluation: SpfEvaluation = { results: [], firstFailure: null, records: new Map() };
  const resolver = mailauthResolver(recordingResolver(context.resolver, { name, record, evaluation }));
  const sender = `postmaster@${name}`;
  for (const ip of context.sendingIps) {
    const { status } = await spf({ sender, ip, helo: context.hostname, mta: context.hostname, resolver });
    const comment = typeof status.comment === "string" ? status.comment : "";
    const text = comment.split(`lookup of ${sender}: `)[1] ?? "syntax error";
    evaluation.results.push({ ip, result: String(status.result), text });
  }
  return evaluation;
}

interface Recording {
  name: string;
  record: string;
  evaluation: SpfEvaluation;
}

/** A resolver that returns `record` for `name`, and records failures and SPF records in `evaluation`. */
function recordingResolver(resolver: Resolver, { name, record, evaluation }: Recording): Resolver {
  const track = async <T>(queried: string, question: Promise<DnsAnswer<T>>): Promise<DnsAnswer<T>> => {
    const answer = await question;
    if (answer.type === "failure") evaluation.firstFailure ??= { name: queried, failure: answer };
    return answer;
  };
  const txt = async (queried: string): Promise<DnsAnswer<string>> => {
    const own = queried.toLowerCase() === name;
    const answer: DnsAnswer<string> = own
      ? { type: "found", records: [record] }
      : await track(queried, resolver.txt(queried));
    if (answer.type !== "found") return answer;
    const records = answer.records.filter((text) => !hasLongTerm(text));
    const found = records.find(isSpf);
    if (found !== undefined) evaluation.records.set(queried.toLowerCase(), found);
    return records.length > 0 ? { type: "found", records } : { type: "nodata" };
  };
  return {
    txt,
    mx: (queried) => track(queried, resolver.mx(queried)),
    a: (queried) => track(queried, resolver.a(queried)),
    aaaa: (queried) => track(queried, resolver.aaaa(queried)),
    ptr: (queried) => track(queried, resolver.ptr(queried)),
    cname: (queried) => track(queried, resolver.cname(queried)),
  };
}
