/** Paused recipient domains. What a claim makes of them is decided by the claims. */
import type { Session } from "../../engine/session.ts";
import { statement } from "../../engine/statement.ts";
import type { PausedDomain } from "../../port/operations.ts";

const pause = statement("INSERT INTO paused_domains (domain, at_ms) VALUES ($1, $2) ON CONFLICT (domain) DO NOTHING");
const resume = statement("DELETE FROM paused_domains WHERE domain = $1");
const all = statement<PausedDomain>(`SELECT domain, at_ms AS "atMs" FROM paused_domains ORDER BY domain`);

export const pauseOperations = {
  reads: { pausedDomains: async (session: Session) => (await session.run(all)).rows },
  writes: {
    async pauseDomain(session: Session, domain: string, atMs: number): Promise<void> {
      await session.run(pause, [domain, atMs]);
      session.pausesChanged();
    },
    async resumeDomain(session: Session, domain: string): Promise<boolean> {
      const { count } = await session.run(resume, [domain]);
      session.pausesChanged();
      return count === 1;
    },
  },
};
