/**
 * From nothing to a first result: node first-steps.mts DOMAIN RECIPIENT WEBHOOK_URL
 * POSTRIDER_URL is the address of the service, POSTRIDER_KEY a key with the permission manage or operate.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { Postrider } from "postrider-client";

const [domain = "", recipient = "", webhook = ""] = process.argv.slice(2);
const { POSTRIDER_URL: url = "", POSTRIDER_KEY = "" } = process.env;
const manager = new Postrider({ url, key: POSTRIDER_KEY });

const { records } = await manager.addDomain({ name: domain }, { idempotencyKey: `add ${domain}` });
console.log("Publish these records:");
for (const { name, type, value } of records) console.log(name, type, value);
while (!(await manager.verifyDomain(domain)).verified) await sleep(5000);

const { key } = await manager.createKey({ name: "website", permissions: ["send", "read"], domains: [domain] });
const { secret } = await manager.createWebhook({ url: webhook, domains: [domain] });
console.log("Key:", key);
console.log("Webhook secret:", secret);

const website = new Postrider({ url, key });
const letter = { from: `hello@${domain}`, to: recipient, subject: "First", text: "It works." };
const { id } = await website.send(letter);
const { recipients } = await website.lookUpMessage(id, { wait: 60 });
console.log("Result:", recipients[0]?.result);
