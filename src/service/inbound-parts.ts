/** The listener for bounces, complaints and reports that come back. What it stores is read by a background task. */

import type { IncomingRecipients } from "../app/incoming/incoming-recipients.ts";
import { AddressLimits } from "../inbound/address-limits.ts";
import { Backlog, type BacklogParts } from "../inbound/backlog.ts";
import { type InboundListener, listenForInbound } from "../inbound/listener.ts";
import type { InboundReply } from "../inbound/protocol.ts";
import type { IncomingStore } from "../inbound/session.ts";
import { withoutRedaction } from "../lib/log.ts";
import { MIB } from "../lib/units.ts";
import type { ObtainedPair } from "../security/served-certificate.ts";
import { MessageMemory } from "../smtp-server/message-memory.ts";
import type { ServiceCore } from "./service-core.ts";

export interface InboundParts {
  recipients: IncomingRecipients;
  store: IncomingStore & BacklogParts["store"];
  /** By ACME; absent without it. */
  obtained: ObtainedPair | undefined;
}

/** Less than submission has: senders try again. */
const MEMORY = { shortBytes: 16 * MIB, longBytes: 32 * MIB };

/** Starts listening if a port is set. Rejects if the port cannot be used. */
export async function startInbound(
  { config, clock, log, memory, metrics }: ServiceCore,
  { recipients, store, obtained }: InboundParts,
): Promise<InboundListener | null> {
  const { inboundPort: port, host, hostname, certsDir } = config;
  if (port === null) return null;
  const lines = withoutRedaction(log);
  const onReply = ({ problem, types, ...rest }: InboundReply): void => {
    if (problem !== null) metrics.incomingRefused(problem);
    for (const type of types) metrics.incomingStored(type);
    lines.info(problem === null ? { ...rest, types } : { ...rest, problem }, "inbound");
  };
  return listenForInbound({
    host,
    port,
    certsDir,
    obtained,
    hostname,
    recipients,
    store,
    memory,
    clock,
    log,
    onReply,
    addresses: new AddressLimits(clock),
    backlog: new Backlog({ store, clock }),
    messages: new MessageMemory(clock, MEMORY),
  });
}
