/** How far a sending address is warmed up, as text and as JSON. */
import type { ShownWarmUp } from "../app/reports/sending-addresses.ts";
import type { WarmUpSchedule } from "../receivers/warm-up.ts";
import { table } from "./table.ts";

const BARS = "▁▂▃▄▅▆▇█";

/** The schedule as a curve with logarithmic heights, a character for each day, and where each receiver is. */
export function warmUpLines(schedule: WarmUpSchedule, receivers: readonly ShownWarmUp[]): string[] {
  const most = Math.log(Math.max(2, ...schedule));
  const curve = schedule.map((each) => BARS[Math.floor((Math.log(each) / most) * (BARS.length - 1))]).join("");
  const rows = receivers.map((each) => [
    each.receiver,
    each.day === null ? "end" : `${each.day} of ${schedule.length}`,
    each.limit === null ? "no limit" : `${each.sentToday} of ${each.limit}`,
    String(each.acceptedToday),
    each.isBlocked ? "blocked today" : each.idleDays > 0 ? `unused for ${days(each.idleDays)}` : "",
  ]);
  return [
    `Warm-up:   ${curve}  ${spanText(schedule)}, then no limit`,
    "",
    table(["RECEIVER", "DAY", "SENT TODAY", "ACCEPTED", ""], rows, "Nothing was sent from it to any receiver yet."),
  ];
}

const spanText = (schedule: WarmUpSchedule): string =>
  schedule.length === 1
    ? `${schedule[0]} messages for a day`
    : `${schedule[0]} to ${schedule.at(-1)} messages a day in ${schedule.length} days`;

const days = (count: number): string => (count === 1 ? "a day" : `${count} days`);
