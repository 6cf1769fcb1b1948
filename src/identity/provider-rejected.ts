/** What goes wrong in a sign-in by the identity provider, as its library reports it. */
import { errorText } from "../lib/error-text.ts";
import { ProviderUnavailable } from "./provider-fetch.ts";

/** The sign-in did not succeed, or what the provider returned is not valid. The message is for the log: it holds no secret. */
export class ProviderRejected extends Error {
  override name = "ProviderRejected";
  /** The code with which the provider refuses (RFC 6749 §4.1.2.1), such as `access_denied`; null if the reply is not valid. */
  readonly code: string | null;

  constructor(message: string, code: string | null, cause?: unknown) {
    super(message, { cause });
    this.code = code;
  }
}

const CODE = /^[a-z_]{1,60}$/;
const CAUSES_MAX = 5;

/** Throws a library's error as ProviderUnavailable or ProviderRejected. */
export function rejectionOf(error: unknown): never {
  const causes = causesOf(error);
  const unavailable = causes.find((each) => each instanceof ProviderUnavailable);
  if (unavailable !== undefined) throw unavailable;
  const { error: given } = error as { error?: unknown };
  const code = typeof given === "string" && CODE.test(given) ? given : null;
  const text = causes.map(errorText).filter((each, i, all) => all.indexOf(each) === i);
  throw new ProviderRejected([...text, ...(code === null ? [] : [code])].join(": "), code, error);
}

function causesOf(error: unknown): Error[] {
  const causes: Error[] = [];
  for (let each = error; each instanceof Error && causes.length < CAUSES_MAX; each = each.cause) causes.push(each);
  return causes;
}
