/** `queue set-aside`: mail that has come back, and whose reading took too long or ended the process. */
import { rfc3339 } from "../lib/clock.ts";
import type { Implementation } from "./command.ts";
import { table } from "./table.ts";

export const queueSetAside: Implementation = {
  async run({ store }) {
    const entries = (await store.setAsideMails()).map((mail) => ({
      id: mail.id,
      recipient: mail.recipient,
      sender: mail.envelopeSender,
      ip: mail.ip,
      octets: mail.octets,
      received_at: rfc3339(mail.receivedAtMs),
      set_aside_at: rfc3339(mail.setAsideAtMs),
    }));
    const rows = entries.map(({ id, recipient, sender, ip, octets, set_aside_at }) => [
      id,
      recipient,
      `<${sender}>`,
      ip,
      String(octets),
      set_aside_at,
    ]);
    const heading = ["MAIL", "RECIPIENT", "SENDER", "ADDRESS", "OCTETS", "SET ASIDE"];
    return { json: entries, text: table(heading, rows, "No mail that has come back is set aside.") };
  },
};
