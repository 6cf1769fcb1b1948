/**
 * `npm run screenshots`: writes docs/images/NAME-{light,dark}.png, the images of the dashboard in the documents. Starts a DNS
 * zone, an SMTP sink and the service on loopback with made-up data, and takes its pages in Debian's Chromium. Nothing leaves
 * this machine. The service's clock shows a fixed moment, so dates, times and charts are
 * the same in every run; only DKIM keys differ. The font is the system's, DejaVu Sans where no other is installed.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Locator, Page } from "playwright-core";
import { readConfig } from "../src/config.ts";
import { createResolver } from "../src/dns/stub-resolver.ts";
import { systemClock } from "../src/lib/clock.ts";
import { silentLog } from "../src/lib/log.ts";
import { openVault } from "../src/security/vault.ts";
import { startService } from "../src/service/service.ts";
import { startSink } from "../src/sink.ts";
import { openSqliteSpool } from "../src/spool/engine/sqlite/sqlite-spool.ts";
import { startZoneServer } from "../src/testing/zone-server.ts";
import { findChromium, openWindow, startBrowser } from "../test/support/dashboard/chromium.ts";
import { signIn } from "../test/support/dashboard/sign-in.ts";
import { fillSpool, OPERATOR, WRONG_DOMAIN } from "./screenshots-data.ts";

const IMAGES = fileURLToPath(new URL("images/", import.meta.url));
const IMAGE_BYTES_MAX = 450_000;
const WIDTH_PX = 1280;
const MARGIN_PX = 16;
const SCALE = 1;

const NOW_MS = Date.UTC(2026, 2, 12, 20, 47, 12);
const HOSTNAME = "mta.example.com";
const SENDING_IP = "192.0.2.10";
const PROBE = "mail.example";
const BLOCKLIST = "blocklist.example";

/** The other pages of the tour: the image's name, the page, and the height that is taken. */
const TOUR = [
  ["start", "/start", 980],
  ["messages", "/messages?result=failed", 860],
  ["queue", "/operator/queue", 760],
  ["users", "/users", 720],
] as const;

const onFatal = (error: Error): never => {
  throw error;
};

/** Sets the clock of this process, which the service and the spool read, to the moment that the images show. */
function setClock(): void {
  const aheadMs = NOW_MS - Date.now();
  systemClock.now = () => Date.now() + aheadMs;
}

/**
 * The host as the doctor examines it: names that agree, a mail exchanger that greets, no blocklist entry. Answers are not
 * validated (DNSSEC), which is the one warning.
 */
function zoneRecords() {
  const a = (name: string, ip: string) => ({ name, type: "A" as const, values: [ip] });
  return [
    a(HOSTNAME, SENDING_IP),
    { name: `${SENDING_IP.split(".").reverse().join(".")}.in-addr.arpa`, type: "PTR" as const, values: [HOSTNAME] },
    { name: PROBE, type: "MX" as const, values: [`10 mx1.${PROBE}`] },
    a(`mx1.${PROBE}`, "127.0.0.1"),
    a(`2.0.0.127.${BLOCKLIST}`, "127.0.0.2"),
    { name: "isc.org", type: "MX" as const, values: ["10 mx.isc.org"] },
  ];
}

