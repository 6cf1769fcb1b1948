/**
 * A resolver that remembers found answers for a moment and asks each question once at a time, so that a burst of mail
 * to one domain is one look-up. Negative answers and trouble are never remembered: a zone just mended is seen at once.
 */
import type { Clock } from "../clock.ts";
import type { Answer, Resolver } from "./resolver.ts";

/** node:dns shows no TTL for most types; this short, no published TTL that matters is overstayed by much. */
const REMEMBERED_MS = 10_000;
const ANSWERS_MAX = 20_000;

interface Remembered {
  answer: Promise<Answer<unknown>>;
  untilMs: number;
}

/** The same answers as `resolver` gives, at most 10 s old. */
export function cachingResolver(resolver: Resolver, clock: Clock): Resolver {
  const remembered = new Map<string, Remembered>();

  function ask<T>(type: string, name: string, look: (name: string) => Promise<Answer<T>>): Promise<Answer<T>> {
    const question = `${type} ${name}`;
    const known = remembered.get(question);
    if (known !== undefined && clock.now() < known.untilMs) return known.answer as Promise<Answer<T>>;
    const answer = look(name);
    remembered.delete(question);
    remembered.set(question, { answer, untilMs: clock.now() + REMEMBERED_MS });
    void answer.then(({ type: outcome }) => {
      if (outcome !== "found" && remembered.get(question)?.answer === answer) remembered.delete(question);
    });
    const [oldest] = remembered.keys();
    if (remembered.size > ANSWERS_MAX && oldest !== undefined) remembered.delete(oldest);
    return answer;
  }

  return {
    mx: (name) => ask("mx", name, resolver.mx),
    txt: (name) => ask("txt", name, resolver.txt),
    a: (name) => ask("a", name, resolver.a),
    aaaa: (name) => ask("aaaa", name, resolver.aaaa),
    ptr: (address) => ask("ptr", address, resolver.ptr),
    cname: (name) => ask("cname", name, resolver.cname),
  };
}
