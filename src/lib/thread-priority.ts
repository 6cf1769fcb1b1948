/**
 * The CPU priority of a thread. On Linux each thread has a nice value of its own; elsewhere it belongs to the process and is
 * not changed.
 */
import { readlinkSync } from "node:fs";
import { setPriority } from "node:os";

/**
 * On a busy core the thread gets a quarter of the time beside another, which interrupts it when it wakes up. Nice 10 would be a
 * tenth: on a busy host, the long sends that wait for the thread would time out.
 */
const NICE = 5;

/** Lowers the priority of the calling thread. Does nothing where the system does not allow it. */
export function lowerThreadPriority(): void {
  try {
    // The link reads PID/task/TID. Linux sets the nice value of the thread with this id alone.
    const threadId = Number(readlinkSync("/proc/thread-self").split("/").at(-1));
    if (Number.isInteger(threadId)) setPriority(threadId, NICE);
  } catch {
    // Without /proc, or under a filter of system calls, the thread keeps its priority.
  }
}
