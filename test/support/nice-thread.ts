/** A thread that lowers its priority and posts the nice value that the kernel reports for it. */
import { readFileSync } from "node:fs";
import { parentPort } from "node:worker_threads";
import { reportUncaughtErrors } from "../../src/lib/thread.ts";
import { lowerThreadPriority } from "../../src/lib/thread-priority.ts";

reportUncaughtErrors();
lowerThreadPriority(5);
// Field 19 of the line; the name in parentheses may contain spaces.
const fields = readFileSync("/proc/thread-self/stat", "utf8").split(") ")[1]?.split(" ") ?? [];
parentPort?.postMessage(Number(fields[16]));
