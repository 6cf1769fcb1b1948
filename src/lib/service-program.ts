/** The service as a child process. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { constants } from "node:os";
import { fileURLToPath } from "node:url";

/** The options of Node that the service runs with, as `npm start`, the container and the systemd unit have them. The Dockerfile says why. */
export const SERVICE_FLAGS: readonly string[] = [
  "--no-memory-reducer",
  "--heap-growing-percent=200",
  "--v8-pool-size=1",
  "--max-semi-space-size=16",
  "--no-parallel-scavenge",
];

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/**
 * Runs the service, whose program is `main`, until it ends, with this process's settings, directory and output. Resolves with its exit code; if
 * a signal has ended it, with 128 and the signal's number, as a shell does.
 */
export async function runService(main: URL): Promise<number> {
  const loader = main.pathname.endsWith(".ts") ? ["--import", import.meta.resolve("tsx")] : [];
  const child = spawn(process.execPath, [...SERVICE_FLAGS, ...loader, fileURLToPath(main)], { stdio: "inherit" });
  // A terminal sends Ctrl-C to both. The service counts a second signal only after a moment.
  for (const signal of SIGNALS) process.on(signal, () => child.kill(signal));
  const [code, signal] = (await once(child, "exit")) as [number | null, NodeJS.Signals | null];
  return code ?? 128 + (signal === null ? 0 : constants.signals[signal]);
}
