/**
 * Compares this server's clock with the Date header of a web server of PROBE_DOMAINS: the MTA-STS policy host, which delivery
 * also requests. The certificate is not verified: with a clock that is far off none is valid, and only the time is used.
 */

import { access } from "node:fs/promises";
import { request } from "node:https";
import { refusedRange } from "../dns/address-policy.ts";
import { KEY_EXCHANGE } from "../lib/tls-key-exchange.ts";
import { HOUR_MS } from "../lib/units.ts";
import type { DoctorInput, Finding } from "./finding.ts";

const REQUEST_TIMEOUT_MS = 5000;
/** A Date header has a resolution of one second, and the response takes time. */
const OFFSET_WARNING_MS = 10_000;
/** From this offset on, certificates and signatures are rejected. */
const OFFSET_PROBLEM_MS = HOUR_MS;

/** systemd-timesyncd creates this file when it has set the clock. */
const SYNCHRONISED_FILE = "/run/systemd/timesync/synchronized";

export async function checkClock(input: DoctorInput): Promise<Finding> {
  const offsets = await Promise.all(input.config.probeDomains.map((domain) => measureOffsetMs(domain, input)));
  const known = offsets.filter((offset) => offset !== null);
  // One server may be wrong; all of them are unlikely to be wrong by the same offset.
  const nearest = known.toSorted((a, b) => Math.abs(a) - Math.abs(b))[0];
  if (nearest !== undefined) return clockFinding(nearest);
  const isSynchronised = await access(SYNCHRONISED_FILE).then(
    () => true,
    () => false,
  );
  const detail = isSynchronised
    ? "No web server returned the time, but systemd-timesyncd synchronizes the clock."
    : "No web server returned the time. Make sure that an NTP client runs: timedatectl should show “System clock synchronized: yes”.";
  return { check: "clock", state: isSynchronised ? "ok" : "unclear", detail };
}

/** The finding for an offset in milliseconds: positive where this clock is ahead of the others. */
export function clockFinding(offset: number): Finding {
  const check = "clock";
  const off = Math.abs(offset);
  if (off <= OFFSET_WARNING_MS)
    return { check, state: "ok", detail: "The clock agrees with other hosts to within 10 s." };
  const detail = `The clock is ${Math.round(off / 1000)} s ${offset > 0 ? "ahead of" : "behind"} other hosts. Run an NTP client, such as systemd-timesyncd or chrony.`;
  return { check, state: off > OFFSET_PROBLEM_MS ? "problem" : "warning", detail };
}

async function measureOffsetMs(domain: string, input: DoctorInput): Promise<number | null> {
  const { resolver, config, clock, httpsPort: port = 443 } = input;
  const servername = `mta-sts.${domain}`;
  const answer = await resolver.a(servername);
  const addresses = answer.type === "found" ? answer.records : [];
  const host = addresses.find((address) => config.smtpAllowPrivate || refusedRange(address) === null);
  if (host === undefined) return null;
  const date = await fetchDate({ host, port, servername });
  return date === null ? null : clock.now() - date;
}

function fetchDate({
  host,
  port,
  servername,
}: {
  host: string;
  port: number;
  servername: string;
}): Promise<number | null> {
  return new Promise((resolve) => {
    const outgoing = request(
      {
        host,
        port,
        servername,
        method: "HEAD",
        path: "/.well-known/mta-sts.txt",
        agent: false,
        ...KEY_EXCHANGE,

        headers: { Host: servername },
        rejectUnauthorized: false,
        signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
      },
      (response) => {
        const date = Date.parse(response.headers.date ?? "");
        response.destroy();
        resolve(Number.isNaN(date) ? null : date);
      },
    );
    outgoing.on("error", () => resolve(null));
    outgoing.end();
  });
}
