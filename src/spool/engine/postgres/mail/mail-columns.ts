/** The columns of the tables that both acceptance and the copy of a spool fill with the same rows, in the order of their values. */
import type { Columns } from "../../../records/column-types.ts";
import { MESSAGE_TYPES } from "../../../records/message-columns.ts";

export const MESSAGES: Columns = { seq: "bigint", ...MESSAGE_TYPES };

export const RECIPIENTS: Columns = {
  seq: "bigint",
  position: "int",
  account_id: "text",
  email: "text",
  domain: "text",
  field: "text?",
};

export const TAGS: Columns = { seq: "bigint", account_id: "text", tag: "text" };
