/**
 * A real browser for tests: Debian's Chromium, driven by playwright-core. Installed by apt where CI=true; elsewhere
 * tests that need it are skipped unless POSTRIDER_BROWSER=1, which needs `apt-get install chromium`.
 */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";

const PLACES = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];
const INSTALL_LIMIT_MS = 300_000;
const INSTALL = `test -x ${PLACES[0]} || {
  for _ in 1 2 3; do apt-get -q update && break; sleep 5; done
  apt-get -q -y -o DPkg::Lock::Timeout=300 --no-install-recommends install chromium fonts-dejavu-core
}`;
const STEP_LIMIT_MS = 20_000;

/** In CI, or where somebody asks for it: a walk through the pages takes longer than all other tests of the dashboard. */
const WANTED = process.env.CI === "true" || process.env.POSTRIDER_BROWSER === "1";

/** For `it`'s options: why a test is skipped, or false. */
export const NO_CHROMIUM = WANTED ? false : "needs Chromium, so it runs with CI=true or POSTRIDER_BROWSER=1";

/** Where Chromium is; installed in CI. */
export function findChromium(): string | undefined {
  const find = () => [process.env.CHROMIUM ?? "", ...PLACES].find((path) => path !== "" && existsSync(path));
  if (find() === undefined && process.env.CI === "true") {
    // One of the test files that run side by side installs it; the others wait at the lock and find it.
    execFileSync("flock", [join(tmpdir(), "postrider-chromium.lock"), "sh", "-c", INSTALL], {
      timeout: INSTALL_LIMIT_MS,
    });
  }
  return find();
}

export async function startBrowser(): Promise<Browser> {
  const executablePath = findChromium();
  assert.ok(executablePath, "there is no Chromium: apt-get install chromium");
  // Takes half a second, where most runs have no browser.
  const { chromium } = await import("playwright-core");
  return chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"] });
}

export const WIDE = { viewport: { width: 1440, height: 900 } };
export const NARROW = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true };

export interface Visitor {
  page: Page;
  /** What the pages logged as errors, broken policies among them. */
  complaints: string[];
}

/** A browser's window with no cookies yet. */
export async function visitor(browser: Browser, options: BrowserContextOptions = WIDE): Promise<Visitor> {
  const context = await browser.newContext(options);
  context.setDefaultTimeout(STEP_LIMIT_MS);
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on("console", (message) => {
    if (message.type() === "error") complaints.push(message.text());
  });
  page.on("pageerror", (error) => complaints.push(String(error)));
  return { page, complaints };
}

/** Takes pictures of a page, light and dark, where SCREENSHOTS names a directory for them. */
export async function takePictures(page: Page, name: string): Promise<void> {
  const dir = process.env.SCREENSHOTS;
  if (dir === undefined) return;
  mkdirSync(dir, { recursive: true });
  const width = page.viewportSize()?.width ?? 0;
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    await page.screenshot({ path: join(dir, `${name}-${width}-${colorScheme}.png`), fullPage: true });
  }
  await page.emulateMedia({ colorScheme: "light" });
}

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

interface AxeResults {
  violations: { id: string; impact: string | null; nodes: { html: string; failureSummary?: string }[] }[];
}

/** Axe finds nothing serious on the page, neither in light nor in dark; and nothing is cut off at the sides. */
export async function assertAccessible(page: Page, name: string): Promise<void> {
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    await page.evaluate(AXE);
    const results = (await page.evaluate(
      "axe.run(document, { iframes: false, resultTypes: ['violations'] })",
    )) as AxeResults;
    const serious = results.violations.filter(({ impact }) => impact === "serious" || impact === "critical");
    const told = serious.map(
      ({ id, nodes }) => `${id}: ${nodes.map((n) => `${n.html} ${n.failureSummary}`).join("\n")}`,
    );
    assert.deepEqual(told, [], `${name}, ${colorScheme}`);
  }
  await page.emulateMedia({ colorScheme: "light" });
  const overflow = await page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth");
  assert.equal(overflow, 0, `${name} is wider than the window`);
}
