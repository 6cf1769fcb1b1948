/** The parts of statements that select the rows of events. */
import { DOMAINS_ORDER_KEY, FEEDBACK_KINDS } from "../../../records/event-row.ts";

/**
 * Returns the columns of EventRow, except `sequence`, from a row with the columns of the table `events` and those of
 * MESSAGE_OF_EVENT.
 */
export const eventColumns = (row: string): string => `
  ${row}.account_id AS "accountId", ${row}.number, ${row}.id, ${row}.at_ms AS "atMs", ${row}.type,
  CASE WHEN ${row}.domain IS NULL THEN ${row}.seq ELSE ${DOMAINS_ORDER_KEY} END AS "orderKey",
  ${row}.domain AS "ownDomain", coalesce(${row}.domain, ${row}.sender_domain) COLLATE "C" AS domain,
  ${row}.result, ${row}.reason, ${row}.category, ${row}.attempts, ${row}.smtp,
  (SELECT email FROM recipients WHERE seq = ${row}.seq AND position = ${row}.position) AS email,
  (SELECT detail FROM feedback
     WHERE seq = ${row}.seq AND position = ${row}.position AND kind = CASE ${row}.type ${FEEDBACK_KINDS} END) AS feedback,
  ${row}.message_id AS "messageId", ${row}.key_id AS "keyId", ${row}.tags, ${row}.metadata, ${row}.test`;

/** What is read of the message `m`, and of its sender's domain `d`. */
export const MESSAGE_OF_EVENT = "m.id AS message_id, m.key_id, m.tags, m.metadata, m.test, d.name AS sender_domain";

/** The condition of a filter's types `$3`. */
export const isOfType = (event: string): string =>
  `(${event}.type IS NOT NULL AND ($3::text[] IS NULL OR ${event}.type = ANY ($3)))`;

/** The condition of a filter's keys `$4` and domains `$5`. An event of a domain has no key. */
export const isOfKeyAndDomain = (keyId: string, domain: string): string =>
  `(($4::text[] IS NULL OR ${keyId} = ANY ($4)) AND ($5::text[] IS NULL OR ${domain} COLLATE "C" = ANY ($5))) IS TRUE`;
