/**
 * Creates a spool with an account by the code of another checkout, a separate program: `account-maker.ts CHECKOUT DIR`. It asks over the IPC
 * channel for records of the zone, and sends the account at the end.
 */
import { once } from "node:events";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { ZoneRecord } from "../../src/testing/zone-server.ts";
import type { createAccount } from "../sides/postrider-account.ts";

const [checkout = "", dir = ""] = process.argv.slice(2);
const file = pathToFileURL(join(checkout, "bench/sides/postrider-account.ts")).href;
const module = (await import(file)) as { createAccount: typeof createAccount };
const zone = {
  async set(record: ZoneRecord): Promise<void> {
    process.send?.({ record });
    await once(process, "message");
  },
  async stop(): Promise<void> {},
};
const account = await module.createAccount(dir, zone);
process.send?.({ account }, () => process.disconnect());
