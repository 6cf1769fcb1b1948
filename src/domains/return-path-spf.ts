/**
 * Checks that the SPF record of the domain's return path authorizes every sending address: receivers check it in place of the
 * domain's own for messages with an envelope sender there.
 */
import { contextOf, type RecordCheck } from "./check.ts";
import { returnPathSpfRecord } from "./records.ts";
import { aliasOf, explainAlias } from "./return-path-alias.ts";
import { checkSpfRecord } from "./spf.ts";

export const checkReturnPathSpf: RecordCheck = async (domain, context) => {
  const wanted = returnPathSpfRecord(domain, context);
  const result = await checkSpfRecord(wanted, contextOf(domain, context));
  if (result.state !== "failed") return result;
  const alias = await aliasOf(wanted.name, context.resolver);
  // What another name publishes is not to be corrected there.
  return alias === null ? result : { ...result, detail: explained(wanted, alias), expected: wanted.value };
};

const explained = ({ name, value }: { name: string; value: string }, alias: string): string =>
  `${explainAlias(name, alias)} Then add a TXT record at ${name} with the value ${value}.`;
