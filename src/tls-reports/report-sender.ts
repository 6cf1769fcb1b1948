/**
 * Sends TLS reports (RFC 8460): of each recipient domain and UTC day with sessions, to the domains that ask for reports. What is not
 * sent is tried again in the next pass, and given up after some days.
 */
import { gzipSync } from "node:zlib";
import { type ServiceMessageParts, sendServiceMessage } from "../app/send/service-message.ts";
import type { Resolver } from "../dns/resolver.ts";
import type { Clock } from "../lib/clock.ts";
import { errorText } from "../lib/error-text.ts";
import type { Logger } from "../lib/log.ts";
import { DAY_MS } from "../lib/units.ts";
import {
  type OutgoingTlsReport,
  type ReportTarget,
  reportTargets,
  tlsReportFilename,
  tlsReportJson,
  tlsReportSubject,
} from "../message/reports/outgoing-tls-report.ts";
import type { Registry } from "../spool/port/accounts.ts";
import type { Domain } from "../spool/port/domains.ts";
import type { StsPolicies } from "../spool/port/sts-policies.ts";
import type { TlsDay, TlsSessionCounts } from "../spool/port/tls-sessions.ts";
import type { PostedReport } from "./https-report.ts";

/** Between passes. */
const PASS_INTERVAL_MS = 1_800_000;
/** After the end of a day, so that every node has stored its counts. */
const DAY_ENDED_MS = 600_000;
/** Days after which a report that could not be sent is given up. */
const GIVEN_UP_DAYS = 3;
const PAGE_DOMAINS = 100;
/** Domains at one time: a silent DNS server takes seconds. */
const DOMAINS_AT_ONCE = 8;

/** The key id of these messages. */
const TLS_REPORT_KEY = "tls-report";

export interface ReportSenderParts extends Omit<ServiceMessageParts, "clock"> {
  spool: TlsSessionCounts & Pick<StsPolicies, "stsPolicy">;
  registry: Pick<Registry, "accounts" | "domainNamed">;
  resolver: Pick<Resolver, "txt">;
  clock: Clock;
  log: Pick<Logger, "info" | "warn">;
  /** TLS_REPORTS_FROM. */
  from: { local: string; domain: string };
  /** Posts a compressed report. Never rejects. */
  post: (url: string, report: Buffer) => Promise<PostedReport>;
}

/** Starts the passes; returns how to stop them, after the reports under way. */
export function startReportSender(parts: ReportSenderParts): () => Promise<void> {
  const passes = new ReportSender(parts);
  let running: Promise<void> = Promise.resolve();
  let cancel = (): void => {};
  const run = (): void => {
    running = passes.run().then(() => {
      if (!passes.isStopped) cancel = parts.clock.after(PASS_INTERVAL_MS, run);
    });
  };
  run();
  return async () => {
    passes.isStopped = true;
    cancel();
    await running;
  };
}

export class ReportSender {
  readonly #parts: ReportSenderParts;
  isStopped = false;

  constructor(parts: ReportSenderParts) {
    this.#parts = parts;
  }

