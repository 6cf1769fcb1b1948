/** @jsxRuntime automatic @jsxImportSource preact */
/**
 * All that waits, by recipient domain and over all accounts, and a person's hand on it.
 */
import { explain } from "../../message/explanation.ts";
import type { WaitingDomain, WaitingMail } from "../../spool/port/reports.ts";
import type { Visit } from "../auth/sessions.ts";
import { Ago, Badge, Empty, Field, Notice, PostForm, Table } from "../views/components.tsx";
import { countText, plural, sentenceNamed } from "../views/labels.ts";
import { signedInPage } from "../views/layout.tsx";
import { queueVersion } from "./queue-version.ts";

const DONE: Record<string, string> = {
  paused: "Paused: nothing is sent there until it is resumed. Attempts under way end.",
  resumed: "Resumed.",
  due: "What waits there is due now, and tried as fast as the destination takes it.",
  "due-paused": "This destination is paused: nothing is sent there. What waits for it is due as soon as you resume it.",
  "none-due": "Nothing waits there for a later attempt.",
};

export interface QueueState {
  waiting: WaitingMail;
  nowMs: number;
  /** The name of what was just done, or of nothing. */
  done?: string;
  /** What was asked to be paused, and why it cannot be. */
  typed?: string;
  error?: string;
}

export function queuePage(visit: Visit, state: QueueState): string {
  const { waiting, nowMs } = state;
  const done = sentenceNamed(DONE, state.done);
  return signedInPage(visit, "/operator/queue", {
    title: "Queue",
    children: (
      <>
        <h1>Queue</h1>
        {done === undefined ? null : <Notice tone={state.done === "due-paused" ? "warn" : "good"}>{done}</Notice>}
        <div data-live="/dashboard/operator/queue/state" data-version={queueVersion(waiting)} id="queue">
          <p class="lead">
            {plural(waiting.waiting, "recipient")} of all accounts wait; {countText(waiting.unknown)} in doubt.
          </p>
          {waiting.domains.length === 0 ? (
            <Empty title="Nothing waits" />
          ) : (
            <Table
              label="Queue by destination"
              class="stacked"
              head={["Destination", "Waiting", "Why", "Next attempt", "Do"]}
            >
              {waiting.domains.map((entry) => (
                <Row key={entry.domain} entry={entry} visit={visit} nowMs={nowMs} />
              ))}
            </Table>
          )}
        </div>
        <section class="card">
          <h2>Pause a destination</h2>
          <PostForm action="/dashboard/operator/queue/pause" formToken={visit.formToken} class="inline-form">
            <Field
              label="Recipient domain"
              name="domain"
              value={state.typed}
              error={state.error}
              required
              placeholder="example.org"
              hint="Nothing more is sent there, of any account, until it is resumed."
            />
            <button type="submit">Pause</button>
          </PostForm>
        </section>
      </>
    ),
  });
}

function Row({ entry, visit, nowMs }: { entry: WaitingDomain; visit: Visit; nowMs: number }) {
  const paused = entry.pausedAtMs !== null;
  return (
    <tr>
      <th scope="row">
        {entry.domain} {paused ? <Badge word={{ text: "Paused", tone: "warn" }} /> : null}
      </th>
      <td class="number">
        {countText(entry.waiting)} <span class="quiet">waiting</span>
      </td>
      <td class="wide-cell">
        {entry.reason === null ? (entry.waiting === 0 ? "–" : "Not tried yet.") : explain(entry.reason, entry.category)}{" "}
        {entry.smtp === null ? null : (
          <q class="said">
            {entry.smtp.code} {entry.smtp.message}
          </q>
        )}
      </td>
      <td class="nowrap">{nextText(entry, nowMs)}</td>
      <td>
        <div class="bar">
          <Act visit={visit} entry={entry} action={paused ? "resume" : "pause"} text={paused ? "Resume" : "Pause"} />
          <Act visit={visit} entry={entry} action="try-now" text="Try now" />
        </div>
      </td>
    </tr>
  );
}

function nextText({ due, nextAttemptAtMs, pausedAtMs }: WaitingDomain, nowMs: number) {
  if (pausedAtMs !== null) return "When resumed";
  if (due > 0) return `${countText(due)} due now`;
  return nextAttemptAtMs === null ? "–" : <Ago atMs={nextAttemptAtMs} nowMs={nowMs} />;
}

function Act(props: { visit: Visit; entry: WaitingDomain; action: string; text: string }) {
  const { domain } = props.entry;
  return (
    <PostForm action={`/dashboard/operator/queue/${props.action}`} formToken={props.visit.formToken}>
      <input type="hidden" name="domain" value={domain} />
      <button type="submit" class="small" aria-label={`${props.text}: ${domain}`}>
        {props.text}
      </button>
    </PostForm>
  );
}
