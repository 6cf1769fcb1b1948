/**
 * A real browser for tests: Debian's Chromium without a user interface of its own, which takes a quarter of the CPU time, driven by
 * playwright-core. CI=true installs it with apt. Elsewhere, browser tests are skipped unless POSTRIDER_BROWSER=1, which requires
 * `apt-get install chromium-headless-shell` or any Chromium.
 */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";

const PATHS = [
  "/usr/bin/chromium-headless-shell",
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
];
const INSTALL_LIMIT_MS = 300_000;
const INSTALL = `test -x ${PATHS[0]} || {
  for _ in 1 2 3; do apt-get -q update && break; sleep 5; done
  apt-get -q -y -o DPkg::Lock::Timeout=300 --no-install-recommends install chromium-headless-shell fonts-dejavu-core
}`;
const STEP_LIMIT_MS = 20_000;

/** Browser tests run only in CI or on request: they take longer than all other tests of the dashboard. */
const REQUESTED = process.env.CI === "true" || process.env.POSTRIDER_BROWSER === "1";

/** The `skip` option of tests that need Chromium. */
export const NO_CHROMIUM = REQUESTED ? false : "needs Chromium, so it runs with CI=true or POSTRIDER_BROWSER=1";

/** Finds Chromium; installs it in CI. */
export function findChromium(): string | undefined {
  const find = () => [process.env.CHROMIUM ?? "", ...PATHS].find((path) => path !== "" && existsSync(path));
  if (find() === undefined && process.env.CI === "true") {
    // One of the parallel test files installs it; the others wait for the lock.
    execFileSync("flock", [join(tmpdir(), "postrider-chromium.lock"), "sh", "-c", INSTALL], {
      timeout: INSTALL_LIMIT_MS,
    });
  }
  return find();
}

export async function startBrowser(): Promise<Browser> {
  const executablePath = findChromium();
  assert.ok(executablePath, "Chromium is not installed: apt-get install chromium-headless-shell");
  // Imported late: it takes half a second, and most runs use no browser.
  const { chromium } = await import("playwright-core");
  return chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"] });
}

export const WIDE = { viewport: { width: 1440, height: 900 } };
/** A small laptop. */
export const LAPTOP = { viewport: { width: 1280, height: 900 } };
export const NARROW = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true };

export interface BrowserWindow {
  page: Page;
  /** Errors in the browser's console, including policy violations. */
  consoleErrors: string[];
}

/** Opens a window with its own cookies. */
export async function openWindow(browser: Browser, options: BrowserContextOptions = WIDE): Promise<BrowserWindow> {
  const context = await browser.newContext(options);
  context.setDefaultTimeout(STEP_LIMIT_MS);
  const page = await context.newPage();
  const consoleErrors: string[] = [];
  page.on("console", (message) => {
    if (message.type() === "error") consoleErrors.push(message.text());
  });
  page.on("pageerror", (error) => consoleErrors.push(String(error)));
  return { page, consoleErrors };
}

/** Takes screenshots of a page, light and dark, if SCREENSHOTS names a directory. */
export async function takeScreenshots(page: Page, name: string): Promise<void> {
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

/** Asserts that axe finds no serious violation, in light and dark, and that the page is not wider than the window. */
export async function assertAccessible(page: Page, name: string): Promise<void> {
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    if (colorScheme === "light") await page.evaluate(AXE);
    // Dark, only the colours differ.
    const rules =
      colorScheme === "light" ? "" : ", runOnly: { type: 'rule', values: ['color-contrast', 'link-in-text-block'] }";
    const results = (await page.evaluate(
      `axe.run(document, { iframes: false, resultTypes: ['violations']${rules} })`,
    )) as AxeResults;
    const serious = results.violations.filter(({ impact }) => impact === "serious" || impact === "critical");
    const reports = serious.map(
      ({ id, nodes }) => `${id}: ${nodes.map((n) => `${n.html} ${n.failureSummary}`).join("\n")}`,
    );
    assert.deepEqual(reports, [], `${name}, ${colorScheme}`);
  }
  await page.emulateMedia({ colorScheme: "light" });
  const overflow = await page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth");
  assert.equal(overflow, 0, `${name} is wider than the window`);
}
