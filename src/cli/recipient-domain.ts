/** A recipient domain as an operator types it, in the form in which the spool stores it. */
import { domainInAscii } from "../message/domain-encoding.ts";
import { Refusal } from "./command.ts";

/** Lower-case A-labels without a final dot. Throws a Refusal. */
export function recipientDomain(typed: string): string {
  const name = domainInAscii(typed.replace(/\.$/, ""));
  if (name === "") throw new Refusal(`${typed} is not a domain name`);
  return name;
}
