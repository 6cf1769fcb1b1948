/** What comes back: the listener for it, and the task that reads what the listener has stored. */

import type { SendingAddresses } from "../app/domains/sending-addresses.ts";
import { ForwardToUsers } from "../app/incoming/forward-to-users.ts";
import { startIncomingMail } from "../app/incoming/incoming-mail.ts";
import { ThreadedReader } from "../app/incoming/incoming-reader.ts";
import { incomingRecipients } from "../app/incoming/incoming-recipients.ts";
import { ReportIntake } from "../app/incoming/report-intake.ts";
import { ReportPlaces } from "../app/incoming/report-places.ts";
import { runDutyTask } from "../app/installation/duty-task.ts";
import type { AcceptMessage } from "../app/send/accept-message.ts";
import type { Resolver } from "../dns/resolver.ts";
import type { InboundListener } from "../inbound/listener.ts";
import { withoutRedaction } from "../lib/log.ts";
import type { SinkBounce } from "../testing/sink/later-bounces.ts";
import type { Delivery } from "./delivery-parts.ts";
import { type InboundParts, startInbound } from "./inbound-parts.ts";
import type { ServiceCore } from "./service-core.ts";

export interface IncomingParts extends Pick<InboundParts, "obtained"> {
  acceptMessage: AcceptMessage;
  addresses: Pick<SendingAddresses, "all">;
  delivery: Pick<Delivery, "receiverCounts">;
  resolver: Resolver;
}

export interface IncomingFront {
  listener: InboundListener | null;
  /** Begins no other mail. */
  stopReading(): Promise<void>;
}

/** Rejects if the listener's port cannot be used. */
export async function startIncoming(
  core: ServiceCore,
  { acceptMessage, addresses, delivery, resolver, obtained }: IncomingParts,
): Promise<IncomingFront> {
  const { spool, clock, log, metrics, memory, feedbackKey: key } = core;
  const recipients = incomingRecipients({ key, domains: spool });
  const listener = await startInbound(core, { recipients, store: spool, obtained });
  const reader = new ThreadedReader(memory);
  const forward = new ForwardToUsers({ acceptMessage, people: spool.people, reader, clock, log });
  const task = runDutyTask(spool.duties, "incoming_mail", () =>
    startIncomingMail({
      spool,
      recipients,
      key,
      reader,
      resolver,
      forward,
      clock,
      sendingIps: () => addresses.all,
      log: withoutRedaction(log),
      places: new ReportPlaces(spool),
      intake: new ReportIntake(spool),
      countComplaint: ({ receiver, ...about }) => delivery.receiverCounts.addComplaint(receiver, about),
      count: (outcome) => metrics.incomingApplied(outcome),
      countRefused: (reason) => metrics.reportRefused(reason),
    }),
  );
  return {
    listener,
    async stopReading() {
      await task.stop();
      await reader.close();
    },
  };
}

/** Stores the bounces that the sink for test messages plays, as the listener stores those of other hosts. */
export function storeBounces({ spool, clock, log }: ServiceCore): (bounce: SinkBounce) => void {
  return ({ envelopeSender: recipient, content }) => {
    const mail = { recipient, envelopeSender: "", ip: "127.0.0.1", receivedAtMs: clock.now(), content };
    spool
      .storeIncoming(mail)
      .catch((error: Error) => log.warn({ error: error.message }, "bounce of a test message lost"));
  };
}
