/**
 * `npm start`: reads the configuration, starts the service, stops it on SIGTERM or SIGINT.
 */
import { ConfigError, readConfig } from "./config.ts";
import { createLog, type Logger } from "./log.ts";
import { startService } from "./service.ts";

/** A second signal while stopping means that nobody wants to wait. */
function stopOnSignal(stop: () => Promise<void>, log: Logger): void {
  let stopping = false;
  const onSignal = (signal: NodeJS.Signals): void => {
    if (stopping) process.exit(1);
    stopping = true;
    log.info({ signal }, "stopping");
    stop().then(
      () => log.flush(() => process.exit(0)),
      (error) => die(log, error),
    );
  };
  process.on("SIGTERM", onSignal);
  process.on("SIGINT", onSignal);
}

/** What must not happen has happened: the next start recovers from the spool. */
function die(log: Logger, error: unknown): never {
  log.fatal({ err: error }, "Postrider ends: a broken invariant");
  process.stderr.write(`postrider: ${error instanceof Error ? error.stack : String(error)}\n`);
  process.exit(70);
}

async function main(): Promise<void> {
  const config = readConfig(process.env);
  const log = createLog(config.logLevel);
  process.on("uncaughtException", (error) => die(log, error));
  process.on("unhandledRejection", (error) => die(log, error));
  const service = await startService(config, log, (error) => die(log, error));
  log.info({ url: service.url, hostname: config.hostname }, "Postrider serves");
  stopOnSignal(() => service.stop(), log);
}

try {
  await main();
} catch (error) {
  const message = error instanceof Error ? error.message : String(error);
  process.stderr.write(`postrider: ${message}\n`);
  process.exit(error instanceof ConfigError ? 2 : 1);
}
