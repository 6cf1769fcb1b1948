/** What the request log keeps of a problem: bounded in octets, without secrets and without the local parts of email addresses. */
import type { FieldError } from "../../message/field-errors.ts";
import type { RequestFault } from "../../spool/port/request-log.ts";
import { withoutSecrets } from "./logged-path.ts";
import type { Problem } from "./problems.ts";

const DETAIL_LENGTH_MAX = 500;
const FIELD_LENGTH_MAX = 200;
const FIELDS_MAX = 20;
/** Of the names and the details of all fields together. */
const FIELDS_OCTETS_MAX = 2048;

/** Up to an @: a quoted local part, or all that can be in one. At most 64 octets are one (RFC 5321 §4.5.3.1.1). */
const LOCAL_PART = /(?:"(?:[^"\\]|\\.){0,64}"|[^\s@<>"(),:;[\]]{1,64})$/;
/** After it: a domain, in any script, or an address literal. */
const DOMAIN_START = /^[\p{L}\p{N}_[-]/u;

/** Characters of a quoted local part, each with a backslash, and its quotes. */
const LOOK_BACK = 130;

export function requestFault({ message, extras: { errors = [] } }: Problem): RequestFault {
  const fault: RequestFault = { detail: textOf(message, DETAIL_LENGTH_MAX), errors: [], others: 0 };
  let octets = 0;
  for (const error of errors.slice(0, FIELDS_MAX)) {
    const kept = keptError(error);
    octets += octetsOf(kept.field) + octetsOf(kept.detail);
    if (octets > FIELDS_OCTETS_MAX) break;
    fault.errors.push(kept);
  }
  fault.others = errors.length - fault.errors.length;
  return fault;
}

const keptError = ({ field, detail }: FieldError): FieldError => ({
  field: textOf(field, FIELD_LENGTH_MAX),
  detail: textOf(detail, FIELD_LENGTH_MAX),
});

/** Octets of its JSON, in which a control character takes six. */
const octetsOf = (text: string): number => Buffer.byteLength(JSON.stringify(text));

/** Cut first, so that the rest costs little. */
function textOf(text: string, lengthMax: number): string {
  const cut = withoutSecrets(text.length > lengthMax ? `${text.slice(0, lengthMax - 1)}…` : text);
  return cut.includes("@") ? withoutLocalParts(cut) : cut;
}

/** Looks at a bounded number of characters before each @. */
function withoutLocalParts(text: string): string {
  const [first = "", ...others] = text.split("@");
  return others.reduce((done, after) => {
    if (!DOMAIN_START.test(after)) return `${done}@${after}`;
    const near = Math.max(0, done.length - LOOK_BACK);
    return `${done.slice(0, near)}${done.slice(near).replace(LOCAL_PART, "…")}@${after}`;
  }, first);
}
