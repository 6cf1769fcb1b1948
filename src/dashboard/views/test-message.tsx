/** @jsxRuntime automatic @jsxImportSource preact */
/**
 * The form that sends a test message, and the result of one: waiting, delivered with the server's reply, or failed with advice.
 */
import { adviceFor, explain } from "../../message/result/explanation.ts";
import type { Domain } from "../../spool/port/domains.ts";
import type { MessageReport, RecipientReport } from "../../spool/port/results.ts";
import type { AuthContext } from "../auth/sessions.ts";
import { Field, Notice, PostForm, RelativeTime, ReloadLink, ResultBadge } from "./components.tsx";
import { Icon } from "./icons.tsx";
import { Input, useTypedValue } from "./kept-form.tsx";
import { RESULT_LABELS } from "./labels.ts";

/** What the user typed, and what is wrong with it. */
export interface TestMessageInput {
  local?: string;
  domain?: string;
  to?: string;
  fromError?: string;
  toError?: string;
  /** An error of no single field. */
  error?: string;
}

interface TestMessageFormProps {
  auth: AuthContext;
  /** Verified domains, at least one. */
  domains: Domain[];
  input: TestMessageInput;
}

export function TestMessageForm({ auth, domains, input }: TestMessageFormProps) {
  return (
    <PostForm action="/dashboard/start" formToken={auth.formToken}>
      {input.error === undefined ? null : <Notice tone="bad">{input.error}</Notice>}
      <SenderField domains={domains} input={input} />
      <Field
        label="To"
        name="to"
        value={input.to ?? auth.user.email}
        error={input.toError}
        required
        inputMode="email"
        autoComplete="email"
        hint="Any email address that you can read, such as one at Gmail or at work."
      />
      <button type="submit" class="primary">
        Send test message
      </button>
    </PostForm>
  );
}

function SenderField({ domains, input }: Pick<TestMessageFormProps, "domains" | "input">) {
  const { local = "hello", fromError } = input;
  const [only, second] = domains;
  const selected = useTypedValue("domain") ?? input.domain;
  return (
    <div class="field">
      <label for="field-local">From</label>
      <div class="address-input">
        <Input
          id="field-local"
          name="local"
          value={local}
          required
          autoComplete="off"
          {...(fromError === undefined ? {} : { "aria-invalid": "true", "aria-describedby": "field-local-error" })}
        />
        {second === undefined ? (
          <>
            <span>@{only?.name}</span>
            <input type="hidden" name="domain" value={only?.name} />
          </>
        ) : (
          <>
            <span aria-hidden="true">@</span>
            <select name="domain" aria-label="Domain of the sender">
              {domains.map(({ name }) => (
                <option key={name} value={name} selected={name === selected}>
                  {name}
                </option>
              ))}
            </select>
          </>
        )}
      </div>
      {fromError === undefined ? null : (
        <p class="error" id="field-local-error">
          <Icon name="bad" />
          {fromError}
        </p>
      )}
    </div>
  );
}

/** Changes whenever the result's text does, except for its relative times. */
export const testResultVersion = ({ id, updatedAtMs, quarantined, recipients }: MessageReport): string =>
  `${id} ${updatedAtMs} ${quarantined !== undefined} ${recipients.map(({ result, attempts }) => `${result}${attempts}`)}`;

/** The result in a few words, which screen readers announce. */
export const testStatus = ({ recipients: [recipient] }: MessageReport): string =>
  recipient === undefined ? "" : `Test message to ${recipient.email}: ${RESULT_LABELS[recipient.result].text}`;

interface TestResultProps {
  auth: AuthContext;
  report: MessageReport;
  nowMs: number;
}

export function TestResult({ auth, report, nowMs }: TestResultProps) {
  const [recipient] = report.recipients;
  if (recipient === undefined) return null;
  return (
    <div class={`test-result ${recipient.result}`}>
      <p class="finding-head">
        <strong>
          {report.from} to {recipient.email}
        </strong>{" "}
        <ResultBadge result={recipient.result} />
      </p>
      <Outcome report={report} recipient={recipient} nowMs={nowMs} />
      <Advice auth={auth} recipient={recipient} />
      <p>
        <a href={`/dashboard/messages/${report.id}`}>Show the message with its timeline</a>
      </p>
    </div>
  );
}

function Outcome({ report, recipient, nowMs }: Omit<TestResultProps, "auth"> & { recipient: RecipientReport }) {
  const { result, reason, category, attempts, nextAttemptAtMs } = recipient;
  const why = reason === null ? null : explain(reason, category);
  switch (result) {
    case "delivered":
      return (
        <>
          <p>The recipient's server has accepted the message{recipient.smtp === null ? "." : " with this reply:"}</p>
          <Reply recipient={recipient} />
          <p class="quiet">If it is not in the inbox, look in the spam folder: its header shows why it went there.</p>
        </>
      );
    case "pending":
      if (report.quarantined !== undefined)
        return <p>In quarantine: no attempt is made until the message is released.</p>;
      return (
        <>
          <p>
            {attempts === 0 || why === null ? "Waiting for the recipient's server …" : why}{" "}
            {attempts === 0 || nextAttemptAtMs === null || nextAttemptAtMs <= nowMs ? null : (
              <>
                Attempt {attempts + 1} <RelativeTime atMs={nextAttemptAtMs} nowMs={nowMs} />.
              </>
            )}{" "}
            <ReloadLink path={`/dashboard/start?message=${report.id}`} />
          </p>
          <Reply recipient={recipient} />
        </>
      );
    case "failed":
    case "unknown":
      return (
        <>
          <p>{why}</p>
          <Reply recipient={recipient} />
        </>
      );
  }
}

function Reply({ recipient: { smtp } }: { recipient: RecipientReport }) {
  if (smtp === null) return null;
  return (
    <blockquote class="reply">
      <p class="reply-head">
        {[smtp.code, smtp.enhanced_code].filter(Boolean).join(" ")} from {smtp.mx}
      </p>
      <p class="reply-text">{smtp.message}</p>
    </blockquote>
  );
}

function Advice({ auth, recipient: { result, reason, category } }: { auth: AuthContext; recipient: RecipientReport }) {
  if (reason === "suppressed") {
    return (
      <p>
        To try this address again, allow it in <a href="/dashboard/suppressed">Suppressed addresses</a>.
      </p>
    );
  }
  const advice = adviceFor(result, category);
  if (advice === null) return null;
  return (
    <p>
      {advice} {auth.user.operator ? <a href="/dashboard/operator/host">Open This server</a> : null}
    </p>
  );
}
