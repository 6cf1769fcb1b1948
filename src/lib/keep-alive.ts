/**
 * A program that waits for nothing but timers of the clock ends, because these keep no process alive: Node then exits with code 13
 * ("unsettled top-level await") and prints nothing that an operator could act on.
 */

/** Node's exit code for a program whose top-level await never settles. */
const UNSETTLED = 13;

/** Keeps the process alive until `work` has settled. Resolves and rejects as it does. */
export async function keepAlive<T>(work: Promise<T>): Promise<T> {
  const timer = setInterval(() => {}, 60_000);
  try {
    return await work;
  } finally {
    clearInterval(timer);
  }
}

/** Should the process end all the same because nothing keeps it alive, it prints this line. */
export function explainUnsettledEnd(line: string): void {
  process.on("exit", (code) => {
    // Node sets it in its own listener, which runs first.
    if ((process.exitCode ?? code) === UNSETTLED) process.stderr.write(`${line}\n`);
  });
}
