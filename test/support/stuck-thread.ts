/** A thread whose file is never loaded to its end. */
import { reportUncaughtErrors } from "../../src/lib/thread.ts";

Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 60_000);
reportUncaughtErrors();
