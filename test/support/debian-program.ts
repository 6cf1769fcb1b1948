/**
 * Programs of Debian packages that a test runs. With CI=true a missing one is installed by apt, and a failed
 * installation fails the test; otherwise the test is skipped.
 */
import { spawnSync } from "node:child_process";

const INSTALL_LIMIT_MS = 300_000;

/** A `skip` value for `test`: the reason, or false. With CI=true it throws instead. `find` is a shell command that finds it. */
export function withoutProgram(program: string, debianPackage: string, find = `command -v ${program}`): string | false {
  const install = `apt-get -q update && apt-get -q -y -o DPkg::Lock::Timeout=300 --no-install-recommends install ${debianPackage}`;
  const command = process.env.CI === "true" ? `${find} || { ${install}; }` : find;
  const found = spawnSync("sh", ["-c", command], { stdio: "ignore", timeout: INSTALL_LIMIT_MS }).status === 0;
  if (found) return false;
  if (process.env.CI === "true") throw new Error(`${debianPackage} could not be installed`);
  return `needs ${program}: apt-get install ${debianPackage}`;
}
