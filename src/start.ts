/** `postrider start`: the service, in a process of its own with the options of Node that it needs. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { constants } from "node:os";
import { fileURLToPath } from "node:url";
import { SERVICE_FLAGS } from "./lib/service-flags.ts";

const IS_BUILT = import.meta.url.endsWith(".js");
const MAIN = fileURLToPath(new URL(IS_BUILT ? "./main.js" : "./main.ts", import.meta.url));
const LOADER = IS_BUILT ? [] : ["--import", import.meta.resolve("tsx")];
const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** Runs the service until it ends, with this process's settings, directory and output. Resolves with its exit code, 128 and the number of a signal. */
export async function runService(): Promise<number> {
  const child = spawn(process.execPath, [...SERVICE_FLAGS, ...LOADER, MAIN], { stdio: "inherit" });
  // A terminal sends Ctrl-C to both. The service counts a second signal only after a moment.
  for (const signal of SIGNALS) process.on(signal, () => child.kill(signal));
  const [code, signal] = (await once(child, "exit")) as [number | null, NodeJS.Signals | null];
  return code ?? 128 + (signal === null ? 0 : constants.signals[signal]);
}
