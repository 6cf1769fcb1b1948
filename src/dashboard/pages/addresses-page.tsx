/** @jsxRuntime automatic @jsxImportSource preact */
/** The sending addresses, and of one: what each receiver does with its mail, and how far it is warmed up there. */
import type { AddressAtReceiver } from "../../app/reports/receivers.ts";
import type { AddressReport, ShownWarmUp } from "../../app/reports/sending-addresses.ts";
import { DEFAULT_SCHEDULE, type WarmUpSchedule } from "../../receivers/warm-up.ts";
import type { AuthContext } from "../auth/sessions.ts";
import { Badge, EmptyState, RelativeTime, Table } from "../views/components.tsx";
import { countText, type Label, plural } from "../views/labels.ts";
import { signedInPage } from "../views/layout.tsx";
import { RowLink, StateText } from "../views/list-rows.tsx";

const STATE_LABELS: Readonly<Record<AddressReport["state"], Label>> = {
  active: { text: "In use", tone: "good" },
  paused: { text: "Paused", tone: "wait" },
  absent: { text: "No running host has it", tone: "bad" },
};

export interface ListedAddress extends AddressReport {
  /** The names of the receivers that reject it. */
  blockedAt: readonly string[];
}

export function addressesPage(auth: AuthContext, addresses: readonly ListedAddress[]): string {
  return signedInPage(auth, "/operator/addresses", {
    title: "Sending addresses",
    children: (
      <>
        <h1>Sending addresses</h1>
        {addresses.length === 0 ? <None /> : <AddressTable addresses={addresses} />}
      </>
    ),
  });
}

function None() {
  return (
    <EmptyState title="Mail leaves from what the system chooses">
      <p>
        <code>postrider addresses add 192.0.2.10 --name mail.example.com</code> adds an address with its own name. Pools
        keep the mail of some accounts or domains apart from that of others.
      </p>
    </EmptyState>
  );
}

function AddressTable({ addresses }: { addresses: readonly ListedAddress[] }) {
  const rejected = addresses.filter(({ blockedAt }) => blockedAt.length > 0).length;
  return (
    <>
      <p class="lead">
        {plural(addresses.length, "address", "addresses")}.{" "}
        {rejected === 0 ? "No receiver rejects one." : `Receivers reject ${countText(rejected)} of them.`}
      </p>
      <Table
        label="Sending addresses"
        class="stacked linked pairs"
        head={["Address", "Name for EHLO", "Pool", "State", "Rejected by", "Warm-up"]}
      >
        {addresses.map((address) => (
          <tr key={address.ip}>
            <th scope="row" class="left">
              <RowLink href={`/dashboard/operator/addresses/${address.ip}`}>{address.ip}</RowLink>
              {address.bind === null ? null : <span class="quiet"> from {address.bind}</span>}
            </th>
            <td class="secondary">{address.name}</td>
            <td class="secondary">{address.pool}</td>
            <td class="right">
              <StateText label={STATE_LABELS[address.state]} />
            </td>
            <td class="left small" data-label="Rejected by">
              {address.blockedAt.length === 0 ? "–" : address.blockedAt.join(", ")}
            </td>
            <td class="right small" data-label="Warm-up">
              {address.warmUp === null ? "–" : "in progress"}
            </td>
          </tr>
        ))}
      </Table>
    </>
  );
}

export interface AddressPageState {
  address: AddressReport;
  /** By the name of the receiver. */
  receivers: ReadonlyMap<string, AddressAtReceiver>;
  /** Null if it is not warmed up. */
  warmUps: readonly ShownWarmUp[] | null;
  nowMs: number;
}

