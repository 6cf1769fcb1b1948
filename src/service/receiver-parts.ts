/** Wires the daily preflight of this server's addresses. */
import type { SendingAddresses } from "../app/domains/sending-addresses.ts";
import { DailyPreflight } from "../app/installation/daily-preflight.ts";
import { worseNotice } from "../app/notices/blocked-receivers.ts";
import type { NoticeBoard } from "../app/notices/notice-board.ts";
import { configuredPreflight } from "../doctor/configured-preflight.ts";
import type { ServiceCore } from "./service-core.ts";

export interface ReceiverWiring {
  /** The addresses of this server. */
  addresses: Pick<SendingAddresses, "here">;
  /** Whether this process is the one of its host that runs preflights. */
  isFirst: boolean;
}

/** Starts it. Returns how to stop. */
export function startReceiverWatch(
  core: ServiceCore,
  { addresses, isFirst, board }: ReceiverWiring & { board: Pick<NoticeBoard, "post"> },
): () => Promise<void> {
  const { config, spool, clock, log } = core;
  const preflight = new DailyPreflight({
    spool,
    clock,
    log,
    random: Math.random,
    examine: (profiles) => configuredPreflight(config, profiles, async () => addresses.here),
    async onWorse(sentences, atMs) {
      await board.post(worseNotice(config.nodeName, sentences, atMs));
    },
  });
  // With a sink, nothing is sent from this server.
  if (isFirst && config.preflight === "daily" && config.sink === null) preflight.start();
  return async () => preflight.stop();
}
