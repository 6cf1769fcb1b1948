/**
 * Translates a search to SQL: chooses the driving index, and the conditions to check for each of its rows.
 */
import type { Result } from "../../../../message/result/outcome.ts";
import type { MessageFilter } from "../../../port/reports.ts";

export type Parameters = Record<string, string | number>;

export interface SqlConditions {
  where: string[];
  parameters: Parameters;
}

/** The index that a search reads. Its rows are `r`, with account_id and seq. */
export interface DrivingIndex extends SqlConditions {
  from: string;
  /** Conditions that the index itself answers. Those of `where` are checked for each of its rows. */
  bounds: string[];
  /** Set if the index is not in the order of seq. */
  scan?: KeyScan;
  /** Another index to read as well. */
  also?: DrivingIndex;
}

/** How to read an index in ranges of its columns. */
export interface KeyScan {
  columns: readonly string[];
  collate: string;
  first: (string | number)[];
  /** Returns the least key after this one. */
  after: (key: (string | number)[]) => (string | number)[];
}

/** The table and index that find such recipients without reading the others, and the condition of the index. */
const RESULT_INDEX: Partial<Record<Result, [from: string, condition: string]>> = {
  pending: ["work r INDEXED BY work_waiting", "r.mark IS NULL"],
  failed: ["events r INDEXED BY events_failed", "r.result = 'failed'"],
  unknown: ["unknown_recipients r INDEXED BY unknown_recipients_account", "r.result IS NULL"],
};

/** The condition that the event is the newest of its recipient. Later ones repeat or change the result. */
const IS_NEWEST = `NOT EXISTS (SELECT 1 FROM events n INDEXED BY events_message
  WHERE n.seq = r.seq AND n.position = r.position AND n.number > r.number)`;

/** Most messages have no tag that equals the text: their JSON, in which a whole tag is in quotes, excludes them. */
const ANYWHERE = `(m.subject LIKE @text ESCAPE '\\'
  OR (m.tags LIKE @quotedTag ESCAPE '\\' AND EXISTS (SELECT 1 FROM json_each(m.tags) WHERE value LIKE @wholeTag ESCAPE '\\'))
  OR EXISTS (SELECT 1 FROM recipients a WHERE a.seq = m.seq AND a.email LIKE @text ESCAPE '\\'))`;

/** Whether an index of recipients or tags finds the messages. */
export function isIndexed({ recipient, recipientIs, tag, result }: MessageFilter): boolean {
  const named = recipient ?? recipientIs ?? tag;
  return named !== undefined || (result !== undefined && RESULT_INDEX[result] !== undefined);
}

/** Returns the conditions on the message's own row, `m`. */
export function messageConditions(filter: MessageFilter): SqlConditions {
  const where: string[] = [];
  const parameters: Parameters = {};
  const add = (condition: string, name: string, value: string | number | undefined): void => {
    if (value === undefined) return;
    where.push(condition);
    parameters[name] = value;
  };
  add("m.subject LIKE @subject ESCAPE '\\'", "subject", filter.subject && `%${escapeLike(filter.subject)}%`);
  if (filter.text !== undefined) {
    where.push(ANYWHERE);
    parameters.text = `%${escapeLike(filter.text)}%`;
    parameters.quotedTag = `%${escapeLike(JSON.stringify(filter.text))}%`;
    parameters.wholeTag = escapeLike(filter.text);
  }
  add("m.message_id = @messageId", "messageId", filter.messageId);
  add("m.key_id = @keyId", "keyId", filter.keyId);
  add("m.test = @test", "test", filter.test === undefined ? undefined : Number(filter.test));
  add("m.sender = @from COLLATE NOCASE", "from", filter.from);
  const names = filter.senderDomains === undefined ? undefined : JSON.stringify(filter.senderDomains);
  const named = "account_id = @accountId AND name IN (SELECT value FROM json_each(@senderDomains))";
  add(`m.domain_id IN (SELECT id FROM domains WHERE ${named})`, "senderDomains", names);
  if (isIndexed(filter)) {
    add("m.created_at_ms >= @sinceMs", "sinceMs", filter.sinceMs);
    add("m.created_at_ms < @untilMs", "untilMs", filter.untilMs);
  }
  return { where, parameters };
}

/** Returns the condition that `of` has a recipient with the filter's state; null if it names none. */
export function hasRecipient(of: "m" | "r", filter: MessageFilter): string | null {
  const conditions = recipientConditions(filter);
  if (conditions.length === 0) return null;
  return `EXISTS (SELECT 1 FROM recipient_states o WHERE o.seq = ${of}.seq AND ${conditions.join(" AND ")})`;
}

/** Returns the conditions on one recipient, `o`. */
function recipientConditions(filter: MessageFilter): string[] {
  const { result } = filter;
  const conditions = result === undefined ? [] : [`o.result = '${result}'`];
  return [...conditions, ...stateConditions(filter)];
}

