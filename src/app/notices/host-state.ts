/** The notices of a host: a disk that fills, and a certificate that is not renewed. Each once a day. */
import type { Finding } from "../../doctor/finding.ts";
import { rfc3339 } from "../../lib/clock.ts";
import { DAY_MS } from "../../lib/units.ts";
import type { NoticeDraft } from "./notice.ts";

/** A renewal that comes later would be an accident. */
const ENDS_WITHIN_MS = 7 * DAY_MS;

export interface ServedCertificate {
  /** Such as `HTTPS`. */
  service: string;
  endsMs: number;
}

export interface HostStateParts {
  /** Names this server in notices. */
  host: string;
  /** Null where the spool is in a database, whose disk is another host's. */
  disk: (() => Promise<Finding>) | null;
  /** Those that the service serves now. */
  certificates: () => ServedCertificate[];
}

export async function hostNotices({ host, disk, certificates }: HostStateParts, nowMs: number): Promise<NoticeDraft[]> {
  const day = Math.floor(nowMs / DAY_MS);
  const finding = disk === null ? null : await disk();
  const ending = certificates().filter(({ endsMs }) => endsMs - nowMs < ENDS_WITHIN_MS);
  return [
    ...(finding === null || finding.state === "ok" ? [] : [diskNotice(host, finding, day)]),
    ...ending.map((certificate) => certificateNotice(certificate, day, nowMs)),
  ];
}

const diskNotice = (host: string, { state, detail }: Finding, day: number): NoticeDraft => ({
  kind: "disk_fills",
  accountId: null,
  cause: `disk ${host}`,
  // What has become worse is noticed on the same day.
  occurrence: `${state} on day ${day}`,
  subject: `The disk of ${host} fills`,
  paragraphs: [`On ${host}: ${detail}`, "What the doctor finds on this server:"],
  link: "/dashboard/operator/host",
});

/** Hosts that serve the same certificate cause one notice. */
const certificateNotice = ({ service, endsMs }: ServedCertificate, day: number, nowMs: number): NoticeDraft => ({
  kind: "certificate_ends",
  accountId: null,
  cause: `certificate ${service} ${endsMs}`,
  occurrence: `day ${day}`,
  subject: `The certificate of ${service} ${endsMs < nowMs ? "has ended" : `ends on ${rfc3339(endsMs).slice(0, 10)}`}`,
  paragraphs: [
    `The certificate that Postrider serves for ${service} ${endsMs < nowMs ? "ended" : "ends"} at ${rfc3339(endsMs)}, and was not renewed. From then on, clients reject it.`,
    "Renew it, and find out why it was not renewed automatically. Postrider serves a new one without a restart.",
    "What the doctor finds on this server:",
  ],
  link: "/dashboard/operator/host",
});
