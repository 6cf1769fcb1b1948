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

/** A local part has at most 64 octets (RFC 5321 §4.5.3.1.1). */
const LOCAL_PART = /[^\s@<>"()]{1,64}@(?=[\w-])/g;

export function requestFault({ message, extras: { errors = [] } }: Problem): RequestFault {
  const fault: RequestFault = { detail: textOf(message, DETAIL_LENGTH_MAX), errors: [], others: 0 };
  let octets = 0;
  for (const error of errors.slice(0, FIELDS_MAX)) {
    const kept = keptError(error);
    octets += Buffer.byteLength(kept.field) + Buffer.byteLength(kept.detail);
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

/** Cut first, so that the rest costs little. */
const textOf = (text: string, lengthMax: number): string =>
  withoutSecrets(text.length > lengthMax ? `${text.slice(0, lengthMax - 1)}…` : text).replace(LOCAL_PART, "…@");
