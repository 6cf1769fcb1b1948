/** The plans of searches: each reads an index in its order, and only partitions of its time. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Client } from "pg";
import { Database } from "../../../../../src/spool/engine/postgres/connection/database.ts";
import {
  dayOfNumber,
  firstNumberAt,
  firstNumberOfDay,
} from "../../../../../src/spool/engine/postgres/mail/message-number.ts";
import {
  hasAddressIndex,
  orderedIndexOf,
  type SearchCommand,
  SearchSql,
} from "../../../../../src/spool/engine/postgres/reports/search-sql.ts";
import type { MessageFilter } from "../../../../../src/spool/port/reports.ts";
import { freshDatabase } from "../../../../support/postgres/fresh-database.ts";
import { missingPostgresOrTime } from "../../../../support/postgres/installation.ts";
import { fillLargeMail } from "../../../../support/postgres/large-mail.ts";

const NOW_MS = 1_700_000_000_000;
const DAY = dayOfNumber(firstNumberAt(NOW_MS));
const TWO_DAYS = { fromSeq: firstNumberOfDay(DAY - 4), beforeSeq: firstNumberOfDay(DAY - 2) };

const BY_ACCOUNT = "messages_<day>_account_id_seq_idx";
const BY_KEY = "messages_<day>_key_id_seq_idx";
const BY_TAG = "message_tags_<day>_pkey";
const BY_ADDRESS = "recipients_<day>_account_id_lower_idx";
const BY_FAILURE = "events_<day>_account_id_seq_position_idx";

const WAYS: [asked: Omit<MessageFilter, "accountId" | "limit">, index: string][] = [
  [{}, BY_ACCOUNT],
  [{ subject: "x", from: "a@b.example", senderDomains: ["b.example"], sinceMs: 1, untilMs: 2 }, BY_ACCOUNT],
  [{ result: "delivered" }, BY_ACCOUNT],
  [{ category: "policy" }, BY_ACCOUNT],
  [{ recipient: "ann" }, BY_ACCOUNT],
  [{ keyId: "k" }, BY_KEY],
  [{ keyId: "k", subject: "x", result: "delivered", category: "policy", recipient: "@b.example" }, BY_KEY],
  [{ tag: "t" }, BY_TAG],
  [{ tag: "t", keyId: "k", result: "failed", category: "policy" }, BY_TAG],
  [{ recipientIs: "a@b.example" }, BY_ADDRESS],
  [{ recipient: "a@b", keyId: "k", tag: "t", result: "pending" }, BY_ADDRESS],
  [{ result: "failed" }, BY_FAILURE],
  [{ result: "failed", category: "policy", keyId: "k", recipient: "ann" }, BY_FAILURE],
  [{ result: "unknown" }, "unknown_recipients_account"],
  [{ result: "unknown", category: "policy", subject: "x" }, "unknown_recipients_account"],
  [{ result: "pending" }, "work_pkey"],
  [{ result: "pending", category: "policy", subject: "x" }, "work_pkey"],
  [{ text: "x", messageId: "<x@a.example>" }, BY_ACCOUNT],
  [{ after: "msg_x" }, BY_ACCOUNT],
  [{ after: "msg_x", keyId: "k", text: "x" }, BY_KEY],
  [{ after: "msg_x", tag: "t", result: "failed" }, BY_TAG],
  [{ after: "msg_x", result: "failed", category: "policy" }, BY_FAILURE],
  [{ after: "msg_x", result: "pending" }, "work_pkey"],
];

interface PlanNode {
  "Node Type": string;
  "Relation Name"?: string;
  "Index Name"?: string;
  "Parent Relationship"?: string;
  Plans?: PlanNode[];
}

async function planOf(client: Client, { query, values }: SearchCommand<Record<string, unknown>>): Promise<PlanNode> {
  const { rows } = await client.query(`EXPLAIN (FORMAT JSON) ${query.text}`, values);
  return rows[0]["QUERY PLAN"][0].Plan;
}

function nodesOf(plan: PlanNode, isFollowed: (node: PlanNode) => boolean = () => true): PlanNode[] {
  return [plan, ...(plan.Plans ?? []).filter(isFollowed).flatMap((node) => nodesOf(node, isFollowed))];
}

/** The node that reads the index of the search, and those above it. */
const isDriving = ({ "Parent Relationship": of }: PlanNode): boolean =>
  of !== "SubPlan" && of !== "InitPlan" && of !== "Inner";

describe("the plan of a search", { skip: missingPostgresOrTime() }, () => {
  it("reads the index in its order, in the partitions of its time", async (t) => {
    const { url, connect } = await freshDatabase(t);
    const database = new Database({ connectionString: url });
    t.after(() => database.close());
    await fillLargeMail(database, { messages: 500, days: 8, nowMs: NOW_MS });
    const client = await connect();
    // What is still in a plan of so few rows is inevitable in one of many.
    await client.query("ANALYZE; SET enable_seqscan = off; SET enable_bitmapscan = off; SET enable_sort = off");
    for (const [asked, index] of WAYS) {
      const filter = { accountId: "acc_default", limit: 20, ...asked };
      const isByAddress = hasAddressIndex(filter);
      const sql = () => new SearchSql(filter, isByAddress ? "address" : orderedIndexOf(filter), TWO_DAYS);
      for (const command of [sql().page(5000, 21), sql().extent(5000)]) {
        const plan = await planOf(client, command as SearchCommand<Record<string, unknown>>);
        const whole = `${JSON.stringify(asked)}: ${JSON.stringify(plan, null, 1)}`;
        const driving = nodesOf(plan, isDriving);
        assert.ok(
          driving.some((node) => node["Index Name"]?.replace(/_\d+_/, "_<day>_") === index),
          whole,
        );
        assert.ok(isByAddress || !driving.some((node) => /Sort|Hash/.test(node["Node Type"])), whole);
        const all = nodesOf(plan);
        // An account's domains are few.
        const scanned = all.filter((node) => node["Node Type"] === "Seq Scan" && node["Relation Name"] !== "domains");
        assert.deepEqual(scanned, [], whole);
        const days = all.map((node) => /_(\d+|default)$/.exec(node["Relation Name"] ?? "")?.[1]).filter(Boolean);
        assert.deepEqual(
          [...new Set(days)].filter((day) => day !== `${DAY - 4}` && day !== `${DAY - 3}`),
          [],
          whole,
        );
      }
    }
  });
});
