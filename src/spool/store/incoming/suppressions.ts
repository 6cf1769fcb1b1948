/**
 * Suppressed addresses: their list, and the removal of one. The mail path of each engine adds to them: refused_addresses has those that
 * servers have refused, suppressed_addresses those whose owners complained or unsubscribed.
 */
import { parseMailbox } from "../../../message/address.ts";
import { refusalKey } from "../../../message/result/suppression.ts";
import type { Session } from "../../engine/session.ts";
import { statement } from "../../engine/statement.ts";
import type { SuppressedAddress, SuppressionFilter } from "../../port/suppressions.ts";
import {
  type AddressRow,
  type FeedbackAddress,
  PAGE_ADDRESSES,
  SuppressionList,
} from "../../records/suppression-list.ts";

const findByFeedback = statement<FeedbackAddress>(
  `SELECT address, cause, at_ms AS "atMs" FROM suppressed_addresses WHERE account_id = $1
     ORDER BY at_ms DESC, address LIMIT $2`,
);
const findPage = statement<AddressRow>(
  `SELECT address, newest_at_ms AS "newestMs", refusals FROM refused_addresses
     WHERE account_id = $1 AND newest_at_ms > $2 AND newest_at_ms <= $3 AND (newest_at_ms < $3 OR address > $4)
     ORDER BY newest_at_ms DESC, address LIMIT ${PAGE_ADDRESSES}`,
);
const removals = [
  statement("DELETE FROM refused_addresses WHERE account_id = $1 AND address = $2", {
    ifDamaged: "the refused addresses",
  }),
  statement("DELETE FROM suppressed_addresses WHERE account_id = $1 AND address = $2", {
    ifDamaged: "the suppressed addresses",
  }),
];

export const suppressionOperations = {
  reads: {},
  writes: {
    async unsuppress(session: Session, accountId: string, email: string): Promise<boolean> {
      const mailbox = parseMailbox(email);
      if (mailbox.type === "invalid") return false;
      const address = refusalKey(mailbox.address, mailbox.domain);
      let removed = 0;
      for (const remove of removals) removed += (await session.run(remove, [accountId, address])).count;
      return removed > 0;
    },
  },
  reports: {
    async suppressions(session: Session, filter: SuppressionFilter): Promise<SuppressedAddress[]> {
      const list = new SuppressionList(filter);
      list.addFeedback((await session.run(findByFeedback, [filter.accountId, filter.limit])).rows);
      for (;;) {
        const { accountId, lapsedMs, newestMs, address } = list.range;
        const { rows } = await session.run(findPage, [accountId, lapsedMs, newestMs, address]);
        if (list.add(rows)) return list.addresses;
      }
    },
  },
};
