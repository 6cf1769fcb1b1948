/** @jsxRuntime automatic @jsxImportSource preact */
/** The audit trail: who changed what, when and from where, the newest first. */
import { ACTIONS } from "../../app/audit/change.ts";
import type { ListedAudit, ListedEntry } from "../../app/audit/list-audit.ts";
import type { AuthContext } from "../auth/sessions.ts";
import { EmptyState, Field, type Option, Select, Table, Timestamp } from "../views/components.tsx";
import { signedInPage } from "../views/layout.tsx";
import { EmailAddress } from "../views/list-rows.tsx";

export interface AuditSearch {
  /** The name or id of an account; empty for all. For operators. */
  account: string;
  /** A part of the name of a user or an API key; empty for any. */
  by: string;
  /** The beginning of the action; empty for any. */
  action: string;
  /** Where the page begins; empty for the newest. */
  after: string;
}

export interface AuditState {
  /** `all`: with the installation, for operators. */
  scope: "account" | "all";
  search: AuditSearch;
  found: ListedAudit;
}

const pathOf = ({ scope }: Pick<AuditState, "scope">): string => (scope === "all" ? "/operator/audit" : "/audit");

export function auditPage(auth: AuthContext, state: AuditState): string {
  const { scope, found } = state;
  const whose = scope === "all" ? "all accounts and the installation" : `the account ${auth.account.name}`;
  return signedInPage(auth, pathOf(state), {
    title: "Audit trail",
    children: (
      <>
        <h1>Audit trail</h1>
        <p class="lead">
          What users, operators, API keys and the command line changed in {whose}, the newest first. Entries are kept as
          long as results of messages.
        </p>
        <SearchForm state={state} />
        {found.entries.length === 0 ? <NothingFound state={state} /> : <EntryTable state={state} />}
        <OlderLink state={state} />
      </>
    ),
  });
}

function SearchForm({ state }: { state: AuditState }) {
  const { scope, search } = state;
  return (
    <search>
      <form method="get" action={`/dashboard${pathOf(state)}`} class="card search">
        <div class="search-first">
          <Field label="Changed by" name="by" value={search.by} placeholder="User or API key" />
          <Select label="Action" name="action" value={search.action} options={actionOptions(search.action)} />
          <button type="submit" class="primary">
            Search
          </button>
        </div>
        {scope === "all" ? (
          <div class="search-more">
            <Field label="Account" name="account" value={search.account} placeholder="Name" />
          </div>
        ) : null}
      </form>
    </search>
  );
}

/** The actions by what they are about. */
const GROUPS: readonly string[] = [...new Set(ACTIONS.map((action) => action.replace(/\..*|_failed$/, "")))];

function actionOptions(selected: string): Option[] {
  const groups = GROUPS.map((group) => ({
    value: ACTIONS.some((each) => each === group) ? group : `${group}.`,
    text: group,
  }));
  const isListed = selected === "" || groups.some(({ value }) => value === selected);
  return [{ value: "", text: "Any" }, ...groups, ...(isListed ? [] : [{ value: selected, text: selected }])];
}

const HEAD = ["Time", "By", "Action", "Target", "Change"];

function EntryTable({ state: { scope, found } }: { state: AuditState }) {
  return (
    <Table label="Audit trail" class="stacked pairs audit" head={scope === "all" ? [...HEAD, "Account"] : HEAD}>
      {found.entries.map((entry) => (
        <tr key={entry.id}>
          <td class="nowrap right small">
            <Timestamp atMs={entry.atMs} />
          </td>
          <td class="left first">
            <By entry={entry} />
          </td>
          <td class="nowrap left small second">
            <code>{entry.action}</code>
          </td>
          <td class="right small second">
            <div class="line">
              <span class="whole">{entry.target.kind.replaceAll("_", " ")}</span>{" "}
              <Name text={entry.target.name ?? entry.target.id ?? ""} />
            </div>
          </td>
          <td class="wide-cell third">
            <Fields entry={entry} />
          </td>
          {scope === "all" ? <td class="secondary">{accountText(entry)}</td> : null}
        </tr>
      ))}
    </Table>
  );
}

const accountText = ({ account, accountId }: ListedEntry): string => account ?? accountId ?? "Installation";

function By({ entry: { actor } }: { entry: ListedEntry }) {
  const name = actor.name ?? "Not signed in";
  return (
    <div class="line">
      {actor.kind === "key" ? <span class="whole">API key </span> : null}
      <Name text={name} />
      {actor.ip === null ? null : <span class="quiet small cut"> from {actor.ip}</span>}
    </div>
  );
}

const Name = ({ text }: { text: string }) =>
  text.includes("@") ? (
    <EmailAddress address={text} />
  ) : (
    <span class="cut" title={text}>
      {text}
    </span>
  );

/** Several changes are folded into one line. */
function Fields({ entry: { before, after } }: { entry: ListedEntry }) {
  const names = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])];
  const texts = names.map((name) => `${name.replaceAll("_", " ")}: ${changeText(before?.[name], after?.[name])}`);
  if (texts.length === 0) return null;
  if (texts.length === 1)
    return (
      <span class="small" title={texts[0]}>
        {texts[0]}
      </span>
    );
  return (
    <details>
      <summary>{names.map((name) => name.replaceAll("_", " ")).join(", ")}</summary>
      {texts.map((text) => (
        <div key={text} class="small">
          {text}
        </div>
      ))}
    </details>
  );
}

/** Such as `owner → viewer`. */
function changeText(before: unknown, after: unknown): string {
  if (before === undefined) return valueText(after);
  return after === undefined ? `was ${valueText(before)}` : `${valueText(before)} → ${valueText(after)}`;
}

function valueText(value: unknown): string {
  if (value === null) return "not set";
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (typeof value === "string" || typeof value === "number") return String(value);
  const isPlainList = Array.isArray(value) && value.every((each) => typeof each === "string");
  return isPlainList ? value.join(", ") || "none" : JSON.stringify(value);
}

function NothingFound({ state }: { state: AuditState }) {
  const { account, by, action, after } = state.search;
  if (account + by + action + after !== "") {
    return (
      <EmptyState title="No changes found">
        <p>
          <a href={`/dashboard${pathOf(state)}`}>Show all changes</a>
        </p>
      </EmptyState>
    );
  }
  return (
    <EmptyState title="No changes yet">
      <p>Sign-ins and changes appear here at once.</p>
    </EmptyState>
  );
}

function OlderLink({ state }: { state: AuditState }) {
  const { search, found } = state;
  if (found.next === null) return null;
  const given = Object.entries({ ...search, after: found.next }).filter(([, value]) => value !== "");
  return (
    <p class="bar">
      <a class="button" href={`/dashboard${pathOf(state)}?${new URLSearchParams(given)}`} rel="next">
        Older changes
      </a>
    </p>
  );
}