async function startAll(dir: string) {
  const zone = await startZoneServer({ records: zoneRecords() });
  const resolver = createResolver({ servers: [zone.address] });
  const sink = await startSink({ port: 0, dir: join(dir, "sink"), resolver });
  const config = readConfig({
    PORT: "0",
    HOST: "127.0.0.1",
    DATA_DIR: join(dir, "data"),
    CERTS_DIR: join(dir, "certs"),
    MTA_HOSTNAME: HOSTNAME,
    SENDING_IPS: SENDING_IP,
    DNS_SERVERS: zone.address,
    SMTP_PORT: String(sink.port),
    SMTP_ALLOW_PRIVATE: "true",
    PROBE_DOMAINS: PROBE,
    BLOCKLISTS: BLOCKLIST,
  });
  const { dataDir, certsDir } = config;
  const spool = await openSqliteSpool({ dataDir, role: "client", onFatal });
  const context = { resolver, hostname: HOSTNAME, sendingIps: [SENDING_IP], allowPrivate: true };
  const messageId = await fillSpool({ spool, vault: openVault(certsDir), zone, context, nowMs: NOW_MS });
  await spool.close();
  setClock();
  const service = await startService(config, silentLog, { onFatal });
  const stop = async (): Promise<void> => {
    await service.stop();
    await sink.close();
    await zone.close();
  };
  return { url: service.url, messageId, stop };
}

/** Takes the page in light and dark, from its top to the end of `last`. */
async function take(page: Page, name: string, last: Locator): Promise<void> {
  const box = await last.boundingBox();
  if (box === null) throw new Error(`${name}: the last element is not on the page`);
  await takeTop(page, name, Math.ceil(box.y + box.height) + MARGIN_PX);
}

/** Takes the top of the page in light and dark. */
async function takeTop(page: Page, name: string, heightPx: number): Promise<void> {
  await page.setViewportSize({ width: WIDTH_PX, height: heightPx });
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    const file = `${name}-${colorScheme}.png`;
    const image = await page.screenshot();
    writeFileSync(join(IMAGES, file), image);
    process.stdout.write(`docs/images/${file}  ${Math.ceil(image.length / 1000)} KB\n`);
    if (image.length > IMAGE_BYTES_MAX) throw new Error(`${file} is larger than ${IMAGE_BYTES_MAX} bytes`);
  }
}

async function takeAll(page: Page, { url, messageId }: { url: string; messageId: string }): Promise<void> {
  await signIn(page, url, OPERATOR);
  // The first page with the host's summary starts its examination.
  await page.goto(`${url}/dashboard/operator/host`);
  await page.locator(".findings li").first().waitFor();

  await page.goto(`${url}/dashboard?range=24h`);
  await page.locator(".u-wrap canvas").first().waitFor();
  await takeTop(page, "overview", 900);

  await page.goto(`${url}/dashboard/messages/${messageId}`);
  await page.locator(".recipient summary", { hasText: "university.example" }).click();
  await take(page, "message", page.locator(".recipient").last());

  await page.goto(`${url}/dashboard/domains/${WRONG_DOMAIN}`);
  await take(page, "domain", page.locator("#check-dmarc"));

  for (const [name, path, heightPx] of TOUR) {
    await page.goto(`${url}/dashboard${path}`);
    await page.locator("main h1").waitFor();
    await takeTop(page, name, heightPx);
  }

  await page.goto(`${url}/dashboard/messages?result=unknown`);
  await page.locator("summary", { hasText: "Act on all recipients" }).click();
  await takeTop(page, "unknown", 760);
}

async function run(): Promise<void> {
  mkdirSync(IMAGES, { recursive: true });
  const dir = mkdtempSync(join(tmpdir(), "postrider-screenshots-"));
  const browser = await startBrowser();
  try {
    const running = await startAll(dir);
    const viewport = { width: WIDTH_PX, height: 900 };
    const { page, consoleErrors } = await openWindow(browser, { viewport, deviceScaleFactor: SCALE });
    await takeAll(page, running);
    await running.stop();
    if (consoleErrors.length > 0) throw new Error(`the pages logged errors: ${consoleErrors.join("; ")}`);
  } finally {
    await browser.close();
    rmSync(dir, { recursive: true, force: true });
  }
}

if (findChromium() === undefined) {
  process.stderr.write(
    "screenshots: Chromium is not installed: apt-get install chromium-headless-shell fonts-dejavu-core\n",
  );
  process.exitCode = 1;
} else {
  // A failure ends the process at once, with all that it has started.
  await run();
}
