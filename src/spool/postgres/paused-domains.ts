/** Paused recipient domains. What a claim makes of them, and what is due once one is resumed, is decided by the claims. */
import type { Operations, PausedDomain } from "../port/operations.ts";
import type { Database } from "./database.ts";
import { statement } from "./statement.ts";
import { storedText } from "./stored-text.ts";

const pause = statement("INSERT INTO paused_domains (domain, at_ms) VALUES ($1, $2) ON CONFLICT (domain) DO NOTHING");
const resume = statement("DELETE FROM paused_domains WHERE domain = $1");
const all = statement<PausedDomain>(`SELECT domain, at_ms AS "atMs" FROM paused_domains ORDER BY domain`);

type PauseOperations = Pick<Operations, "pauseDomain" | "resumeDomain" | "pausedDomains">;

export function pauseOperations(database: Database): PauseOperations {
  return {
    async pauseDomain(domain, atMs) {
      await database.run(pause, [storedText(domain), atMs]);
    },
    async resumeDomain(domain) {
      return (await database.run(resume, [storedText(domain)])).count === 1;
    },
    async pausedDomains() {
      return (await database.run(all)).rows;
    },
  };
}
