/** Whether the host's name has a web page with contact data, which T-Online wants to see before it takes mail from an address. */
import { type IncomingMessage, request } from "node:http";
import { request as requestTls } from "node:https";
import { isIPv4, isIPv6 } from "node:net";
import { refusedRange } from "../dns/address-policy.ts";
import { lookUpAddresses } from "../dns/reverse-name.ts";
import { readBody } from "../lib/bounded-body.ts";
import { KEY_EXCHANGE } from "../lib/tls-key-exchange.ts";
import type { DoctorInput, Finding } from "./finding.ts";

const check = "contact_page";

const REQUEST_TIMEOUT_MS = 5000;
const BYTES_MAX = 256 * 1024;
/** Redirects that are followed, only to the same host. */
const REDIRECTS_MAX = 2;

/** An address of mail, as text or in a link. */
const CONTACT = /[\w.+-]{1,64}(?:@|&#64;|\s?\(at\)\s?|%40)[\w-]{1,63}\.[a-z]/iu;

const ADVICE = "T-Online takes mail from an address only if its server's name has such a page.";

export async function checkContactPage(input: DoctorInput): Promise<Finding> {
  const { hostname, contactPage } = input.config;
  const found = await findPage(input);
  if (found !== null) return { check, state: "ok", detail: `${found} has contact data.` };
  if (contactPage === null) {
    const detail = `No page with contact data was found at ${hostname}. ${ADVICE} CONTACT_PAGE_FILE serves one.`;
    return { check, state: "ok", detail };
  }
  const where = `http://${hostname}/ or https://${hostname}/`;
  const detail = `CONTACT_PAGE_FILE is set, but no page with an email address was found at ${where} from this server. ${ADVICE} Let the reverse proxy pass that name's requests to Postrider.`;
  return { check, state: "warning", detail };
}

/** The URL of the page; null if there is none. */
async function findPage(input: DoctorInput): Promise<string | null> {
  const { hostname } = input.config;
  const addresses = await addressesOf(input);
  for (const scheme of ["https:", "http:"]) {
    for (const address of addresses) {
      const url = await pageAt(new URL(`${scheme}//${hostname}/`), address, input).catch(() => null);
      if (url !== null) return url;
    }
  }
  return null;
}

async function addressesOf({ resolver, config: { hostname, smtpAllowPrivate } }: DoctorInput): Promise<string[]> {
  const { addresses } = await lookUpAddresses(hostname, resolver);
  // One of each family.
  const first = [addresses.find(isIPv4), addresses.find(isIPv6)].filter((address) => address !== undefined);
  return first.filter((address) => smtpAllowPrivate || refusedRange(address) === null);
}

async function pageAt(
  first: URL,
  address: string,
  { httpsPort = 443, httpPort = 80 }: DoctorInput,
): Promise<string | null> {
  let url = first;
  for (let redirects = 0; redirects <= REDIRECTS_MAX; redirects += 1) {
    const response = await get(url, { address, port: url.protocol === "https:" ? httpsPort : httpPort });
    const { statusCode = 0, headers } = response;
    const body = statusCode === 200 ? await readBody(response, { bytesMax: BYTES_MAX }) : null;
    response.destroy();
    if (body !== null) return body.type === "read" && CONTACT.test(body.bytes.toString("utf8")) ? url.href : null;
    if (statusCode < 300 || statusCode > 399 || headers.location === undefined) return null;
    const next = new URL(headers.location, url);
    if (next.hostname !== first.hostname || !/^https?:$/u.test(next.protocol)) return null;
    url = next;
  }
  return null;
}

/** The certificate is not verified: people look at the page, and it is this server's own. */
function get(url: URL, { address, port }: { address: string; port: number }): Promise<IncomingMessage> {
  const { hostname, pathname, search, protocol } = url;
  const options = {
    host: address,
    port,
    path: `${pathname}${search}`,
    agent: false,
    headers: { Host: hostname, Accept: "text/html" },
    signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
  };
  return new Promise((resolve, reject) => {
    const outgoing =
      protocol === "https:"
        ? requestTls({ ...options, ...KEY_EXCHANGE, servername: hostname, rejectUnauthorized: false }, resolve)
        : request(options, resolve);
    outgoing.on("error", reject).end();
  });
}
