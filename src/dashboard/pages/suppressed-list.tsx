/** @jsxRuntime automatic @jsxImportSource preact */
/**
 * The page of suppressed email addresses: those that are not attempted because recipient servers have repeatedly rejected them as
 * nonexistent, because their owner complained or unsubscribed, or because they were added. Which rejections count is decided by
 * message/result/suppression.ts.
 */
import type { ImportResult } from "../../app/suppressions/add-suppressions.ts";
import type { ListedSuppressions } from "../../app/suppressions/suppression-list.ts";
import { SUPPRESSION_NAMES } from "../../message/result/explanation.ts";
import { SET_CAUSES, SUPPRESSION_CAUSES, type SuppressionCause } from "../../message/result/suppression.ts";
import type { SuppressedAddress } from "../../spool/port/suppressions.ts";
import type { AuthContext } from "../auth/sessions.ts";
import {
  ConfirmButtons,
  EmptyState,
  Field,
  Notice,
  type Option,
  PostForm,
  RelativeTime,
  ReplyQuote,
  Select,
  Table,
  TextArea,
  Timestamp,
} from "../views/components.tsx";
import { Icon } from "../views/icons.tsx";
import { capitalized, plural } from "../views/labels.ts";
import { signedInPage } from "../views/layout.tsx";
import { EmailAddress, RowLink } from "../views/list-rows.tsx";
import { Allowed } from "../views/permissions.tsx";
import { AddressList, SelectBox, SelectionBar } from "../views/selection.tsx";

const PATH = "/dashboard/suppressed";

export interface SuppressedSearch {
  /** A part of the address; "" for none. */
  text: string;
  cause: SuppressionCause | "";
}

/** An addition that was not done, or not as a whole. */
export interface Addition {
  typed: { text: string; cause: string; until: string };
  result: ImportResult | null;
  /** Why nothing was added, or why the rest was not read. */
  fault: string | null;
}

export interface SuppressedState {
  search: SuppressedSearch;
  found: ListedSuppressions;
  suppressAfter: number;
  nowMs: number;
  addition: Addition | null;
  /** What was done before. */
  done: string | null;
}

export function suppressedPage(auth: AuthContext, state: SuppressedState): string {
  const { search, found, suppressAfter, nowMs, addition, done } = state;
  return signedInPage(auth, "/messages/suppressed", {
    title: "Suppressed addresses",
    children: (
      <>
        <p class="crumbs">
          <a href="/dashboard/messages">Messages</a>
        </p>
        <h1>Suppressed addresses</h1>
        {done === null ? null : <Notice tone="good">{done}</Notice>}
        <SearchForm search={search} />
        <div class="list-head">
          <Allowed to={`POST ${PATH}/add`}>
            <AddForm auth={auth} addition={addition} />
          </Allowed>
          <Lead after={suppressAfter} />
          <a class="button small" href={`${PATH}.csv?${queryOf(search)}`} download>
            Export as CSV
          </a>
        </div>
        {found.data.length === 0 ? (
          <Nothing search={search} isMore={found.next !== null} />
        ) : (
          <div class="selectable">
            <Allowed to={`POST ${PATH}/forget`}>
              <SelectionBar action={`${PATH}/forget`}>
                <button type="submit" class="small">
                  Allow again …
                </button>
              </SelectionBar>
            </Allowed>
            <Table label="Suppressed addresses" class="stacked linked pairs suppressed" head={HEAD}>
              {found.data.map((address) => (
                <Row key={address.email} auth={auth} address={address} nowMs={nowMs} />
              ))}
            </Table>
          </div>
        )}
        <More search={search} next={found.next} />
      </>
    ),
  });
}

/** Asks before several addresses are allowed again. */
export function allowAgainPage(auth: AuthContext, emails: readonly string[]): string {
  const title = `Allow ${plural(emails.length, "email address", "email addresses")} again?`;
  return signedInPage(auth, "/messages/suppressed", {
    title: "Allow again",
    children: (
      <>
        <h1>{title}</h1>
        <p>
          The next message to each of them is attempted. An address that its server rejects again, or whose owner
          complains or unsubscribes, is suppressed again.
        </p>
        <AddressList emails={emails} />
        <PostForm action={`${PATH}/forget`} formToken={auth.formToken}>
          {emails.map((email) => (
            <input key={email} type="hidden" name="email" value={email} />
          ))}
          <ConfirmButtons tone="primary" text={title.replace("?", "")} back={PATH} />
        </PostForm>
      </>
    ),
  });
}

const HEAD = ["Email address", "Cause", "Until", ""];

function Lead({ after }: { after: number }) {
  return (
    <details>
      <summary>Which addresses are suppressed</summary>
      <p class="lead">
        {after === 0
          ? "This installation attempts an email address however often it was rejected as nonexistent (SUPPRESS_AFTER=0)."
          : `An email address is not attempted for a while after recipient servers have rejected it as nonexistent ${ruleText(after)} within 30 days. Further attempts would harm your sender reputation.`}{" "}
        An email address whose owner marked a message as spam or unsubscribed is not attempted until you allow it again.
        You can add others.
      </p>
    </details>
  );
}

/** Describes the rule of message/result/suppression.ts. */
function ruleText(after: number): string {
  if (after === 1) return "once";
  const apart = `${after} times at least 8 hours apart`;
  return after === 2 ? apart : `${apart}, or ${after - 1} times over at least 24 hours,`;
}

const causeText = (cause: SuppressionCause): string => capitalized(SUPPRESSION_NAMES[cause]);
const causeOption = (value: SuppressionCause): Option => ({ value, text: causeText(value) });

