/** @jsxRuntime automatic @jsxImportSource preact */
/** One receiver: its rules beside what this server's mail shows of them, and the results of 7 and 30 days. */
import { closedAt, type ReceiverReport } from "../../app/reports/receivers.ts";
import type { MeasuredRule, Standing } from "../../app/reports/standing.ts";
import { shareText } from "../../lib/share-text.ts";
import type { Category } from "../../message/result/category.ts";
import type { ReceiverCounts } from "../../spool/port/receiver-results.ts";
import type { AuthContext } from "../auth/sessions.ts";
import { Badge, EmptyState, Identifier, Notice, RelativeTime, Table } from "../views/components.tsx";
import { CATEGORY_NAMES, countText, type Label } from "../views/labels.ts";
import { signedInPage } from "../views/layout.tsx";
import { STATE_LABELS, WhyClosed } from "./receivers-page.tsx";

export interface ReceiverPageState {
  receiver: ReceiverReport;
  standing: Standing;
  nowMs: number;
}

const RULE_LABELS: Readonly<Record<MeasuredRule["state"], Label>> = {
  met: { text: "Met", tone: "good" },
  not_met: { text: "Not met", tone: "bad" },
  unknown: { text: "Not measured", tone: "quiet" },
};

export function receiverPage(auth: AuthContext, { receiver, standing, nowMs }: ReceiverPageState): string {
  const { name, profile, sessions } = receiver;
  const label = profile?.label ?? name;
  return signedInPage(auth, "/operator/receivers/one", {
    title: label,
    children: (
      <>
        <p class="crumbs">
          <a href="/dashboard/operator/receivers">Receivers</a> / {name}
        </p>
        <div class="title-row">
          <h1>{label}</h1>
          <Badge label={STATE_LABELS[receiver.state]} />
        </div>
        {closedAt(receiver).map((each) => (
          <Notice key={each.address ?? ""} tone={STATE_LABELS[each.state].tone}>
            <WhyClosed {...each} profile={profile} nowMs={nowMs} />
          </Notice>
        ))}
        <p class="lead">
          Servers: {(profile?.mx ?? [name]).join(", ")} and subdomains.{" "}
          {profile?.sendersUrl === undefined ? null : (
            <a href={profile.sendersUrl} rel="noreferrer">
              Sender guidelines
            </a>
          )}
        </p>
        <h2>What it requires</h2>
        <Rules rules={standing.rules} />
        <h2>Results of our mail</h2>
        <Results standing={standing} />
        {sessions.length === 0 ? null : (
          <>
            <h2>Preflight</h2>
            <Table label="Preflight" class="stacked" head={["From", "Verdict", "Reply", "When"]}>
              {sessions.map(({ address, verdict, reply, atMs }) => (
                <tr key={address ?? ""}>
                  <th scope="row">{address ?? "this server"}</th>
                  <td data-label="Verdict">{verdict}</td>
                  <td data-label="Reply">{reply}</td>
                  <td data-label="When">
                    <RelativeTime atMs={atMs} nowMs={nowMs} />
                  </td>
                </tr>
              ))}
            </Table>
          </>
        )}
      </>
    ),
  });
}

function Rules({ rules }: { rules: readonly MeasuredRule[] }) {
  return (
    <Table label="Rules" class="stacked" head={["Rule", "State", "What shows it", "Source"]}>
      {rules.map(({ rule, state, shown, example, since, source, asOf }) => (
        <tr key={rule}>
          <th scope="row">{rule}</th>
          <td data-label="State">
            <Badge label={RULE_LABELS[state]} />
          </td>
          <td data-label="What shows it">
            {shown ?? "–"}
            {state !== "not_met" || example === null ? null : (
              <div class="quiet">
                Such as <Identifier text={example} />
              </div>
            )}
          </td>
          <td class="quiet" data-label="Source">
            {source}, {asOf}
            {since === undefined ? null : `; since ${since}`}
          </td>
        </tr>
      ))}
    </Table>
  );
}

function Results({ standing: { week, month, dmarc } }: { standing: Standing }) {
  if (attempts(month) === 0)
    return <EmptyState title="No mail in the last 30 days">What is sent to it is counted here.</EmptyState>;
  const categories = Object.keys(month.categories).sort() as Category[];
  return (
    <Table label="Results" class="stacked" numbers={["7 days", "30 days"]} head={["", "7 days", "30 days"]}>
      <Row name="Delivered" of={({ delivered }) => countText(delivered)} counts={[week, month]} />
      <Row
        name="Within a minute"
        of={({ within, delivered }) => shareText(within[0] ?? 0, delivered)}
        counts={[week, month]}
      />
      <Row
        name="Over TLS"
        of={({ withoutTls, delivered }) => shareText(delivered - withoutTls, delivered)}
        counts={[week, month]}
      />
      <Row name="Failed" of={({ failed }) => countText(failed)} counts={[week, month]} />
      <Row name="Deferred attempts" of={({ deferred }) => countText(deferred)} counts={[week, month]} />
      <Row name="Complaints" of={({ complaints }) => countText(complaints)} counts={[week, month]} />
      <Row name="Unknown" of={({ unknown }) => countText(unknown)} counts={[week, month]} />
      {categories.map((category) => (
        <Row
          key={category}
          name={CATEGORY_NAMES[category]}
          of={(counts) => refusedText(counts, category)}
          counts={[week, month]}
        />
      ))}
      {dmarc === null ? null : (
        <tr>
          <th scope="row">Passed DMARC, as it has reported</th>
          <td class="number" data-label="7 days">
            –
          </td>
          <td class="number" data-label="30 days">
            {shareText(dmarc.messages - dmarc.failed, dmarc.messages)}
          </td>
        </tr>
      )}
    </Table>
  );
}

const attempts = ({ delivered, deferred, failed, unknown }: ReceiverCounts): number =>
  delivered + deferred + failed + unknown;

function refusedText(counts: ReceiverCounts, category: Category): string {
  const count = counts.categories[category] ?? 0;
  return `${countText(count)} (${shareText(count, attempts(counts))})`;
}

interface RowProps {
  name: string;
  of: (counts: ReceiverCounts) => string;
  counts: readonly [week: ReceiverCounts, month: ReceiverCounts];
}

function Row({ name, of, counts: [week, month] }: RowProps) {
  return (
    <tr>
      <th scope="row">{name}</th>
      <td class="number" data-label="7 days">
        {of(week)}
      </td>
      <td class="number" data-label="30 days">
        {of(month)}
      </td>
    </tr>
  );
}
