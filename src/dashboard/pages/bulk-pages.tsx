/** @jsxRuntime automatic @jsxImportSource preact */
/** The pages of an action on all recipients of a search: the confirmation, the progress between two steps, and the outcome. */
import { Fragment } from "preact";
import {
  ACTED_RESULTS,
  type BulkAction,
  type BulkCount,
  type BulkScope,
  type BulkTotals,
} from "../../app/decide/bulk-actions.ts";
import type { ApiKey } from "../../spool/port/api-keys.ts";
import type { AuthContext } from "../auth/sessions.ts";
import { Notice, PostForm, Timestamp } from "../views/components.tsx";
import { countText, plural, RESULT_LABELS } from "../views/labels.ts";
import { signedInPage } from "../views/layout.tsx";
import { BULK_TEXTS, outcomeLines, recipientsText } from "./bulk-texts.ts";
import { messagesPath, SEARCH_FIELDS, type Search } from "./message-search.ts";
import { filtersSet, searchedText } from "./message-search-form.tsx";

export interface BulkState {
  action: BulkAction;
  search: Search;
  scope: BulkScope;
}

export interface Confirmation {
  count: BulkCount;
  /** The keys of the account. */
  keys: ApiKey[];
}

export function confirmationPage(auth: AuthContext, state: BulkState, { count, keys }: Confirmation): string {
  const { action, search } = state;
  const { title, question, effect, warning, isDangerous } = BULK_TEXTS[action];
  const recipients = recipientsText(action, count.recipients, search.filter.test === true);
  const isEmpty = count.recipients === 0;
  return signedInPage(auth, "/messages", {
    title,
    children: (
      <>
        <h1>{isEmpty ? title : question(recipients)}</h1>
        {isEmpty ? <p>The search finds {recipients}. Nothing was changed.</p> : <p>{effect}</p>}
        {warning === null || isEmpty ? null : <Notice tone="warn">{warning}</Notice>}
        {count.sinceMs === null ? null : (
          <Notice tone="warn">
            The search has more. This is about messages accepted since <Timestamp atMs={count.sinceMs} />. Repeat the
            action for the others.
          </Notice>
        )}
        <div class="columns">
          <Selection account={auth.account.name} state={state} keys={keys} />
          {isEmpty ? null : <Found count={count} recipients={recipients} />}
        </div>
        <StepForm auth={auth} state={state} after="" totals={null} class="bar">
          {isEmpty ? null : (
            <button type="submit" class={isDangerous ? "danger" : "primary"}>
              {question(countText(count.recipients)).replace("?", "")}
            </button>
          )}
          <a class="button" href={messagesPath(search)}>
            Back to the messages
          </a>
        </StepForm>
      </>
    ),
  });
}

/** What selects the recipients: each filter in words, and what the action leaves out. */
function Selection({ account, state, keys }: { account: string; state: BulkState; keys: ApiKey[] }) {
  const { search, action } = state;
  const { filter } = search;
  const searched = searchedText(search);
  const filters = filtersSet({ search, keys }).filter(({ name }) => !IN_OWN_ROW.has(name));
  return (
    <section class="card" aria-labelledby="selection">
      <h2 id="selection">Selected by</h2>
      <dl class="facts">
        <dt>Account</dt>
        <dd>{account}</dd>
        <dt>Result</dt>
        <dd>{RESULT_LABELS[ACTED_RESULTS[action]].text}</dd>
        <dt>Kind</dt>
        <dd>
          {filter.test === true
            ? "Test messages only"
            : "Live messages only: to act on test messages, search for that kind"}
        </dd>
        {searched === null ? null : (
          <>
            <dt>Search</dt>
            <dd>
              {searched}
              {filter.text === undefined ? null : " All recipients of such a message are included."}
            </dd>
          </>
        )}
        {filters.map(({ name, label, text, atMs }) => (
          <Fragment key={name}>
            <dt>{label}</dt>
            <dd>{atMs === null ? text : <Timestamp atMs={atMs} />}</dd>
          </Fragment>
        ))}
        {searched === null && filters.length === 0 ? (
          <>
            <dt>Filters</dt>
            <dd>None: all messages of the account</dd>
          </>
        ) : null}
      </dl>
    </section>
  );
}

/** Filters that the action sets itself, and the text of the search box, which has a sentence. */
const IN_OWN_ROW: ReadonlySet<string> = new Set(["q", "result", "kind"]);