  /** Runs one pass over the days that have ended. Never rejects. */
  async run(): Promise<void> {
    const { spool, clock, log, from } = this.#parts;
    const today = dayOf(clock.now() - DAY_ENDED_MS);
    try {
      const sender = await this.#senderDomain();
      if (sender === null) log.warn({ domain: from.domain }, "TLS reports wait: their sender has no verified domain");
      let last: TlsDay | null = null;
      while (!this.isStopped) {
        const page: TlsDay[] = await spool.tlsDays(today, last, PAGE_DOMAINS);
        for (let at = 0; at < page.length && !this.isStopped; at += DOMAINS_AT_ONCE) {
          await Promise.all(page.slice(at, at + DOMAINS_AT_ONCE).map((of) => this.#report(of, { sender, today })));
        }
        last = page.at(-1) ?? null;
        if (page.length < PAGE_DOMAINS) return;
      }
    } catch (error) {
      log.warn({ error: errorText(error) }, "TLS reports not sent");
    }
  }

  /** Of the first account that may send from the domain. */
  async #senderDomain(): Promise<Domain | null> {
    const { registry, from } = this.#parts;
    for (const { id } of await registry.accounts()) {
      const domain = await registry.domainNamed(id, from.domain);
      if (domain?.verified) return domain;
    }
    return null;
  }

  /** Rejects if the spool cannot be used. */
  async #report(of: TlsDay, { sender, today }: { sender: Domain | null; today: number }): Promise<void> {
    const { spool, resolver, log } = this.#parts;
    const isGivenUp = of.day < today - GIVEN_UP_DAYS;
    if (sender === null && !isGivenUp) return;
    const answer = isGivenUp ? null : await resolver.txt(`_smtp._tls.${of.domain}`);
    if (answer?.type === "failure") return;
    const targets = answer?.type === "found" ? reportTargets(answer.records) : [];
    if (sender !== null && targets.length > 0) {
      const report = await this.#reportOn(of, sender);
      const results = await Promise.all(targets.map((target) => this.#send(target, { report, sender })));
      const failed = results.filter((result) => result.type !== "sent");
      log.info({ domain: of.domain, targets: targets.length, failed }, "TLS report");
      if (results.some(({ type }) => type === "failed")) return;
    }
    await spool.removeTlsSessions(of);
  }

  async #reportOn(of: TlsDay, sender: Domain): Promise<OutgoingTlsReport> {
    const { spool, from } = this.#parts;
    const beginMs = of.day * DAY_MS;
    const sts = await spool.stsPolicy(of.domain);
    const maxAgeS = sts === null ? 0 : Math.round((sts.expiresAtMs - sts.fetchedAtMs) / 1000);
    return {
      domain: of.domain,
      submitter: sender.name,
      contact: `${from.local}@${from.domain}`,
      reportId: `${new Date(beginMs).toISOString().slice(0, 10)}_${of.domain}@${sender.name}`,
      beginMs,
      endMs: beginMs + DAY_MS,
      sessions: await spool.tlsSessions(of),
      sts: sts === null ? null : { mode: sts.mode, mx: sts.mx, maxAgeS },
    };
  }

  #send(
    target: ReportTarget,
    { report, sender }: { report: OutgoingTlsReport; sender: Domain },
  ): Promise<PostedReport> {
    const content = gzipSync(tlsReportJson(report));
    return target.type === "https"
      ? this.#parts.post(target.url, content)
      : this.#mail(target.address, { report, sender, content });
  }

  async #mail(
    to: string,
    { report, sender, content }: { report: OutgoingTlsReport; sender: Domain; content: Buffer },
  ): Promise<PostedReport> {
    const filename = tlsReportFilename(report);
    const result = await sendServiceMessage(this.#parts, {
      keyId: TLS_REPORT_KEY,
      domain: sender,
      local: this.#parts.from.local,
      to,
      subject: tlsReportSubject(report),
      text: textOf(report),
      html: null,
      headers: [
        { name: "TLS-Report-Domain", value: report.domain },
        { name: "TLS-Report-Submitter", value: report.submitter },
      ],
      report: {
        type: "tlsrpt",
        attachment: { filename, contentType: "application/tlsrpt+gzip", contentId: null, content },
      },
      // A pass that was interrupted is repeated, and must not send twice.
      idempotencyKey: `tls-report ${report.reportId} ${to}`,
    });
    if (result.type === "accepted" || result.type === "replayed") return { type: "sent" };
    if (result.type === "invalid_recipient") return { type: "refused", error: result.detail };
    // An earlier pass has sent it, with the policy of that time.
    if (result.code === "idempotency_key_reused") return { type: "sent" };
    return { type: "failed", error: result.detail };
  }
}

const dayOf = (atMs: number): number => Math.floor(atMs / DAY_MS);

function textOf({ domain, submitter, contact, beginMs }: OutgoingTlsReport): string {
  const day = new Date(beginMs).toISOString().slice(0, 10);
  return `This is an aggregate TLS report from ${submitter} about deliveries to ${domain} on ${day} (UTC).\n\nContact: ${contact}\n`;
}