/** Returns the conditions on one recipient, `o`, beside its result. */
function stateConditions({ category, reason, resultSinceMs, resultUntilMs }: MessageFilter): string[] {
  return [
    ...(category === undefined ? [] : ["o.category = @category"]),
    ...(reason === undefined ? [] : ["o.reason = @reason"]),
    ...(resultSinceMs === undefined ? [] : ["o.at_ms >= @resultSinceMs"]),
    ...(resultUntilMs === undefined ? [] : ["o.at_ms < @resultUntilMs"]),
  ];
}

export function drivingIndexOf(filter: MessageFilter): DrivingIndex {
  const { recipient, recipientIs, tag, result } = filter;
  if (recipient !== undefined || recipientIs !== undefined) return addressIndex(filter);
  if (tag !== undefined) {
    const has = hasRecipient("r", filter);
    const parameters: Parameters = { tag, ...stateParameters(filter) };
    return { from: "message_tags r", bounds: ["r.tag = @tag"], where: has === null ? [] : [has], parameters };
  }
  const found = result === undefined ? undefined : RESULT_INDEX[result];
  if (found === undefined) throw new Error("no index has the recipients of this search");
  const [from, condition] = found;
  const isNewest = result === "failed" ? [IS_NEWEST] : [];
  const where = [...isNewest, ...ownConditions(stateConditions(filter))];
  const conditions = { where, parameters: stateParameters(filter) };
  const index = { from, bounds: [condition], ...conditions };
  return result === "pending" ? { ...index, scan: WAITING, also: { ...MARKED, ...conditions } } : index;
}

/** The parameters of the conditions on a recipient. */
export function stateParameters({ category, reason, resultSinceMs, resultUntilMs }: MessageFilter): Parameters {
  const values = Object.entries({ category, reason, resultSinceMs, resultUntilMs });
  return Object.fromEntries(values.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])));
}

/** Marked recipients are reported as pending, and have their own index. */
const MARKED: DrivingIndex = {
  from: "work r INDEXED BY work_marked",
  bounds: ["r.mark IS NOT NULL"],
  where: [],
  parameters: {},
};

const WAITING: KeyScan = {
  columns: ["r.domain", "r.due_ms", "r.seq"],
  collate: "",
  first: ["", 0, 0],
  after: ([domain = "", nextMs = 0, seq = 0]) => [domain, nextMs, Number(seq) + 1],
};

const BY_EMAIL: KeyScan = {
  columns: ["r.email"],
  collate: " COLLATE NOCASE",
  first: [""],
  after: ([email = ""]) => [`${email}\0`],
};

function addressIndex(filter: MessageFilter): DrivingIndex {
  const { recipient = "", recipientIs } = filter;
  const from = "recipients r INDEXED BY recipients_by_email";
  const { where, parameters } = furtherConditions(filter);
  if (recipientIs !== undefined) {
    const bounds = ["r.email = @email COLLATE NOCASE"];
    return { from, bounds, where, parameters: { ...parameters, email: recipientIs } };
  }
  if (recipient.indexOf("@") > 0) {
    const bounds = ["r.email < @emailEnd COLLATE NOCASE"];
    const scan = { ...BY_EMAIL, first: [recipient] };
    return { from, bounds, where, parameters: { ...parameters, emailEnd: `${recipient}\u{10ffff}` }, scan };
  }
  const like = `%${escapeLike(recipient)}${recipient.startsWith("@") ? "" : "%"}`;
  const matching = ["r.email LIKE @like ESCAPE '\\'", ...where];
  return { from, bounds: [], where: matching, parameters: { ...parameters, like }, scan: BY_EMAIL };
}

/** Other conditions on a recipient found by address. They read by primary key, so only rows whose address matches are read. */
function furtherConditions(filter: MessageFilter): SqlConditions {
  const where = ownConditions(recipientConditions(filter));
  const parameters = stateParameters(filter);
  if (filter.tag === undefined) return { where, parameters };
  const tags = "SELECT 1 FROM message_tags t WHERE t.account_id = r.account_id AND t.tag = @tag AND t.seq = r.seq";
  return { where: [...where, `EXISTS (${tags})`], parameters: { ...parameters, tag: filter.tag } };
}

/** The condition that the recipient of the index's row meets all of these; none for none. */
function ownConditions(conditions: readonly string[]): string[] {
  if (conditions.length === 0) return [];
  const row = "SELECT 1 FROM recipient_states o WHERE o.seq = r.seq AND o.position = r.position";
  return [`EXISTS (${[row, ...conditions].join(" AND ")})`];
}

function escapeLike(text: string): string {
  return text.replace(/[\\%_]/g, "\\$&");
}
