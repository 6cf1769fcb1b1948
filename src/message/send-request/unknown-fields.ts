/** What a field that does not exist was probably meant to be: another spelling, or a field of another service. */
import { closestWord } from "../closest-word.ts";
import { attachmentSchema, sendRequestSchema } from "./send-request-schema.ts";

const FIELDS = Object.keys(sendRequestSchema.properties);
const ATTACHMENT_FIELDS = Object.keys(attachmentSchema.properties);

/** Longer names are no misspelling. */
const NAME_LENGTH_MAX = 40;

export const UNKNOWN = "This field is unknown.";
const NO_TEMPLATES = "Postrider has no templates: send html and text.";
const SEND_AT = "Did you mean send_at?";

/** By the name without upper case and underscores. */
const ELSEWHERE: ReadonlyMap<string, string> = new Map([
  ["template", NO_TEMPLATES],
  ["templateid", NO_TEMPLATES],
  ["templatealias", NO_TEMPLATES],
  ["templateuuid", NO_TEMPLATES],
  ["templatemodel", NO_TEMPLATES],
  ["dynamictemplatedata", NO_TEMPLATES],
  ["scheduledat", SEND_AT],
  ["deliverytime", SEND_AT],
  ["htmlbody", "Did you mean html?"],
  ["textbody", "Did you mean text?"],
  ["plain", "Did you mean text?"],
  ["body", "Did you mean text or html?"],
]);

const ELSEWHERE_IN_ATTACHMENTS: ReadonlyMap<string, string> = new Map([
  ["path", "Send the file itself as content, in base64."],
  ["url", "Send the file itself as content, in base64."],
  ["name", "Did you mean filename?"],
  ["type", "Did you mean content_type?"],
  ["cid", "Did you mean content_id?"],
]);

const bareOf = (name: string): string => name.toLowerCase().replaceAll(/[_-]/g, "");

/** The detail of the error of an unknown field; `isOfAttachment` for one of an attachment. */
export function unknownFieldDetail(name: string, isOfAttachment: boolean): string {
  if (name.length > NAME_LENGTH_MAX) return UNKNOWN;
  const bare = bareOf(name);
  const elsewhere = (isOfAttachment ? ELSEWHERE_IN_ATTACHMENTS : ELSEWHERE).get(bare);
  if (elsewhere !== undefined) return `${UNKNOWN} ${elsewhere}`;
  const fields = isOfAttachment ? ATTACHMENT_FIELDS : FIELDS;
  const meant = fields.find((field) => bareOf(field) === bare) ?? closestWord(name, fields);
  return meant === null ? UNKNOWN : `${UNKNOWN} Did you mean ${meant}?`;
}