/** How many recipients were found, where, and of which time. */
function Found({ count, recipients }: { count: BulkCount; recipients: string }) {
  const { accepted, domains, otherDomains } = count;
  const others = count.recipients - domains.reduce((sum, each) => sum + each.recipients, 0);
  return (
    <section class="card" aria-labelledby="found">
      <h2 id="found">Found</h2>
      <p>
        {recipients} of {plural(count.messages, "message")}
        {accepted === null ? null : <AcceptedBetween {...accepted} />}
      </p>
      <ul class="queue" aria-label="Recipients by domain">
        {domains.map((each) => (
          <li key={each.domain} class="queue-head">
            <span>{each.domain}</span>
            <span class="queue-count">{countText(each.recipients)}</span>
          </li>
        ))}
      </ul>
      {otherDomains === 0 ? null : (
        <p class="quiet">
          {plural(others, "recipient")} at {plural(otherDomains, "other domain")}
        </p>
      )}
    </section>
  );
}

function AcceptedBetween({ oldestMs, newestMs }: { oldestMs: number; newestMs: number }) {
  if (oldestMs === newestMs) {
    return (
      <>
        , accepted on <Timestamp atMs={oldestMs} />
      </>
    );
  }
  return (
    <>
      , accepted from <Timestamp atMs={oldestMs} /> to <Timestamp atMs={newestMs} />
    </>
  );
}

export function progressPage(
  auth: AuthContext,
  state: BulkState,
  { totals, after }: { totals: BulkTotals; after: string },
): string {
  const { progress } = BULK_TEXTS[state.action];
  const { recipients } = state.scope;
  return signedInPage(auth, "/messages", {
    title: progress,
    scripts: ["continue.js"],
    children: (
      <>
        <h1>{progress} …</h1>
        <p role="status">
          {countText(Math.min(totals.seen, recipients))} of {plural(recipients, "recipient")}
        </p>
        <p>
          <progress max={recipients} value={totals.seen} aria-label={progress} />
        </p>
        <p class="quiet">To stop, leave this page. Completed steps remain in effect.</p>
        <StepForm auth={auth} state={state} after={after} totals={totals} class="bar continue">
          <button type="submit" class="primary">
            Continue
          </button>
          <a class="button" href={messagesPath(state.search)}>
            Stop
          </a>
        </StepForm>
      </>
    ),
  });
}

export function outcomePage(auth: AuthContext, { action, scope, search }: BulkState, totals: BulkTotals): string {
  return donePage(auth, {
    title: BULK_TEXTS[action].title,
    lines: outcomeLines(action, scope.recipients, totals),
    isDone: totals.done > 0,
    sinceMs: scope.sinceMs,
    back: messagesPath(search),
  });
}

interface Done {
  title: string;
  /** What was done, then what was not. */
  lines: string[];
  isDone: boolean;
  sinceMs: number | null;
  back: string;
}

/** What has become of the recipients. */
export function donePage(auth: AuthContext, { title, lines: [head, ...others], isDone, sinceMs, back }: Done): string {
  return signedInPage(auth, "/messages", {
    title,
    children: (
      <>
        <h1>{title}</h1>
        <Notice tone={isDone ? "good" : "warn"}>{head}</Notice>
        {others.length === 0 ? null : (
          <ul class="bullets">
            {others.map((line) => (
              <li key={line}>{line}</li>
            ))}
          </ul>
        )}
        {sinceMs === null ? null : (
          <p>
            The search has more, in messages accepted before <Timestamp atMs={sinceMs} />.
          </p>
        )}
        <p>
          <a class="button" href={back}>
            Back to the messages
          </a>
        </p>
      </>
    ),
  });
}

interface StepFormProps {
  auth: AuthContext;
  state: BulkState;
  /** The last message of the former step; "" for the first. */
  after: string;
  /** Null before the first step. */
  totals: BulkTotals | null;
  class: string;
  children: preact.ComponentChildren;
}

/** The form of a step carries everything that the step needs: no state is kept between two steps. */
function StepForm({ auth, state: { action, search, scope }, after, totals, class: name, children }: StepFormProps) {
  const hidden: Record<string, string> = {
    ...Object.fromEntries(SEARCH_FIELDS.map((field) => [field, search.fields[field]])),
    counted: String(scope.recipients),
    at: String(scope.atMs),
    ...(scope.sinceMs === null ? {} : { least: String(scope.sinceMs) }),
    ...(after === "" ? {} : { after }),
    ...(totals === null ? {} : { totals: JSON.stringify(totals) }),
  };
  return (
    <PostForm action={`/dashboard/bulk/${action}`} formToken={auth.formToken} class={name}>
      {Object.entries(hidden).map(([field, value]) =>
        value === "" ? null : <input key={field} type="hidden" name={field} value={value} />,
      )}
      {children}
    </PostForm>
  );
}
