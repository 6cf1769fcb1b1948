/** What comes back: the listener for it, and the task that reads what the listener has stored. */
import type { InboundListener } from "../../inbound/listener.ts";
import { withoutRedaction } from "../../lib/log.ts";
import type { SinkBounce } from "../../testing/sink/later-bounces.ts";
import type { AcceptMessage } from "../accept-message.ts";
import { runDutyTask } from "../duty-task.ts";
import { ForwardToUsers } from "../forward-to-users.ts";
import { startIncomingMail } from "../incoming-mail.ts";
import { ThreadedReader } from "../incoming-reader.ts";
import { incomingRecipients } from "../incoming-recipients.ts";
import type { SendingAddresses } from "../sending-addresses.ts";
import { startInbound } from "./inbound.ts";
import type { ServiceCore } from "./service-core.ts";

export interface IncomingParts {
  acceptMessage: AcceptMessage;
  addresses: Pick<SendingAddresses, "all">;
}

export interface IncomingFront {
  listener: InboundListener | null;
  /** Begins no other mail. */
  stopReading(): Promise<void>;
}

/** Rejects if the listener's port cannot be used. */
export async function startIncoming(
  core: ServiceCore,
  { acceptMessage, addresses }: IncomingParts,
): Promise<IncomingFront> {
  const { spool, clock, log, metrics, feedbackKey: key } = core;
  const recipients = incomingRecipients({ key, domains: spool });
  const listener = await startInbound(core, { recipients, store: spool });
  const reader = new ThreadedReader();
  const forward = new ForwardToUsers({ acceptMessage, people: spool.people, clock, log });
  const task = runDutyTask(spool.duties, "incoming_mail", () =>
    startIncomingMail({
      ...{ spool, recipients, key, reader, forward, clock },
      sendingIps: () => addresses.all,
      log: withoutRedaction(log),
      count: (outcome) => metrics.incomingApplied(outcome),
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
