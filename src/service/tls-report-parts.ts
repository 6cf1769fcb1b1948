/** Wires the TLS reports that are sent: the counts of sessions, which every process keeps, and the sender, which one process runs. */

import { type DutyTask, runDutyTask } from "../app/installation/duty-task.ts";
import type { AcceptMessage } from "../app/send/accept-message.ts";
import { SessionCounts } from "../delivery/tls/session-counts.ts";
import { ownAddresses } from "../dns/own-addresses.ts";
import type { Resolver } from "../dns/resolver.ts";
import { postReport } from "../tls-reports/https-report.ts";
import { startReportSender } from "../tls-reports/report-sender.ts";
import type { ServiceCore } from "./service-core.ts";

export class TlsReports {
  readonly sessionCounts: SessionCounts;
  readonly #start: (acceptMessage: Pick<AcceptMessage, "accept">) => DutyTask;
  #task: DutyTask | null = null;

  constructor(core: ServiceCore, from: { local: string; domain: string }, host: ReportingHost) {
    const { config, spool, clock, log } = core;
    const { resolver, sendingIps } = host;
    const reportsFrom = `${from.local}@${from.domain}`;
    this.sessionCounts = new SessionCounts({ spool, clock, log, sendingIps, reportsFrom });
    const policy = {
      resolver,
      allowPrivate: config.webhookAllowPrivate,
      isOwnAddress: ownAddresses({ clock, sendingIps }),
    };
    this.#start = (acceptMessage) =>
      runDutyTask(spool.duties, "tls_reports", () =>
        startReportSender({
          spool,
          registry: spool,
          resolver,
          clock,
          log,
          from,
          acceptMessage,
          post: (url, report) => postReport(url, report, policy),
        }),
      );
  }

  start(acceptMessage: Pick<AcceptMessage, "accept">): void {
    this.sessionCounts.start();
    this.#task = this.#start(acceptMessage);
  }

  /** Ends the sender, after the reports under way. */
  async stopSending(): Promise<void> {
    await this.#task?.stop();
  }
}

/** This host. */
export interface ReportingHost {
  resolver: Resolver;
  sendingIps: readonly string[];
}

/** Null where none are sent. */
export function wireTlsReports(core: ServiceCore, host: ReportingHost): TlsReports | null {
  const { tlsReportsFrom } = core.config;
  return tlsReportsFrom === null ? null : new TlsReports(core, tlsReportsFrom, host);
}
