/**
 * Fetches a recipient domain's policy file over HTTPS (RFC 8461 §3.3): one GET with every limit that an untrusted server requires.
 * mailauth's own fetch limits neither the body nor the total time, and connects to any address. mta-sts.ts reads
 * the content of the file.
 */
import type { IncomingMessage } from "node:http";
import { request } from "node:https";
import { isIPv6, type LookupFunction } from "node:net";
import { refusedRange } from "../../dns/address-policy.ts";
import type { Resolver } from "../../dns/resolver.ts";
import { type Body, readBody } from "../../lib/bounded-body.ts";
import type { Clock } from "../../lib/clock.ts";
import { connectionErrorText } from "../../lib/error-text.ts";
import { connectHttps } from "../../lib/handshake-limit.ts";
import { KEY_EXCHANGE } from "../../lib/tls-key-exchange.ts";
import { addressesOf } from "../routing/route.ts";

export interface StsFetchParts {
  resolver: Resolver;
  clock: Clock;
  /** Whether to connect to loopback, private and link-local addresses. */
  allowPrivate: boolean;
  /** 443 unless given. */
  port?: number;
  /** Trust anchors in PEM instead of the built-in ones. */
  ca?: string;
  /** For DNS, connection and body together. */
  limitMs?: number;
}

export type StsFile = { type: "fetched"; text: string } | { type: "failed"; error: string };

/** The limit unless another one is given. */
export const LIMIT_MS = 60_000;
const BYTES_MAX = 64 * 1024;

const failed = (error: string): StsFile => ({ type: "failed", error });

/**
 * The text of https://mta-sts.DOMAIN/.well-known/mta-sts.txt. Settles within the limit, or when the signal aborts; never
 * rejects.
 */
export function fetchStsFile(domain: string, parts: StsFetchParts, abandoned?: AbortSignal): Promise<StsFile> {
  const { clock, limitMs = LIMIT_MS } = parts;
  const abort = new AbortController();
  return new Promise((resolve) => {
    const end = (error: string): void => {
      abort.abort();
      resolve(failed(error));
    };
    const cancel = clock.after(limitMs, () => end(`not fetched within ${limitMs} ms`));
    abandoned?.addEventListener("abort", () => {
      cancel();
      end("abandoned: too many policy hosts are slow");
    });
    fetchUntil(abort.signal, `mta-sts.${domain}`, parts).then(
      (file) => {
        cancel();
        resolve(file);
      },
      (error: Error) => {
        cancel();
        resolve(failed(connectionErrorText(error)));
      },
    );
  });
}

/** Addresses of the policy host that may be tried. */
const ADDRESSES_MAX = 8;

async function fetchUntil(signal: AbortSignal, host: string, parts: StsFetchParts): Promise<StsFile> {
  const { port = 443, ca, allowPrivate, resolver } = parts;
  const found = await addressesOf({ name: host, port, isSink: false }, resolver, { max: ADDRESSES_MAX });
  if (found.type === "none") return failed(`${host}: ${found.error}`);
  const allowed = found.addresses.filter((address) => allowPrivate || refusedRange(address) === null);
  if (allowed.length === 0) return failed(`${host} has no public address; see SMTP_ALLOW_PRIVATE`);
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const outgoing = request(
      {
        host,
        port,
        path: "/.well-known/mta-sts.txt",
        servername: host,
        lookup: lookupIn(allowed),
        createConnection: connectHttps,
        signal,
        ...KEY_EXCHANGE,
        ...(ca === undefined ? {} : { ca }),
      },
      resolve,
    );
    outgoing.on("error", reject);
    // Deliveries do not wait for it, so neither does the end of the process.
    outgoing.on("socket", (socket) => socket.unref());
    outgoing.end();
  });
  const file = await fileOf(response);
  response.destroy();
  return file;
}

/** Only a 200 is the file: a redirect must not be followed (RFC 8461 §3.3). */
async function fileOf(response: IncomingMessage): Promise<StsFile> {
  if (response.statusCode !== 200) return failed(`HTTP status ${response.statusCode}`);
  const mediaType = response.headers["content-type"]?.split(";")[0]?.trim().toLowerCase();
  // A file of another type may have been uploaded by a user of that host (RFC 8461 §3.2).
  if (mediaType !== undefined && mediaType !== "text/plain") return failed(`media type ${mediaType}`);
  const body = await readBody(response, { bytesMax: BYTES_MAX });
  return body.type === "read" ? { type: "fetched", text: body.bytes.toString("utf8") } : failed(FAULTS[body.type]);
}

const FAULTS: Record<Exclude<Body["type"], "read">, string> = {
  too_large: `more than ${BYTES_MAX} bytes`,
  fragmented: "the body arrived in too many small chunks",
  cut_off: "the body ended early",
};

/** Connects only to the addresses that were checked: a second look-up could return others. */
function lookupIn(addresses: string[]): LookupFunction {
  const [first = ""] = addresses;
  const entry = (address: string) => ({ address, family: isIPv6(address) ? 6 : 4 });
  return (_, { all }, answer) => {
    if (all) answer(null, addresses.map(entry));
    else answer(null, first, entry(first).family);
  };
}
