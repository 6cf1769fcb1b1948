/**
 * `npm start`: reads the configuration, starts the service, and stops it on SIGTERM or SIGINT. A failed start is one line on
 * standard error that names the setting: exit 2 for an invalid value, 1 for one that does not work on this server.
 *
 * With WORKERS, this process supervises the services of as many processes instead.
 */
import { availableParallelism } from "node:os";
import { type Config, ConfigError, readConfig } from "./config.ts";
import { systemClock } from "./lib/clock.ts";
import { toCloneableError } from "./lib/error-text.ts";
import { explainUnsettledEnd, keepAlive } from "./lib/keep-alive.ts";
import { createLog, type Logger, standardOutput } from "./lib/log.ts";
import { isLoopbackUrl } from "./lib/loopback-name.ts";
import { MemoryGuard } from "./lib/memory-guard.ts";
import { selectSignatureCode } from "./lib/openssl-code.ts";
import { sanitizeLine } from "./lib/terminal-text.ts";
import { type OwnWorker, ownWorker } from "./workers/own-worker.ts";
import { Supervisor, workersWarning } from "./workers/supervisor.ts";
import { workerProcesses } from "./workers/worker-process.ts";

/** Under npm, one Ctrl-C arrives twice: from the terminal, and forwarded by npm. */
const SAME_SIGNAL_MS = 1000;

interface Stop {
  /** Resolves with the exit code. */
  begin(signal: NodeJS.Signals): Promise<number>;
  /** Called at a second signal, before the process ends at once. */
  cut?(signal: NodeJS.Signals): void;
}

/** Returns how to stop without a signal. */
function stopOnSignal(stop: Stop, log: Logger): () => void {
  let stoppingSinceMs: number | null = null;
  const begin = (signal: NodeJS.Signals): void => {
    stoppingSinceMs = performance.now();
    stop.begin(signal).then(
      (exitCode) => log.flush(() => process.exit(exitCode)),
      (error) => die(log, error),
    );
  };
  const onSignal = (signal: NodeJS.Signals): void => {
    if (stoppingSinceMs === null) {
      log.info({ signal }, "stopping");
      begin(signal);
      return;
    }
    if (performance.now() - stoppingSinceMs <= SAME_SIGNAL_MS) return;
    stop.cut?.(signal);
    process.exit(1);
  };
  process.on("SIGTERM", onSignal);
  process.on("SIGINT", onSignal);
  return () => {
    if (stoppingSinceMs === null) begin("SIGTERM");
  };
}

/** Ends the process after a broken invariant; the next start recovers from the spool. */
function die(log: Logger, error: unknown): never {
  const whole = error instanceof Error ? error : toCloneableError(error);
  log.fatal({ err: whole }, "fatal error: a broken invariant");
  process.stderr.write(`postrider: ${whole.stack}\n`);
  process.exit(70);
}

/** Ends the process because of a setting or of a host that it names: an operator has to change it. */
function giveUp(log: Logger, { message }: Error): never {
  log.fatal({ reason: message }, "the service cannot go on");
  refuse(message, 1);
}

function dieOfUnhandledErrors(log: Logger): void {
  process.on("uncaughtException", (error) => die(log, error));
  process.on("unhandledRejection", (error) => die(log, error));
}

function refuse(line: string, exitCode: number): never {
  process.stderr.write(`postrider: ${sanitizeLine(line)}\n`);
  process.exit(exitCode);
}

function refuseInvalid(error: unknown): never {
  if (error instanceof ConfigError) refuse(error.message, 2);
  throw error;
}

function configuration(): Config {
  try {
    return readConfig(process.env);
  } catch (error) {
    return refuseInvalid(error);
  }
}

/** Each worker is its own node. */
function nodeNameOf({ nodeName }: Config, worker: OwnWorker | null): string {
  return worker === null ? nodeName : `${nodeName}#${worker.number}`;
}

/** The logs of all nodes may be collected in one place. */
function logFields({ databaseUrl, nodeName }: Config): Record<string, string> | null {
  return databaseUrl === null ? null : { node: nodeName };
}

async function runService(shared: Config, worker: OwnWorker | null): Promise<void> {
  const config = { ...shared, nodeName: nodeNameOf(shared, worker) };
  const log = createLog(config.logLevel, standardOutput(), logFields(config));
  dieOfUnhandledErrors(log);
  const { tryStartService } = await import("./service/start-errors.ts");
  const { SettingError } = await import("./app/installation/startup-checks.ts");
  const service = await tryStartService(config, log, {
    onFatal: (error: Error) => (error instanceof SettingError ? giveUp(log, error) : die(log, error)),
    memory: new MemoryGuard(),
    ...(worker === null ? {} : { worker: { isFirst: worker.number === 1, metrics: worker.metrics } }),
  }).catch(refuseInvalid);
  if (typeof service === "string") refuse(service, 1);
  const stop = stopOnSignal({ begin: () => service.stop().then(() => 0) }, log);
  worker?.onAbandoned(() => {
    log.error("the supervisor has ended: stopping");
    stop();
  });
  // Also beside the log, whatever its level: without this link no user can sign in.
  if (service.setupUrl !== null) {
    const note = isLoopbackUrl(service.setupUrl)
      ? " (the link works only on this server; for others, set PUBLIC_URL)"
      : "";
    process.stderr.write(`postrider: there is no user yet; create the first one at ${service.setupUrl}${note}\n`);
  }
  const { url, database } = service;
  log.info(
    { url, address: config.host, hostname: config.hostname, ...(database === null ? {} : { database }) },
    "listening",
  );
  worker?.ready();
}

async function superviseWorkers({ logLevel, workers }: Config): Promise<void> {
  const output = standardOutput();
  const log = createLog(logLevel, output);
  dieOfUnhandledErrors(log);
  const warning = workersWarning(workers, availableParallelism());
  if (warning !== null) log.warn(warning);
  const start = workerProcesses(systemClock, (lines) => void output.write(lines));
  const supervisor = new Supervisor({ workers, start, clock: systemClock, log });
  const ended = supervisor.run();
  const begin = (signal: NodeJS.Signals): Promise<number> => {
    supervisor.stop(signal);
    return ended;
  };
  stopOnSignal({ begin, cut: (signal) => supervisor.stop(signal) }, log);
  const exitCode = await ended;
  log.flush(() => process.exit(exitCode));
}

selectSignatureCode();
// A reader that closes the pipe must not end the service.
process.stderr.on("error", () => {});
explainUnsettledEnd("postrider: the start ended before it was complete, because nothing was left to wait for");
const config = configuration();
const worker = ownWorker();
await keepAlive(config.workers > 1 && worker === null ? superviseWorkers(config) : runService(config, worker));
