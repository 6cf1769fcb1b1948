/** Suppressed addresses: their list, and the removal of an address. */
import { parseMailbox } from "../../message/address.ts";
import { refusalKey } from "../../message/suppression.ts";
import type { SuppressedAddress, SuppressionFilter, Suppressions } from "../port/suppressions.ts";
import { type AddressRow, type FeedbackAddress, PAGE_ADDRESSES, SuppressionList } from "../records/suppression-list.ts";
import type { Database } from "./database.ts";
import { clearRefusals } from "./refusal-history.ts";
import type { ReportQueue, ReportRead } from "./report-queue.ts";
import { statement } from "./statement.ts";
import { releaseAddress } from "./suppressed-addresses.ts";

const page = statement<AddressRow>(
  `SELECT address, newest_at_ms AS "newestMs", refusals FROM refused_addresses
     WHERE account_id = $1 AND newest_at_ms > $2 AND newest_at_ms <= $3 AND (newest_at_ms < $3 OR address > $4)
     ORDER BY newest_at_ms DESC, address LIMIT ${PAGE_ADDRESSES}`,
);

const findByFeedback = statement<FeedbackAddress>(
  `SELECT address, cause, at_ms AS "atMs" FROM suppressed_addresses WHERE account_id = $1
     ORDER BY at_ms DESC, address LIMIT $2`,
);

export function suppressionOperations(database: Database, reports: ReportQueue): Suppressions {
  return {
    suppressions: (filter) => reports.run(filter.accountId, (read) => listSuppressions(read, filter)),
    async unsuppress(accountId, email) {
      const mailbox = parseMailbox(email);
      if (mailbox.type === "invalid") return false;
      const address = refusalKey(mailbox.address, mailbox.domain);
      const [byRefusals, byFeedback] = await database.transaction(async (session) => [
        (await clearRefusals(session, [{ accountId, address }])) === 1,
        await releaseAddress(session, { accountId, address }),
      ]);
      return byRefusals || byFeedback;
    },
  };
}

/** Reads one page in each step. */
async function listSuppressions(read: ReportRead, filter: SuppressionFilter): Promise<SuppressedAddress[]> {
  const list = new SuppressionList(filter);
  const byFeedback = await read((session) => session.run(findByFeedback, [filter.accountId, filter.limit]));
  list.addFeedback(byFeedback.rows);
  for (;;) {
    const { accountId, lapsedMs, newestMs, address } = list.range;
    const { rows } = await read((session) => session.run(page, [accountId, lapsedMs, newestMs, address]));
    if (list.add(rows)) return list.addresses;
  }
}
