/** @jsxRuntime automatic @jsxImportSource preact */
/** The verdict of the overview: whether mail is healthy and why, and what needs action first. */
import type { ComponentChildren } from "preact";
import type { HostState } from "../../app/installation/host-watch.ts";
import { isLongWait } from "../../app/reports/service-status.ts";
import { keyOf } from "../../receivers/names.ts";
import { profileOf } from "../../receivers/receiver.ts";
import type { AuthContext } from "../auth/sessions.ts";
import { RelativeTime } from "./components.tsx";
import { findingText } from "./finding-texts.ts";
import { Icon } from "./icons.tsx";
import { plural, type Tone } from "./labels.ts";
import { messagesLink } from "./message-links.ts";

/** Problems of this server in the list; further ones are counted. */
const PROBLEMS_SHOWN = 3;

export interface MailHealthProps {
  isHealthy: boolean;
  /** Why mail is not healthy, in sentences, without what the items name. */
  reasons: readonly string[];
  /** The items of the list. */
  children: ComponentChildren;
}

export function MailHealth({ isHealthy, reasons, children }: MailHealthProps) {
  const tone: Tone = isHealthy ? "good" : "bad";
  return (
    <section class={`card health ${tone}`} aria-labelledby="health-title">
      <h2 id="health-title">
        <Icon name={tone} />
        {isHealthy ? "Mail is healthy" : "Mail is not healthy"}
      </h2>
      {isHealthy ? <p>No recipient has waited for more than 4 hours, and nothing stops delivery.</p> : null}
      {reasons.length === 0 ? null : <p>{reasons.join(" ")}</p>}
      <ul class="tasks" aria-label="What needs action">
        {children}
      </ul>
    </section>
  );
}

export interface TaskProps {
  tone: "bad" | "warn";
  children: ComponentChildren;
  /** Where to do something about it. */
  action?: { href: string; text: string };
}

export function Task({ tone, children, action }: TaskProps) {
  return (
    <li class={`task ${tone}`}>
      <Icon name={tone} />
      <span>{children}</span>
      {action === undefined ? null : (
        <a class="button small" href={action.href}>
          {action.text}
        </a>
      )}
    </li>
  );
}

export interface HostTasksProps {
  auth: AuthContext;
  host: HostState;
  unavailableReason: string | null;
  /** The receivers that `BlockedTasks` names, which the doctor finds too. */
  blocked: readonly string[];
}

const HOST_PAGE = { href: "/dashboard/operator/host", text: "Open This server" };

const QUEUE_PAGE = { href: "/dashboard/operator/queue", text: "Open the queue" };

/** What is wrong with this server, for operators. */
export function HostTasks({ auth, host: { findings }, unavailableReason, blocked }: HostTasksProps) {
  if (!auth.user.operator) return null;
  const problems = (findings ?? []).filter(
    ({ check, state }) => state === "problem" && (check !== "receivers" || blocked.length === 0),
  );
  const warnings = (findings ?? []).filter(({ state }) => state === "warning").length;
  const more = problems.length - PROBLEMS_SHOWN;
  return (
    <>
      {unavailableReason === null ? null : <Task tone="bad">Postrider accepts no messages: {unavailableReason}</Task>}
      {problems.slice(0, PROBLEMS_SHOWN).map((finding) => (
        <Task key={finding.check} tone="bad" action={finding.check === "quarantine" ? QUEUE_PAGE : HOST_PAGE}>
          <strong>{findingText(finding).title}:</strong> {finding.detail}
        </Task>
      ))}
      {more > 0 ? (
        <Task tone="bad" action={HOST_PAGE}>
          {plural(more, "more problem")} of this server.
        </Task>
      ) : null}
      {warnings > 0 ? (
        <Task tone="warn" action={HOST_PAGE}>
          {plural(warnings, "warning")} about this server.
        </Task>
      ) : null}
    </>
  );
}

/** A recipient that waits for long. Operators find those of all accounts in the queue. */
export function WaitTask({ oldestAtMs, nowMs, isLinked }: WaitTaskProps) {
  if (oldestAtMs === null || !isLongWait(oldestAtMs, nowMs)) return null;
  const action = isLinked ? { href: messagesLink({ result: "pending" }), text: "Show" } : QUEUE_PAGE;
  return (
    <Task tone="bad" action={action}>
      The recipient that has waited for longest was accepted <RelativeTime atMs={oldestAtMs} nowMs={nowMs} />.
    </Task>
  );
}

interface WaitTaskProps {
  /** When the recipient that has waited for longest was accepted; null if none waits. */
  oldestAtMs: number | null;
  nowMs: number;
  /** Whether the reader's message list has these messages: not those of all accounts. */
  isLinked: boolean;
}

/** Receivers that reject an address of the service, by their names. */
export function BlockedTasks({ receivers }: { receivers: readonly string[] }) {
  const more = receivers.length - PROBLEMS_SHOWN;
  return (
    <>
      {receivers.slice(0, PROBLEMS_SHOWN).map((name) => (
        <Task
          key={name}
          tone="bad"
          action={{ href: `/dashboard/operator/receivers/${encodeURIComponent(name)}`, text: "Open receiver" }}
        >
          {profileOf(keyOf(name))?.label ?? name}: mail from an address of this service is rejected.
        </Task>
      ))}
      {more > 0 ? (
        <Task tone="bad" action={{ href: "/dashboard/operator/receivers", text: "Open receivers" }}>
          {plural(more, "more receiver")} reject mail from an address of this service.
        </Task>
      ) : null}
    </>
  );
}

/** Recipients that may have their message, or not. Linked for the reader's own account. */
export function UnknownTask({ unknown, isLinked }: { unknown: number; isLinked: boolean }) {
  if (unknown === 0) return null;
  const action = { href: messagesLink({ result: "unknown" }), text: "Decide" };
  return (
    <Task tone="warn" {...(isLinked ? { action } : {})}>
      {plural(unknown, "recipient")} may have the message or not:{" "}
      {unknown === 1 ? "it needs your decision." : "they need your decision."}
    </Task>
  );
}
