/** What every fixture of an older spool has in common: the secrets it was made with, and who waits in it. */

/** An API key of the default account, in each of them. */
export const FIXTURE_KEY = `svc_live_${"fixture".padEnd(43, "-")}`;

/** The master.key that their DKIM keys are sealed with. */
export const MASTER_KEY_LINE = `${Buffer.alloc(32, "fixture").toString("base64")}\n`;

/** waiting@ this domain is pending: nothing listened at its exchanger. */
export const LATER_DOMAIN = "later.example";
