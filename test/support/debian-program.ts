/**
 * Programs of Debian packages that a test runs. With CI=true a missing one is installed by apt, and a failure to do so fails
 * the test; elsewhere the test is skipped without it.
 */
import { spawnSync } from "node:child_process";

const INSTALL_LIMIT_MS = 300_000;

/** For `test`'s options: why a test is skipped, or false. With CI=true it throws instead of skipping. */
export function withoutProgram(program: string, debianPackage: string): string | false {
  const find = `command -v ${program}`;
  const install = `apt-get -q update && apt-get -q -y -o DPkg::Lock::Timeout=300 --no-install-recommends install ${debianPackage}`;
  const command = process.env.CI === "true" ? `${find} || { ${install}; }` : find;
  const found = spawnSync("sh", ["-c", command], { stdio: "ignore", timeout: INSTALL_LIMIT_MS }).status === 0;
  if (found) return false;
  if (process.env.CI === "true") throw new Error(`${debianPackage} could not be installed`);
  return `needs ${program}: apt-get install ${debianPackage}`;
}
