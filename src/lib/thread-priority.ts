/**
 * The CPU priority of a thread. On Linux each thread has its own nice value; elsewhere it belongs to the process and is
 * not changed.
 */
import { readlinkSync } from "node:fs";
import { setPriority } from "node:os";

/** Lowers the priority of the calling thread to a nice value from 1 to 19. Does nothing where the system does not allow it. */
export function lowerThreadPriority(nice: number): void {
  try {
    // The link reads PID/task/TID. Linux sets the nice value only of the thread with this id.
    const threadId = Number(readlinkSync("/proc/thread-self").split("/").at(-1));
    if (Number.isInteger(threadId)) setPriority(threadId, nice);
  } catch {
    // Without /proc, or under a filter of system calls, the thread keeps its priority.
  }
}
