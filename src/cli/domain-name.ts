/** A recipient domain as a person types it, in the form that the spool knows it by. */
import { domainToASCII } from "node:url";
import { Refusal } from "./command.ts";

/** Lower-case A-labels without a final dot. Throws a Refusal. */
export function domainName(typed: string): string {
  const name = domainToASCII(typed.replace(/\.$/, ""));
  if (name === "") throw new Refusal(`${typed} is no domain name`);
  return name;
}
