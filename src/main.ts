/**
 * `npm start`: reads the configuration, starts the service, and stops it on SIGTERM or SIGINT. A failed start is one line on
 * standard error that names the setting: exit 2 for an invalid value, 1 for one that does not work on this host.
 */

import { tryStartService } from "./app/wiring/start.ts";
import { type Config, ConfigError, readConfig } from "./config.ts";
import { toCloneableError } from "./lib/error-text.ts";
import { createLog, type Logger } from "./lib/log.ts";
import { MemoryGuard } from "./lib/memory-guard.ts";
import { sanitizeLine } from "./lib/terminal-text.ts";

/** Under npm, one Ctrl-C arrives twice: from the terminal, and forwarded by npm. */
const SAME_SIGNAL_MS = 1000;

/** A second signal ends the process at once. */
function stopOnSignal(stop: () => Promise<void>, log: Logger): void {
  let stoppingSinceMs: number | null = null;
  const onSignal = (signal: NodeJS.Signals): void => {
    const nowMs = performance.now();
    if (stoppingSinceMs !== null) {
      if (nowMs - stoppingSinceMs > SAME_SIGNAL_MS) process.exit(1);
      return;
    }
    stoppingSinceMs = nowMs;
    log.info({ signal }, "stopping");
    stop().then(
      () => log.flush(() => process.exit(0)),
      (error) => die(log, error),
    );
  };
  process.on("SIGTERM", onSignal);
  process.on("SIGINT", onSignal);
}

/** Ends the process after a broken invariant; the next start recovers from the spool. */
function die(log: Logger, error: unknown): never {
  const whole = error instanceof Error ? error : toCloneableError(error);
  log.fatal({ err: whole }, "fatal error: a broken invariant");
  process.stderr.write(`postrider: ${whole.stack}\n`);
  process.exit(70);
}

function refuse(line: string, exitCode: number): never {
  process.stderr.write(`postrider: ${sanitizeLine(line)}\n`);
  process.exit(exitCode);
}

function configuration(): Config {
  try {
    return readConfig(process.env);
  } catch (error) {
    if (error instanceof ConfigError) refuse(error.message, 2);
    throw error;
  }
}

// A reader that closes the pipe must not end the service.
process.stderr.on("error", () => {});
const config = configuration();
const log = createLog(config.logLevel);
process.on("uncaughtException", (error) => die(log, error));
process.on("unhandledRejection", (error) => die(log, error));
const service = await tryStartService(config, log, { onFatal: (error) => die(log, error), memory: new MemoryGuard() });
if (typeof service === "string") refuse(service, 1);
stopOnSignal(() => service.stop(), log);
// Also beside the log, whatever its level: without this link no user can sign in.
if (service.setupUrl !== null) {
  process.stderr.write(`postrider: there is no user yet; create the first one at ${service.setupUrl}\n`);
}
log.info({ url: service.url, hostname: config.hostname }, "listening");
