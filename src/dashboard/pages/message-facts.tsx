/** @jsxRuntime automatic @jsxImportSource preact */
/**
 * What is known of a message as a whole: who sent it, when and with which request, its labels and its identifiers.
 */
import { Fragment } from "preact";
import { FORWARD_KEY } from "../../app/incoming/forward-to-users.ts";
import { NOTICE_KEY } from "../../app/notices/notice-email.ts";
import { COMMAND_LINE_KEY } from "../../app/send/command-line-message.ts";
import { FOREIGN_NOTICE_KEY, INVITATION_KEY, PASSWORD_RESET_KEY } from "../../app/send/link-message.ts";
import { DASHBOARD_KEY } from "../../app/send/test-message.ts";
import type { ShownMailbox } from "../../message/reading/address-fields.ts";
import { Badge, Breakable, Copyable, RelativeTime, Timestamp } from "../views/components.tsx";
import { sizeText, TEST_LABEL } from "../views/labels.ts";
import { requestPath } from "../views/request-table.tsx";
import type { MessageState } from "./message-state.ts";

export function MessageFacts({ state }: { state: MessageState }) {
  const { report, content } = state;
  return (
    <dl class="facts card message-facts">
      <Addresses state={state} />
      <Times state={state} />
      <Sender state={state} />
      <Labels state={state} />
      {content === null ? null : (
        <>
          <dt>Size</dt>
          <dd>{sizeText(content.sizeBytes)}</dd>
        </>
      )}
      <dt>Id</dt>
      <dd>
        <Copyable text={report.id} label="message id" kind="id" hasIcon />
      </dd>
      <dt>Message-ID</dt>
      <dd>
        <Copyable text={report.messageId} label="Message-ID" kind="id" hasIcon />
      </dd>
    </dl>
  );
}

/** Those of the header while there is a content. The table of recipients has the envelope's. */
function Addresses({ state: { report, content } }: { state: MessageState }) {
  const addresses = content?.addresses;
  const from = addresses === undefined || addresses.from.length === 0 ? null : addresses.from;
  return (
    <>
      <dt>From</dt>
      <dd>{from === null ? <Breakable text={report.from} /> : <Mailboxes mailboxes={from} />}</dd>
      <MailboxesFact name="Reply-To" mailboxes={addresses?.replyTo} />
      <MailboxesFact name="To" mailboxes={addresses?.to} />
      <MailboxesFact name="Cc" mailboxes={addresses?.cc} />
    </>
  );
}

function MailboxesFact({ name, mailboxes = [] }: { name: string; mailboxes?: ShownMailbox[] | undefined }) {
  if (mailboxes.length === 0) return null;
  return (
    <>
      <dt>{name}</dt>
      <dd>
        <Mailboxes mailboxes={mailboxes} />
      </dd>
    </>
  );
}

/** Mailboxes named before the others are counted. */
const NAMED_MAX = 3;

function Mailboxes({ mailboxes }: { mailboxes: ShownMailbox[] }) {
  const named = mailboxes.length <= NAMED_MAX + 1 ? mailboxes : mailboxes.slice(0, NAMED_MAX);
  const others = mailboxes.length - named.length;
  return (
    <>
      {named.map((mailbox, i) => (
        <Fragment key={`${i}${mailbox.address}`}>
          {i === 0 ? "" : ", "}
          <Mailbox mailbox={mailbox} />
        </Fragment>
      ))}
      {others === 0 ? null : (
        <>
          {" "}
          and <a href="#recipients">{others} more</a>
        </>
      )}
    </>
  );
}

function Mailbox({ mailbox: { name, address } }: { mailbox: ShownMailbox }) {
  if (name === null) return <Breakable text={address} />;
  return (
    <>
      {name} &lt;
      <Breakable text={address} />
      &gt;
    </>
  );
}

function Times({ state: { report, nowMs } }: { state: MessageState }) {
  const isPending = report.recipients.some(({ result }) => result === "pending");
  return (
    <>
      <dt>Accepted</dt>
      <dd>
        <Timestamp atMs={report.createdAtMs} />, <RelativeTime atMs={report.createdAtMs} nowMs={nowMs} />
      </dd>
      <dt>Last change</dt>
      <dd>
        <Timestamp atMs={report.updatedAtMs} />, <RelativeTime atMs={report.updatedAtMs} nowMs={nowMs} />
      </dd>
      <dt>Expires</dt>
      <dd>
        <Timestamp atMs={report.expiresAtMs} />
        {isPending ? (
          <>
            , <RelativeTime atMs={report.expiresAtMs} nowMs={nowMs} />
          </>
        ) : null}
      </dd>
    </>
  );
}

/** Messages of the service itself. */
const SERVICE_KEYS: Readonly<Record<string, string>> = {
  [DASHBOARD_KEY]: "Test message from the dashboard",
  [NOTICE_KEY]: "Notice to a user",
  [FOREIGN_NOTICE_KEY]: "Notice to a user of another account",
  [COMMAND_LINE_KEY]: "Command line",
  [FORWARD_KEY]: "Incoming message, forwarded to the users",
  [INVITATION_KEY]: "Invitation of a user",
  [PASSWORD_RESET_KEY]: "Link to reset a password",
};

function Sender({ state: { report, key } }: { state: MessageState }) {
  const { requestId, idempotencyKey } = report;
  return (
    <>
      <dt>API key</dt>
      <dd>
        {key === null ? (
          (SERVICE_KEYS[report.keyId] ?? report.keyId)
        ) : (
          <a href={`/dashboard/keys/${key.id}`}>{key.name}</a>
        )}{" "}
        {report.test ? <Badge label={TEST_LABEL} /> : null}
      </dd>
      {requestId === null ? null : (
        <>
          <dt>Request id</dt>
          <dd class="bar">
            <Copyable text={requestId} label="request id" kind="id" hasIcon />
            {key === null ? null : <a href={requestPath(requestId)}>Show the request</a>}
          </dd>
        </>
      )}
      {idempotencyKey === null ? null : (
        <>
          <dt>Idempotency key</dt>
          <dd>
            <Copyable text={idempotencyKey} label="idempotency key" hasIcon />
          </dd>
        </>
      )}
    </>
  );
}

function Labels({ state: { report } }: { state: MessageState }) {
  const { tags } = report;
  const metadata = Object.entries(report.metadata);
  return (
    <>
      {tags.length === 0 ? null : (
        <>
          <dt>Tags</dt>
          <dd>
            <ul class="marks">
              {tags.map((tag) => (
                <li key={tag}>
                  <a class="tag" href={`/dashboard/messages?${new URLSearchParams({ tag })}`}>
                    {tag}
                  </a>
                </li>
              ))}
            </ul>
          </dd>
        </>
      )}
      {metadata.length === 0 ? null : (
        <>
          <dt>Metadata</dt>
          <dd>
            <ul>
              {metadata.map(([name, value]) => (
                <li key={name}>
                  <code>{name}</code>: {value}
                </li>
              ))}
            </ul>
          </dd>
        </>
      )}
    </>
  );
}
