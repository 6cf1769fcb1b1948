/** Shared by all fixtures of older spools: their secrets, and the pending recipient. */

/** An API key of the default account. */
export const FIXTURE_KEY = `svc_live_${"fixture".padEnd(43, "-")}`;

/** The master.key that seals their DKIM keys. */
export const MASTER_KEY_LINE = `${Buffer.alloc(32, "fixture").toString("base64")}\n`;

/** waiting@ this domain is pending: its exchanger did not listen. */
export const LATER_DOMAIN = "later.example";