const SEARCH_CAUSES: Option[] = [{ value: "", text: "Any" }, ...SUPPRESSION_CAUSES.map(causeOption)];
const ADD_CAUSES: Option[] = [
  { value: "", text: "From the list, else added by hand" },
  ...SET_CAUSES.toReversed().map(causeOption),
];

const queryOf = ({ text, cause }: SuppressedSearch) => new URLSearchParams({ q: text, cause });

function SearchForm({ search: { text, cause } }: { search: SuppressedSearch }) {
  return (
    <search>
      <form method="get" action={PATH} class="card search">
        <div class="search-first search-places">
          <Field label="Search" name="q" value={text} placeholder="Part of an email address" />
          <Select label="Cause" name="cause" value={cause} options={SEARCH_CAUSES} />
          <button type="submit" class="primary">
            Search
          </button>
        </div>
      </form>
    </search>
  );
}

function AddForm({ auth, addition }: { auth: AuthContext; addition: Addition | null }) {
  const typed = addition?.typed ?? { text: "", cause: "", until: "" };
  return (
    <details open={addition !== null}>
      <summary>Add addresses</summary>
      {addition === null ? null : <AdditionFaults addition={addition} />}
      <PostForm action={`${PATH}/add`} formToken={auth.formToken} class="card" hasFile>
        <TextArea
          label="Email addresses"
          name="addresses"
          rows={8}
          value={typed.text}
          hint="One address a line, or the CSV export of Postmark, Amazon SES, SendGrid, Resend or Postrider with its header."
        />
        <Field
          label="Or a file"
          name="file"
          type="file"
          accept=".csv,.txt,.ndjson"
          hint="Of the same forms, up to 4 MB: about 100,000 addresses. For more, use “postrider suppressions import FILE”."
        />
        <Select label="Cause of these addresses" name="cause" value={typed.cause} options={ADD_CAUSES} />
        <Field
          label="Until (UTC)"
          name="until"
          type="datetime-local"
          value={typed.until}
          hint="Without an end, the addresses are suppressed until you allow them again."
        />
        <button type="submit">Add addresses</button>
      </PostForm>
    </details>
  );
}

function AdditionFaults({ addition: { result, fault } }: { addition: Addition }) {
  const counts =
    result === null ? null : `${result.added} added, ${result.changed} changed, ${result.already} already in the list.`;
  const more = result === null ? 0 : result.invalid - result.faults.length;
  return (
    <Notice tone="bad">
      {fault ?? (result?.format === null ? "There are no email addresses in the text." : "Some lines were not added.")}{" "}
      {counts}
      {result === null || result.faults.length === 0 ? null : (
        <ul>
          {result.faults.map(({ at, email, detail }) => (
            <li key={at}>
              Line {at}: {email}: {detail}
            </li>
          ))}
          {more > 0 ? <li>And {more} more.</li> : null}
        </ul>
      )}
    </Notice>
  );
}

function Nothing({ search: { text, cause }, isMore }: { search: SuppressedSearch; isMore: boolean }) {
  if (isMore) {
    return (
      <EmptyState title="None found yet">
        <p>The newest addresses do not match. Search the others.</p>
      </EmptyState>
    );
  }
  if (text !== "" || cause !== "") {
    return (
      <EmptyState title="No suppressed address matches">
        <p>
          <a href={PATH}>Show all suppressed addresses</a>
        </p>
      </EmptyState>
    );
  }
  return (
    <EmptyState title="No suppressed addresses">
      <p>Messages to all email addresses are attempted.</p>
    </EmptyState>
  );
}

function More({ search: { text, cause }, next }: { search: SuppressedSearch; next: string | null }) {
  if (next === null) return null;
  const query = new URLSearchParams({ q: text, cause, after: next });
  return (
    <p>
      <a class="button" href={`${PATH}?${query}`} rel="next">
        More addresses
      </a>
    </p>
  );
}

function Row({ auth, address, nowMs }: { auth: AuthContext; address: SuppressedAddress; nowMs: number }) {
  const { email, cause, sinceMs, untilMs, refusals, messageId } = address;
  const last = refusals.at(-1);
  return (
    <tr>
      <th scope="row" class="left">
        <div class="line">
          <Allowed to={`POST ${PATH}/forget`}>
            <SelectBox name="email" value={email} label={email} />
          </Allowed>
          <RowLink href={`/dashboard/messages?${new URLSearchParams({ q: email, in: "recipient" })}`}>
            <EmailAddress address={email} />
          </RowLink>
        </div>
      </th>
      <td class="left small second">
        <div class="line">
          <span class="whole">
            {causeText(cause)}, <RelativeTime atMs={last?.at_ms ?? sinceMs} nowMs={nowMs} />
          </span>
          {messageId === undefined ? null : <a href={`/dashboard/messages/${messageId}`}>Message</a>}
          {last === undefined ? null : (
            <span class="cut" title={`${last.message} (${last.mx})`}>
              <ReplyQuote reply={last} /> {last.mx}
            </span>
          )}
        </div>
      </td>
      <td class={`nowrap right small second ${untilMs === null ? "secondary" : ""}`} data-label="Until">
        {untilMs === null ? <span class="quiet">You allow it again</span> : <Timestamp atMs={untilMs} />}
      </td>
      <td class="action right">
        <PostForm action={`${PATH}/forget`} formToken={auth.formToken} entry={{ email }}>
          <button type="submit" class="small icon-button" title="Allow again" aria-label={`Allow again: ${email}`}>
            <Icon name="allow" />
          </button>
        </PostForm>
      </td>
    </tr>
  );
}
