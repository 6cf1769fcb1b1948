/** @jsxRuntime automatic @jsxImportSource preact */
/** Failed recipients by reason and by recipient domain, each with a link to its messages. */
import type { ReceiverFailures } from "../../app/reports/receivers.ts";
import { explain } from "../../message/result/explanation.ts";
import type { FailureReason, Failures } from "../../spool/port/reports.ts";
import { CATEGORY_NAMES, countText, plural, reasonName } from "./labels.ts";
import { failedLink } from "./message-links.ts";

export interface FailuresProps {
  failures: Failures;
  /** The time range, such as `24 hours`. */
  rangeText: string;
  sinceMs: number;
  /** Of all accounts, for operators; empty for others. */
  receivers: readonly ReceiverFailures[];
  /** Whether the reader's message list has these messages: not those of all accounts. */
  isLinked: boolean;
}

export function FailureLists(props: FailuresProps) {
  const { failures, rangeText } = props;
  if (failures.recipients === 0) {
    return (
      <section class="card" aria-labelledby="failures-title">
        <h2 id="failures-title">Failures</h2>
        <p class="quiet">No recipient failed in the last {rangeText}</p>
      </section>
    );
  }
  return (
    <>
      <section class="card" aria-labelledby="failures-by-reason">
        <h2 id="failures-by-reason">Failures by reason</h2>
        <ul class="queue">
          {failures.reasons.map((entry) => (
            <Reason key={`${entry.category} ${entry.reason}`} entry={entry} {...props} />
          ))}
        </ul>
        <Others recipients={failures.otherReasons} text="for other reasons" />
        {failures.isPartial ? (
          <p class="quiet">Only the newest {countText(failures.recipients)} failures are counted.</p>
        ) : null}
      </section>
      <section class="card" aria-labelledby="failures-by-domain">
        <h2 id="failures-by-domain">Failures by recipient domain</h2>
        <ul class="queue">
          {failures.domains.map(({ domain, recipients }) => (
            <li key={domain} class="queue-head">
              <Linked href={failedLink(props.sinceMs, { q: `@${domain}` })} isLinked={props.isLinked} text={domain} />
              <span class="queue-count">{countText(recipients)}</span>
            </li>
          ))}
        </ul>
        <Others recipients={failures.otherDomains} text="at other domains" />
      </section>
      <ByReceiver receivers={props.receivers} />
    </>
  );
}

/** Each node counts by hour, so a shorter range than a day has those of a day. */
function ByReceiver({ receivers }: Pick<FailuresProps, "receivers">) {
  if (receivers.length === 0) return null;
  return (
    <section class="card" aria-labelledby="failures-by-receiver">
      <h2 id="failures-by-receiver">Failures by receiver</h2>
      <ul class="queue">
        {receivers.map(({ name, label, failed }) => (
          <li key={name} class="queue-head">
            <a href={`/dashboard/operator/receivers/${name}`}>{label}</a>
            <span class="queue-count">{countText(failed)}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Reason({ entry, sinceMs, isLinked }: FailuresProps & { entry: FailureReason }) {
  const { reason, category, recipients } = entry;
  const storedName = category === null ? "No reason" : CATEGORY_NAMES[category];
  const filter = { ...(category === null ? {} : { category }), ...(reason === null ? {} : { reason }) };
  return (
    <li class="queue-head" title={reason === null ? "No reason was stored." : explain(reason, category)}>
      <span>
        <Linked
          href={failedLink(sinceMs, filter)}
          isLinked={isLinked}
          text={reason === null ? storedName : reasonName(reason, category)}
        />{" "}
        {reason === null ? null : <code>{reason}</code>}
      </span>
      <span class="queue-count">{countText(recipients)}</span>
    </li>
  );
}

function Linked({ href, isLinked, text }: { href: string; isLinked: boolean; text: string }) {
  return isLinked ? <a href={href}>{text}</a> : <span>{text}</span>;
}

function Others({ recipients, text }: { recipients: number; text: string }) {
  if (recipients === 0) return null;
  return (
    <p class="quiet">
      {plural(recipients, "recipient")} {text}
    </p>
  );
}
