/** Runs a recurring task while this process holds its duty. What the task does, and when, is decided by the task. */
import type { Duties, Duty } from "../../spool/port/duties.ts";

export interface DutyTask {
  /** Begins no further step. Resolves when those under way have ended, or have lasted too long. */
  stop(): Promise<void>;
}

/**
 * Calls `start` whenever the duty is taken, at once if it is held, and what `start` returned when the duty is lost. A duty that
 * returns soon is begun anew while the former run may still be ending.
 */
export function runDutyTask(
  duties: Pick<Duties, "holds" | "onChange">,
  duty: Duty,
  start: () => () => void | Promise<void>,
): DutyTask {
  let stop: (() => void | Promise<void>) | null = null;
  const ending = new Set<Promise<void>>();
  const end = (): void => {
    if (stop === null) return;
    const ended = Promise.resolve(stop()).then(() => void ending.delete(ended));
    ending.add(ended);
    stop = null;
  };
  const follow = (): void => {
    if (!duties.holds(duty)) end();
    else stop ??= start();
  };
  const leave = duties.onChange(follow);
  follow();
  return {
    async stop() {
      leave();
      end();
      await Promise.all(ending);
    },
  };
}
