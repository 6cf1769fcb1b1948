/** What the doctor may examine of an open spool: its file or database, its quarantine, the master key of its secrets, blocks, and the certificate. */
import type { DoctorInput, ReceiverBlock } from "../../doctor/finding.ts";
import type { Clock } from "../../lib/clock.ts";
import { delistingPageOf } from "../../receivers/receiver.ts";
import { readCertificateState } from "../../spool/port/certificate-state.ts";
import type { Nodes } from "../../spool/port/nodes.ts";
import type { Spool } from "../../spool/port/spool.ts";
import { closedAt, readReceivers } from "../reports/receivers.ts";
import { readSendingAddresses } from "../reports/sending-addresses.ts";
import { storedTraffic } from "../reports/traffic-board.ts";
import type { Installation } from "./installation-parts.ts";
import { masterKeyState } from "./master-key.ts";

/** Quarantined messages that a finding may name. */
const QUARANTINED_SHOWN = 10;

type ExaminedSpool = Pick<Spool, "quarantined" | "readValue" | "readLiveNodeValues">;

/** The spool's part of the doctor's DoctorInput; nothing is examined yet. */
export function spoolExamination(
  installation: Installation,
  spool: ExaminedSpool,
  clock: Clock,
): Required<
  Pick<DoctorInput, "location" | "checkStore" | "quarantined" | "masterKey" | "blocks" | "certificateState">
> {
  return {
    location: installation.spool.location,
    checkStore: () => installation.spool.check(),
    quarantined: () => spool.quarantined(QUARANTINED_SHOWN),
    masterKey: () => masterKeyState(installation),
    blocks: () => readBlocks(spool, clock.now()),
    certificateState: () => readCertificateState(spool),
  };
}

/** The sending addresses that no host has which runs. */
export async function absentAddresses(spool: Pick<Spool, "readValue">, nodes: Nodes | null): Promise<string[]> {
  const addresses = await readSendingAddresses(spool, nodes);
  return addresses.filter(({ state }) => state === "absent").map(({ ip }) => ip);
}

async function readBlocks(spool: ExaminedSpool, nowMs: number): Promise<ReceiverBlock[]> {
  const traffic = await storedTraffic(spool, nowMs);
  const receivers = await readReceivers({ spool, traffic, configured: new Map(), nowMs });
  return receivers.flatMap((receiver) => {
    const { name, profile } = receiver;
    const blocked = closedAt(receiver).filter(({ state }) => state === "blocked");
    return blocked.map(({ address, closed: { sinceMs, last } }) => ({
      label: profile?.label ?? name,
      isKnown: profile !== null,
      address,
      sinceMs,
      reply: last?.text ?? null,
      url: delistingPageOf(profile),
    }));
  });
}
