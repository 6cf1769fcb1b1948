/**
 * Whether other servers can deliver mail that comes back: they connect to port 25 of MTA_HOSTNAME, at the addresses that the name
 * has in DNS, and use STARTTLS where it is offered. Whether a firewall lets them in cannot be seen from this server.
 */
import { isLoopbackName } from "../lib/loopback-name.ts";
import { BY_ACME, examinePair, type Verdict } from "./certificate-files.ts";
import type { DoctorInput, DoctorSettings, Finding } from "./finding.ts";

const SMTP_PORT = 25;

const OFF =
  "INBOUND_PORT is not set: the inbound listener is off, and bounces are sent to the From address of messages. Set it for domains with a return path.";

export async function checkInbound({ config, clock }: DoctorInput): Promise<Finding> {
  const { inboundPort: port, host, hostname } = config;
  if (port === null) return { check: "inbound", state: "ok", detail: OFF };
  const reach =
    port === SMTP_PORT
      ? `Other servers must reach port ${SMTP_PORT} of ${hostname}.`
      : `Other servers connect to port ${SMTP_PORT} of ${hostname}: forward it to INBOUND_PORT=${port}.`;
  if (isLoopbackName(host)) {
    const detail = `HOST=${host}: no other server can reach the inbound listener. Listen on an address that others reach.`;
    return { check: "inbound", state: "warning", detail };
  }
  const { state, detail } = await judgeCertificate(config, clock.now());
  return { check: "inbound", state, detail: `${detail} ${reach}` };
}

/** Few servers verify the name or the dates of a certificate, and mail arrives without one, so nothing here is a problem. */
async function judgeCertificate({ certsDir: dir, acme }: DoctorSettings, nowMs: number): Promise<Verdict> {
  for (const name of ["smtp", "http"] as const) {
    const examined = await examinePair({ dir, name }, nowMs);
    if (examined.type === "judged") return { ...examined.verdict, state: "warning" };
    if (examined.type === "found") {
      return { state: "ok", detail: `Mail that comes back may arrive under TLS, with ${name}.crt.` };
    }
  }
  if (acme !== null) return BY_ACME;
  return {
    state: "warning",
    detail:
      "Mail that comes back arrives without TLS, because there is no certificate. Put smtp.crt and smtp.key, or http.crt and http.key, into CERTS_DIR.",
  };
}
