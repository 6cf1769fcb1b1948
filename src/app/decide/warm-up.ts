/** What an operator may decide about the warm-up of a sending address. */
import type { Clock } from "../../lib/clock.ts";
import { DAY_MS } from "../../lib/units.ts";
import { keyOf } from "../../receivers/names.ts";
import { DEFAULT_SCHEDULE, SCHEDULE_MAX } from "../../receivers/warm-up.ts";
import type { KeyValueStore } from "../../spool/port/key-value.ts";
import { type SendingAddress, writeSendingAddress } from "../../spool/port/sending-addresses.ts";
import type { WarmUps } from "../../spool/port/warm-ups.ts";
import { receiverNamed } from "./receivers.ts";
import { type Decided, findSendingAddress, invalid, NEW_WARM_UP } from "./sending-addresses.ts";

type Store = Pick<KeyValueStore, "readValue" | "writeValue"> & Pick<WarmUps, "moveWarmUp">;

/** Texts as typed; absent where nothing changes. */
export interface TypedWarmUp {
  /** A receiver's name; absent for all. */
  receiver?: string;
  /** The day of the schedule, from 1 on; "end" for no limit. */
  day?: string;
  /** Messages of each day, with commas; "default" for the default schedule. */
  schedule?: string;
  /** Whether the warm-up ends. */
  isOff?: boolean;
}

/** Begins, changes or ends the warm-up of an address. */
export async function setWarmUp(
  store: Store,
  typedAddress: string,
  { receiver: typedReceiver, day, schedule: typedSchedule, isOff = false }: TypedWarmUp,
  clock: Clock,
): Promise<Decided<SendingAddress>> {
  const found = await findSendingAddress(store, typedAddress);
  if (found.type !== "done") return found;
  const { ip, ...address } = found.value;
  const named = typedReceiver === undefined ? null : receiverNamed(typedReceiver);
  if (named !== null && "fault" in named) return invalid("receiver", typedReceiver ?? "", named.fault);
  const receiver = named?.name ?? null;
  if (receiver !== null && day === undefined) return invalid("day", "", "a receiver needs its day of the schedule");
  if (isOff && (day ?? typedSchedule) !== undefined)
    return invalid("off", "", "the end of a warm-up has neither a day nor a schedule");
  const warmUp = address.warmUp ?? NEW_WARM_UP;
  const schedule = typedSchedule === undefined ? warmUp.schedule : scheduleOf(typedSchedule);
  if (schedule === "invalid")
    return invalid(
      "schedule",
      typedSchedule ?? "",
      `it must be default, or 1 to ${SCHEDULE_MAX} numbers of messages a day, none smaller than the one before it`,
    );
  const place = day === undefined ? null : placeOf(day, schedule ?? DEFAULT_SCHEDULE);
  if (place === "invalid")
    return invalid("day", day ?? "", `it must be from 1 to ${(schedule ?? DEFAULT_SCHEDULE).length}, or end`);
  const firstPlace = place === null || receiver !== null ? warmUp.firstPlace : place;
  const changed = { ...address, warmUp: isOff ? null : { schedule, firstPlace, changedAtMs: clock.now() } };
  if (place !== null) {
    const to = { place, day: Math.floor(clock.now() / DAY_MS) };
    await store.moveWarmUp({ address: ip, receiver: receiver === null ? null : keyOf(receiver) }, to);
  }
  // Written last, because nodes read the place again once this has changed.
  await writeSendingAddress(store, ip, changed);
  return { type: "done", value: { ip, ...changed } };
}

function scheduleOf(text: string): number[] | null | "invalid" {
  if (text.trim() === "default") return null;
  const numbers = text.split(",").map((each) => (/^\s*\d{1,9}\s*$/u.test(each) ? Number(each) : 0));
  const isRising = numbers.every((each, i) => each >= Math.max(1, numbers[i - 1] ?? 1));
  return isRising && numbers.length <= SCHEDULE_MAX ? numbers : "invalid";
}

function placeOf(text: string, { length }: readonly number[]): number | "invalid" {
  if (text.trim() === "end") return length;
  const day = /^\s*\d{1,3}\s*$/u.test(text) ? Number(text) : 0;
  return day >= 1 && day <= length ? day - 1 : "invalid";
}