export function addressPage(auth: AuthContext, state: AddressPageState): string {
  const { address, warmUps } = state;
  return signedInPage(auth, "/operator/addresses/one", {
    title: address.ip,
    children: (
      <>
        <p class="crumbs">
          <a href="/dashboard/operator/addresses">Sending addresses</a> / {address.ip}
        </p>
        <h1>{address.ip}</h1>
        <p class="lead">
          {address.name}, pool {address.pool}
          {address.nodes === null || address.nodes.length === 0 ? "" : `, on ${address.nodes.join(", ")}`}.{" "}
          <Badge label={STATE_LABELS[address.state]} />
        </p>
        {warmUps === null ? null : (
          <>
            <h2>Warm-up</h2>
            <Curve schedule={address.warmUp?.schedule ?? DEFAULT_SCHEDULE} receivers={warmUps} />
          </>
        )}
        <h2>Receivers</h2>
        <ReceiverTable {...state} />
      </>
    ),
  });
}

const WIDTH = 640;
const HEIGHT = 160;

/** Messages a day over the days of the schedule, with logarithmic heights, and a point where each receiver is. */
function Curve({ schedule, receivers }: { schedule: WarmUpSchedule; receivers: readonly ShownWarmUp[] }) {
  const most = Math.log10(Math.max(10, ...schedule));
  const x = (place: number): number => Math.round(((place + 0.5) / (schedule.length + 1)) * WIDTH);
  const y = (messages: number): number => Math.round(HEIGHT - 8 - (Math.log10(messages) / most) * (HEIGHT - 16));
  const top = schedule.at(-1) ?? 1;
  const points = schedule.map((messages, place) => `${x(place)},${y(messages)}`).join(" ");
  const ended = receivers.filter(({ day }) => day === null).length;
  return (
    <figure class="warm-up">
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={curveText(schedule)}>
        <polyline points={points} />
        {receivers.map(({ receiver, day, limit }) => (
          <circle key={receiver} cx={x((day ?? schedule.length + 1) - 1)} cy={y(limit ?? top)} r="5">
            <title>{`${receiver}: ${day === null ? "no limit" : `day ${day}, ${countText(limit ?? 0)} messages`}`}</title>
          </circle>
        ))}
      </svg>
      <figcaption class="quiet">
        {curveText(schedule)} A point is a receiver
        {ended === 0 ? "" : `; ${plural(ended, "receiver")} at the end`}.
      </figcaption>
    </figure>
  );
}

const curveText = (schedule: WarmUpSchedule): string =>
  `From ${countText(schedule[0] ?? 0)} to ${countText(schedule.at(-1) ?? 0)} messages a day in ${plural(schedule.length, "day")}, then without a limit.`;

function ReceiverTable({ receivers, warmUps, nowMs }: AddressPageState) {
  const warm = new Map(warmUps?.map((each) => [each.receiver, each]));
  const names = [...new Set([...receivers.keys(), ...warm.keys()])];
  if (names.length === 0) return <EmptyState title="Nothing was sent from it lately" />;
  return (
    <Table
      label="Receivers"
      class="stacked"
      head={["Receiver", "State", "Day of the warm-up", "Sent today", "Accepted"]}
    >
      {names.map((name) => {
        const each = warm.get(name);
        return (
          <tr key={name}>
            <th scope="row">
              <a href={`/dashboard/operator/receivers/${name}`}>{name}</a>
            </th>
            <td data-label="State">
              <AtReceiver at={receivers.get(name)} nowMs={nowMs} />
            </td>
            <td data-label="Day of the warm-up">{each === undefined ? "–" : (each.day ?? "end")}</td>
            <td class="number" data-label="Sent today">
              {each?.limit == null ? "–" : `${countText(each.sentToday)} of ${countText(each.limit)}`}
            </td>
            <td class="number" data-label="Accepted">
              {each === undefined ? "–" : countText(each.acceptedToday)}
            </td>
          </tr>
        );
      })}
    </Table>
  );
}

function AtReceiver({ at, nowMs }: { at: AddressAtReceiver | undefined; nowMs: number }) {
  if (at === undefined || at.closed === null) return <span class="quiet">accepts mail</span>;
  const { sinceMs, last } = at.closed;
  return (
    <>
      <Badge label={{ text: at.state === "blocked" ? "Blocked" : "Closed", tone: "bad" }} /> since{" "}
      <RelativeTime atMs={sinceMs} nowMs={nowMs} />
      {last === null ? null : <div class="quiet">{last.text}</div>}
    </>
  );
}
