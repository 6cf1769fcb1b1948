/** Wires notices: their conditions, the process that looks at them, and the ways that they leave. */
import { runDutyTask } from "../app/installation/duty-task.ts";
import { blockNotices } from "../app/notices/blocked-receivers.ts";
import { renewalNotices } from "../app/notices/certificate-renewal.ts";
import { FailedMessages, watchedAccounts } from "../app/notices/failed-messages.ts";
import { domainNotices } from "../app/notices/failing-domains.ts";
import { noticeWebhooks } from "../app/notices/failing-webhooks.ts";
import { heldKeyNotices } from "../app/notices/held-keys.ts";
import { hostNotices, type ServedCertificate } from "../app/notices/host-state.ts";
import { NoticeBoard, postAll } from "../app/notices/notice-board.ts";
import { NoticeSender } from "../app/notices/notice-sender.ts";
import { type Condition, LOOK_EVERY_MS, NoticeWatch } from "../app/notices/notice-watch.ts";
import { OperatorsWebhook } from "../app/notices/operators-webhook.ts";
import type { ReceiverSources } from "../app/reports/receivers.ts";
import type { AcceptMessage } from "../app/send/accept-message.ts";
import type { PostWebhook } from "../app/webhooks/webhook-test-event.ts";
import { checkDisk } from "../doctor/disk.ts";
import { MINUTE_MS } from "../lib/units.ts";
import { type Certificate, readCertificate } from "../security/served-certificate.ts";
import { newSecret } from "../webhooks/signature.ts";
import type { HttpFront } from "./http-server.ts";
import type { ServiceCore } from "./service-core.ts";

export interface NoticeWiring extends Pick<HttpFront, "publicUrl"> {
  listener: Pick<HttpFront["listener"], "certificateEndsMs">;
  acceptMessage: Pick<AcceptMessage, "accept">;
  operatorsWebhook: OperatorsWebhook;
  traffic: () => Promise<ReceiverSources["traffic"]>;
  /** Whether this process is the one of its host that looks at it. */
  isFirst: boolean;
}

export interface RunningNotices {
  board: NoticeBoard;
  /** Looks at webhook endpoints at once, because one was disabled. */
  endpointDisabled: () => void;
  stop: () => Promise<void>;
}

/** What the dashboard changes. */
export function wireNotices(
  { config, spool, vault }: ServiceCore,
  post: PostWebhook,
): Pick<NoticeWiring, "operatorsWebhook"> {
  const allowPrivate = config.webhookAllowPrivate;
  return { operatorsWebhook: new OperatorsWebhook({ store: spool, vault, newSecret, post, allowPrivate }) };
}

/** Starts looking. */
export function startNotices(core: ServiceCore, wiring: NoticeWiring): RunningNotices {
  const { spool, clock, log } = core;
  const board = new NoticeBoard({ store: spool, clock });
  const { acceptMessage, publicUrl, operatorsWebhook: webhook } = wiring;
  const { suppressAfter } = core.config;
  const people = spool.people;
  const ways = { store: spool, registry: spool, people, webhook, acceptMessage, publicUrl, suppressAfter };
  const conditions = serviceConditions(core, { board, webhook, traffic: wiring.traffic });
  let running: NoticeWatch | null = null;
  const task = runDutyTask(spool.duties, "notices", () => {
    const sender = new NoticeSender({ ...ways, clock, log });
    const watch = new NoticeWatch({ conditions, send: () => sender.run(), clock, log });
    running = watch;
    watch.start();
    return () => watch.stop();
  });
  const stopHost = wiring.isFirst ? startHostWatch(core, wiring, board) : async () => {};
  return {
    board,
    endpointDisabled: () => running?.soon("webhooks"),
    async stop() {
      await Promise.all([task.stop(), stopHost()]);
    },
  };
}

function serviceConditions(
  { config, spool, clock, log }: ServiceCore,
  { board, webhook, traffic }: { board: NoticeBoard; webhook: OperatorsWebhook } & Pick<NoticeWiring, "traffic">,
): Condition[] {
  const all = { store: spool, registry: spool, people: spool.people, reports: spool.reports, board, webhook, traffic };
  const blocks = { ...all, configured: config.destinationLimits };
  const webhooks = { ...all, resultsKeptMs: config.retention.resultsMs };
  const accounts = () => watchedAccounts(all);
  const failed = new FailedMessages({ ...all, log, monotonicMs: () => clock.monotonicMs(), accounts });
  return [
    {
      name: "keys",
      everyMs: LOOK_EVERY_MS,
      look: async (nowMs) => postAll(board, await heldKeyNotices(all, nowMs)),
    },
    { name: "webhooks", everyMs: MINUTE_MS, look: (nowMs) => noticeWebhooks(webhooks, nowMs) },
    { name: "domains", everyMs: MINUTE_MS, look: async (nowMs) => postAll(board, await domainNotices(all, nowMs)) },
    { name: "messages", everyMs: 15_000, look: (nowMs) => failed.notice(nowMs) },
    ...(config.acme === null
      ? []
      : [
          {
            name: "certificate",
            everyMs: 5 * MINUTE_MS,
            look: async (nowMs: number) => postAll(board, await renewalNotices(spool, nowMs)),
          },
        ]),
    {
      name: "receivers",
      everyMs: 5 * MINUTE_MS,
      look: async (nowMs) => postAll(board, await blockNotices(blocks, nowMs)),
    },
  ];
}

/** Each host looks at its own state; the process with the duty sends the notices. */
function startHostWatch(core: ServiceCore, { listener }: NoticeWiring, board: NoticeBoard): () => Promise<void> {
  const { config, installation, clock, log } = core;
  const isOnDisk = installation.spool.location.setting === "DATA_DIR";
  const parts = {
    host: config.nodeName,
    disk: isOnDisk ? () => checkDisk(config.dataDir) : null,
    certificates: () => servedCertificates(core, listener.certificateEndsMs()),
  };
  const host: Condition = {
    name: "host",
    everyMs: 5 * MINUTE_MS,
    look: async (nowMs) => postAll(board, await hostNotices(parts, nowMs)),
  };
  const watch = new NoticeWatch({ conditions: [host], send: async () => {}, clock, log });
  watch.start();
  return () => watch.stop();
}

/** That of HTTPS, and the one of the SMTP listeners if they have their own. */
function servedCertificates({ config }: ServiceCore, httpEndsMs: number | null): ServedCertificate[] {
  const { certsDir: dir, submissionPort, submissionsPort, inboundPort } = config;
  const hasSmtp = [submissionPort, submissionsPort, inboundPort].some((port) => port !== null);
  const smtp = hasSmtp ? smtpCertificate(dir) : null;
  return [
    ...(httpEndsMs === null ? [] : [{ service: "HTTPS", endsMs: httpEndsMs }]),
    ...(smtp === null ? [] : [{ service: "SMTP", endsMs: smtp.untilMs }]),
  ];
}

/** Null for one that cannot be used, which is not served. */
function smtpCertificate(dir: string): Certificate | null {
  try {
    return readCertificate({ dir, names: ["smtp"] });
  } catch {
    return null;
  }
}
