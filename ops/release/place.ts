/** Where a release is built: the checkout, its version, and release/, which holds nothing but the release. */
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import packageJson from "../../package.json" with { type: "json" };

export const ROOT = fileURLToPath(new URL("../../", import.meta.url));
export const OUT = join(ROOT, "release");
export const VERSION = packageJson.version;

/** The files of a release, by what they are. */
export const FILES = {
  package: `postrider-${VERSION}.tgz`,
  sbom: `postrider-${VERSION}.cdx.json`,
  licences: "THIRD-PARTY-LICENCES.txt",
  notes: "NOTES.md",
  contract: `contract-${VERSION}.json`,
  publishing: "PUBLISHING.md",
  checksums: "SHA256SUMS",
} as const;

/** Runs a program with its output on this terminal. Throws if it fails. */
export function run(program: string, args: readonly string[], cwd = ROOT): void {
  execFileSync(program, args, { cwd, stdio: ["ignore", "inherit", "inherit"] });
}

/** Runs a program and returns its standard output. Throws if it fails. */
export function outputOf(program: string, args: readonly string[], cwd = ROOT): string {
  return execFileSync(program, args, {
    cwd,
    encoding: "utf8",
    maxBuffer: 64 * 2 ** 20,
    stdio: ["ignore", "pipe", "inherit"],
  });
}
