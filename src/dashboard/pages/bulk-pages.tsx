/** @jsxRuntime automatic @jsxImportSource preact */
/** The pages of an action on all recipients of a search: the confirmation, the progress between two steps, and the outcome. */
import type { BulkAction, BulkScope, BulkTotals } from "../../app/bulk-actions.ts";
import type { AuthContext } from "../auth/sessions.ts";
import { Notice, PostForm, Timestamp } from "../views/components.tsx";
import { countText, plural } from "../views/labels.ts";
import { signedInPage } from "../views/layout.tsx";
import { BULK_TEXTS, outcomeLines, recipientsText } from "./bulk-texts.ts";
import { SEARCH_FIELDS, type Search, type SearchField, searchQuery } from "./message-search.ts";
import { searchedText } from "./message-search-form.tsx";

export interface BulkState {
  action: BulkAction;
  search: Search;
  scope: BulkScope;
  /** The name of the API key that the search is for; absent without one. */
  keyName?: string | undefined;
}

const listPath = ({ search }: BulkState): string => `/dashboard/messages?${searchQuery(search)}`;

export function confirmationPage(auth: AuthContext, state: BulkState): string {
  const { action, search, scope } = state;
  const { title, question, effect, warning, isDangerous } = BULK_TEXTS[action];
  const isTest = search.filter.test === true;
  const recipients = recipientsText(action, scope.recipients, isTest);
  return signedInPage(auth, "/messages", {
    title,
    children: (
      <>
        <h1>{scope.recipients === 0 ? title : question(recipients)}</h1>
        <Searched state={state} />
        {scope.recipients === 0 ? (
          <p>The search finds {recipientsText(action, 0, isTest)}. Nothing was changed.</p>
        ) : null}
        {scope.sinceMs === null ? null : (
          <Notice tone="warn">
            The search has more. This is about messages accepted since <Timestamp atMs={scope.sinceMs} />. Repeat the
            action for the others.
          </Notice>
        )}
        {warning === null || scope.recipients === 0 ? null : <Notice tone="warn">{warning}</Notice>}
        {scope.recipients === 0 ? null : <p>{effect}</p>}
        <StepForm auth={auth} state={state} after="" totals={null} class="bar">
          {scope.recipients === 0 ? null : (
            <button type="submit" class={isDangerous ? "danger" : "primary"}>
              {question(countText(scope.recipients)).replace("?", "")}
            </button>
          )}
          <a class="button" href={listPath(state)}>
            Back to the messages
          </a>
        </StepForm>
      </>
    ),
  });
}

/** What the action is about: the search, in words. */
function Searched({ state: { search, keyName } }: { state: BulkState }) {
  const { fields, filter } = search;
  const text = searchedText(search);
  const named = (Object.keys(FIELD_NAMES) as (keyof typeof FIELD_NAMES)[]).filter((name) => fields[name] !== "");
  return (
    <>
      <p>
        {search.narrowed ? "All of them that match the search." : "All of them in this account."} {text}
        {filter.text === undefined ? null : " All recipients of such a message are included."}
      </p>
      <p class="quiet">
        {filter.test === true
          ? "Of test messages only."
          : "Of live messages only: to act on test messages, search for that kind."}
      </p>
      {named.length === 0 ? null : (
        <dl class="facts card">
          {named.map((name) => (
            <>
              <dt key={name}>{FIELD_NAMES[name]}</dt>
              <dd>{name === "key" ? (keyName ?? fields.key) : fields[name]}</dd>
            </>
          ))}
        </dl>
      )}
    </>
  );
}

const FIELD_NAMES = {
  category: "Category",
  from: "Sender",
  subject: "Subject contains",
  tag: "Tag",
  key: "API key",
  domain: "Sending domain",
  since: "Accepted from (UTC)",
  until: "Accepted before (UTC)",
} as const satisfies Partial<Record<SearchField, string>>;

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
        <p class="quiet">Leave this page to stop. What is done stays done.</p>
        <StepForm auth={auth} state={state} after={after} totals={totals} class="bar continue">
          <button type="submit" class="primary">
            Continue
          </button>
          <a class="button" href={listPath(state)}>
            Stop
          </a>
        </StepForm>
      </>
    ),
  });
}

export function outcomePage(auth: AuthContext, state: BulkState, totals: BulkTotals): string {
  const { action, scope } = state;
  const [head, ...others] = outcomeLines(action, scope.recipients, totals);
  return signedInPage(auth, "/messages", {
    title: BULK_TEXTS[action].title,
    children: (
      <>
        <h1>{BULK_TEXTS[action].title}</h1>
        <Notice tone={totals.done === 0 ? "warn" : "good"}>{head}</Notice>
        {others.length === 0 ? null : (
          <ul>
            {others.map((line) => (
              <li key={line}>{line}</li>
            ))}
          </ul>
        )}
        {scope.sinceMs === null ? null : (
          <p>
            The search has more, in messages accepted before <Timestamp atMs={scope.sinceMs} />.
          </p>
        )}
        <p>
          <a class="button" href={listPath(state)}>
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
