/** The warm-up of sending addresses, one row for each address and receiver. Rows of addresses that are cold again are removed. */
import { COLD_AFTER_DAYS, drawFrom, type WarmUpDay, type WarmUpDraw } from "../../../receivers/warm-up.ts";
import { first, type Session } from "../../engine/session.ts";
import { statement } from "../../engine/statement.ts";
import { WARM_UPS_LISTED, type WarmUpGrant, type WarmUpKey } from "../../port/warm-ups.ts";
import { sweepOf } from "../rows/sweep.ts";

const PART = "the warm-up of sending addresses";

const damageable = <Row>(text: string) => statement<Row>(text, { ifDamaged: PART, booleans: ["isBlocked"] });

const COLUMNS = `place, day, taken, accepted, is_blocked AS "isBlocked"`;
const ONE = `SELECT ${COLUMNS} FROM warm_ups WHERE address = $1 AND receiver = $2`;

const find = damageable<WarmUpDay>(ONE);
// Nodes that draw at the same time wait for each other.
const lock = damageable<WarmUpDay>(`${ONE} FOR UPDATE`);
const add = damageable(
  `INSERT INTO warm_ups (address, receiver, place, day, taken, accepted, is_blocked)
     VALUES ($1, $2, $3, $4, 0, 0, FALSE) ON CONFLICT (address, receiver) DO NOTHING`,
);
const update = damageable(
  `UPDATE warm_ups SET place = $3, day = $4, taken = $5, accepted = $6, is_blocked = $7
     WHERE address = $1 AND receiver = $2`,
);
const move = damageable("UPDATE warm_ups SET place = $3 WHERE address = $1 AND (receiver = $2 OR $2 = '')");
const list = damageable<WarmUpDay & { receiver: string }>(
  `SELECT receiver, ${COLUMNS} FROM warm_ups WHERE address = $1 ORDER BY place DESC, taken DESC, receiver LIMIT $2`,
);
const forget = damageable("DELETE FROM warm_ups WHERE address = $1");
const sweep = sweepOf("warm_ups", "address, receiver", "day < $1", { ifDamaged: PART });

export const warmUpOperations = {
  reads: {
    warmUpsOf: async (session: Session, address: string): Promise<(WarmUpDay & { receiver: string })[]> =>
      (await session.run(list, [address, WARM_UPS_LISTED])).rows,
  },
  writes: {
    drawWarmUp,
    async moveWarmUp(
      session: Session,
      { address, receiver }: { address: string; receiver: string | null },
      { place, day }: Pick<WarmUpDay, "place" | "day">,
    ): Promise<void> {
      if (receiver !== null) await session.run(add, [address, receiver, place, day]);
      await session.run(move, [address, receiver ?? "", place]);
    },
    async forgetWarmUps(session: Session, address: string): Promise<void> {
      await session.run(forget, [address]);
    },
  },
};

async function drawWarmUp(session: Session, key: WarmUpKey, draw: WarmUpDraw): Promise<WarmUpGrant> {
  const { address, receiver } = key;
  if ((await first(session, find, [address, receiver])) === null) {
    await session.run(add, [address, receiver, draw.firstPlace, draw.day]);
    await session.run(sweep, [draw.day - COLD_AFTER_DAYS]);
  }
  const { rows, isDamaged } = await session.run(lock, [address, receiver]);
  const { after, granted, left } = drawFrom(rows[0] ?? null, draw);
  // What is not stored could be drawn again and again.
  if (isDamaged) return { state: after, granted: 0, left: 0 };
  await session.run(update, valuesOf(key, after));
  return { state: after, granted, left };
}

const valuesOf = ({ address, receiver }: WarmUpKey, { place, day, taken, accepted, isBlocked }: WarmUpDay) => [
  address,
  receiver,
  place,
  day,
  taken,
  accepted,
  isBlocked,
];
