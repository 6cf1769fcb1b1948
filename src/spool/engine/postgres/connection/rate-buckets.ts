/**
 * The statements on the token buckets that nodes share. A bucket is the time at which it is full: until then it lacks a token for
 * each interval of its rate, and a bucket without a row is full. Times are those of the database's clock. Which tokens a node asks
 * for is decided in token-lease.ts.
 */
import { type Session, statement } from "./statement.ts";
import type { TokenGrant, TokenRequest } from "./token-lease.ts";

// In the order of the primary key: two nodes cannot wait for each other in a circle.
const exchange = statement<TokenGrant>(
  `WITH asked AS MATERIALIZED (
     SELECT name, 1000 / per_second AS interval_ms, burst, used, wanted, extract(epoch FROM now())::float8 * 1000 AS now_ms
       FROM unnest($1::text[], $2::float8[], $3::float8[], $4::float8[], $5::int[])
         AS a (name, per_second, burst, used, wanted)
   ), taken AS (
     INSERT INTO rate_buckets AS bucket (name, full_ms, granted)
       SELECT name, now_ms + (used + g.granted) * interval_ms, g.granted
         FROM asked, LATERAL (SELECT least(wanted, greatest(0, floor(burst - used)))::int AS granted) AS g
         ORDER BY name
     ON CONFLICT (name) DO UPDATE SET (full_ms, granted) = (
       SELECT later.full_ms + g.granted * interval_ms, g.granted
         FROM asked,
              LATERAL (SELECT greatest(bucket.full_ms, now_ms) + used * interval_ms AS full_ms) AS later,
              LATERAL (SELECT least(wanted, greatest(0, floor(burst - (later.full_ms - now_ms) / interval_ms)))::int AS granted)
                AS g
        WHERE asked.name = bucket.name)
     RETURNING name, granted, full_ms
   )
   SELECT name, granted, greatest(0, full_ms - now_ms) AS "fullInMs",
          (SELECT greatest(1, count(*)) FROM nodes WHERE ended_at IS NULL) AS nodes
     FROM taken JOIN asked USING (name)`,
);

const removeAll = statement<{ name: string; fullInMs: number }>(
  `DELETE FROM rate_buckets
     RETURNING name, greatest(0, full_ms - extract(epoch FROM now())::float8 * 1000) AS "fullInMs"`,
);

/** Withdraws what was used, and as many of the wanted tokens as each bucket has. No two requests have the same name. */
export async function exchangeTokens(session: Session, requests: readonly TokenRequest[]): Promise<TokenGrant[]> {
  const { rows } = await session.run(exchange, [
    requests.map(({ name }) => name),
    requests.map(({ rate }) => rate.perSecond),
    requests.map(({ rate }) => rate.burst),
    requests.map(({ used }) => used),
    requests.map(({ wanted }) => wanted),
  ]);
  return rows;
}

/** Removes the state of all buckets, and returns when they are full. */
export async function removeBuckets(session: Session): Promise<{ name: string; fullInMs: number }[]> {
  return (await session.run(removeAll)).rows;
}
