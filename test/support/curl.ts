/** curl, for tests of what people paste into a shell. Installed by apt where CI=true; elsewhere those tests are skipped without it. */
import { spawnSync } from "node:child_process";

const FIND = "command -v curl";
const INSTALL = "apt-get -q update && apt-get -q -y -o DPkg::Lock::Timeout=300 --no-install-recommends install curl";
const INSTALL_LIMIT_MS = 120_000;

/** For `test`'s options: why a test is skipped, or false. */
export function withoutCurl(): string | false {
  const command = process.env.CI === "true" ? `${FIND} || { ${INSTALL}; }` : FIND;
  const found = spawnSync("sh", ["-c", command], { stdio: "ignore", timeout: INSTALL_LIMIT_MS }).status === 0;
  return found ? false : "needs curl: apt-get install curl";
}
