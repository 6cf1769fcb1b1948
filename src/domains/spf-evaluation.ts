/**
 * What an SPF record means for our sending addresses (RFC 7208), evaluated by mailauth.
 * Decides nothing: it reports each address's result, and what mailauth leaves out: whether the DNS kept back an answer
 * on the way (mailauth passes over trouble inside an include), and the records that were read.
 */
import { spf } from "mailauth/lib/spf/index.js";
import { mailauthResolver } from "../dns/node-resolver.ts";
import type { Answer, Resolver, Trouble } from "../dns/resolver.ts";
import type { CheckContext } from "./check.ts";
import { isSpf } from "./spf-record.ts";

/** Longer texts are kept from mailauth, whose patterns take a time that grows with the square of a term's length. */
export const SPF_LENGTH_MAX = 4096;

export interface AddressResult {
  ip: string;
  result: string;
  /** The reason of an error, in mailauth's words. */
  text: string;
}

export interface Evaluation {
  results: AddressResult[];
  /** The first question that the DNS did not answer. */
  trouble: { name: string; trouble: Trouble } | null;
  /** The SPF records read, by lower-case name. */
  records: Map<string, string>;
}

/** Evaluates `record` as if it were the one at `name`, for every sending address. */
export async function evaluateSpf(name: string, record: string, context: CheckContext): Promise<Evaluation> {
  const evaluation: Evaluation = { results: [], trouble: null, records: new Map() };
  const resolver = mailauthResolver(recording(context.resolver, { name, record, evaluation }));
  const sender = `postmaster@${name}`;
  for (const ip of context.sendingIps) {
    const { status } = await spf({ sender, ip, helo: context.hostname, mta: context.hostname, resolver });
    const comment = typeof status.comment === "string" ? status.comment : "";
    const text = comment.split(`lookup of ${sender}: `)[1] ?? "the syntax is wrong";
    evaluation.results.push({ ip, result: String(status.result), text });
  }
  return evaluation;
}

interface Recording {
  name: string;
  record: string;
  evaluation: Evaluation;
}

/** The resolver with `record` in the place of what is published, noting trouble and SPF records as they pass. */
function recording(resolver: Resolver, { name, record, evaluation }: Recording): Resolver {
  const noted = async <T>(asked: string, question: Promise<Answer<T>>): Promise<Answer<T>> => {
    const answer = await question;
    if (answer.type === "trouble") evaluation.trouble ??= { name: asked, trouble: answer };
    return answer;
  };
  const txt = async (asked: string): Promise<Answer<string>> => {
    const own = asked.toLowerCase() === name;
    const answer: Answer<string> = own ? { type: "found", records: [record] } : await noted(asked, resolver.txt(asked));
    if (answer.type !== "found") return answer;
    const records = answer.records.filter((text) => text.length <= SPF_LENGTH_MAX);
    const found = records.find(isSpf);
    if (found !== undefined) evaluation.records.set(asked.toLowerCase(), found);
    return records.length > 0 ? { type: "found", records } : { type: "nodata" };
  };
  return {
    txt,
    mx: (asked) => noted(asked, resolver.mx(asked)),
    a: (asked) => noted(asked, resolver.a(asked)),
    aaaa: (asked) => noted(asked, resolver.aaaa(asked)),
    ptr: (asked) => noted(asked, resolver.ptr(asked)),
    cname: (asked) => noted(asked, resolver.cname(asked)),
  };
}
