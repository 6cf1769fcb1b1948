/** @jsxRuntime automatic @jsxImportSource preact */
/**
 * The list of sending domains, with the form that adds one.
 */
import { CHECK_NAMES, type CheckName, type Domain } from "../../spool/port/domains.ts";
import type { AuthContext } from "../auth/sessions.ts";
import { Badge, EmptyState, Field, Notice, PostForm, Table } from "../views/components.tsx";
import { CHECK_TITLES, checkLabel, domainLabel } from "../views/labels.ts";
import { signedInPage } from "../views/layout.tsx";
import { RowLink, StateText } from "../views/list-rows.tsx";
import { Allowed } from "../views/permissions.tsx";

export interface DomainListState {
  domains: Domain[];
  typed?: string;
  error?: string;
  notice?: string | undefined;
}

export function domainListPage(auth: AuthContext, { domains, typed, error, notice }: DomainListState): string {
  return signedInPage(auth, "/domains", {
    title: "Domains",
    children: (
      <>
        <h1>Domains</h1>
        {notice === undefined ? null : <Notice tone="good">{notice}</Notice>}
        {domains.length === 0 ? (
          <EmptyState title="No domains yet">
            <p>Add the domain that you send from. You then get five DNS records to publish.</p>
          </EmptyState>
        ) : (
          <Table label="Domains" class="stacked linked pairs" head={["Domain", "State", "Checks"]}>
            {domains.map((domain) => (
              <Row key={domain.id} domain={domain} />
            ))}
          </Table>
        )}
        <Allowed to="POST /dashboard/domains">
          <section class="card">
            <h2>Add a domain</h2>
            <AddDomain auth={auth} typed={typed} error={error} />
          </section>
        </Allowed>
      </>
    ),
  });
}

function Row({ domain }: { domain: Domain }) {
  return (
    <tr>
      <th scope="row" class="left">
        <RowLink href={`/dashboard/domains/${domain.name}`}>{domain.name}</RowLink>
      </th>
      <td class="right">
        <StateText label={domainLabel(domain)} />
      </td>
      <td class="secondary">
        <FailingMarks domain={domain} />
      </td>
    </tr>
  );
}

export interface AddDomainProps {
  auth: AuthContext;
  typed?: string | undefined;
  error?: string | undefined;
}

export function AddDomain({ auth, typed, error }: AddDomainProps) {
  return (
    <PostForm action="/dashboard/domains" formToken={auth.formToken} class="inline-form">
      <Field
        label="Domain name"
        name="name"
        value={typed}
        error={error}
        required
        placeholder="example.com"
        hint="The part after the @ of your sender addresses. Includes subdomains."
      />
      <button type="submit" class="primary">
        Add domain
      </button>
    </PostForm>
  );
}

/** The checks that are not verified, or have a warning. */
function FailingMarks({ domain: { checks } }: { domain: Domain }) {
  const failing = CHECK_NAMES.filter((name) => checkLabel(checks[name]).tone !== "good");
  if (failing.length === 0) return <span class="quiet">All verified</span>;
  return <Marks checks={checks} names={failing} />;
}

/** The five checks of a domain in one line. */
export function CheckMarks({ domain }: { domain: Domain }) {
  return <Marks checks={domain.checks} names={CHECK_NAMES} />;
}

function Marks({ checks, names }: Pick<Domain, "checks"> & { names: readonly CheckName[] }) {
  return (
    <ul class="marks">
      {names.map((name) => {
        const { text, tone } = checkLabel(checks[name]);
        return (
          <li key={name}>
            <Badge label={{ text: CHECK_TITLES[name], tone }} />
            <span class="unseen">{text}</span>
          </li>
        );
      })}
    </ul>
  );
}
