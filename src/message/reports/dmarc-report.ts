/**
 * Reads a DMARC aggregate report (RFC 9990 §3.1; RFC 7489, appendix C), with or without a namespace, in one pass and with bounded memory. What it
 * says is the claim of its sender.
 */
import { SaxesParser } from "saxes";
import { type Disposition, type DmarcRow, DmarcRows, type OmittedRows, type Signature } from "./dmarc-rows.ts";
import { boundedPeriod, boundedText, domainText, organisation, type ReportIdentity } from "./report-identity.ts";
import { UnreadableReport } from "./unreadable-report.ts";
import { XmlTokens } from "./xml-tokens.ts";

export interface DmarcReport extends ReportIdentity {
  /** `p` of the policy that the receiver found. */
  policy: Disposition;
  rows: DmarcRow[];
  omitted: OmittedRows;
}

/** A report is nested five levels deep. */
const DEPTH_MAX = 16;
/** Of an element. The longest one of a report has 25 characters; an extension of it may have a prefix and a longer one. */
export const NAME_LENGTH_MAX = 100;
/** Of a value: longer ones are cut. */
const VALUE_LENGTH_MAX = 500;
/** Of a message that was signed several times. */
const SIGNATURES_MAX = 5;
const COUNT_MAX = 1e9;
/** Of a report that is read: 10 MiB of real ones have less. */
export const RECORDS_MAX = 50_000;
export const ELEMENTS_MAX = 500_000;

/** The values that are read, by their paths: of the report, and of a record below it. No other value takes memory. */
const HEADER_PATHS: ReadonlySet<string> = new Set([
  ...["date_range/begin", "date_range/end", "org_name", "email", "report_id"].map((name) => `report_metadata/${name}`),
  ...["domain", "p"].map((name) => `policy_published/${name}`),
]);
const RECORD_PATHS: ReadonlySet<string> = new Set([
  ...["source_ip", "count"].map((name) => `row/${name}`),
  ...["disposition", "dkim", "spf"].map((name) => `row/policy_evaluated/${name}`),
  // Some reports have the name of an older draft.
  "identifiers/header_from",
  "identities/header_from",
  ...["result", "domain", "selector"].map((name) => `auth_results/dkim/${name}`),
]);

/** Values of a record. Of repeated elements the first counts. */
type RecordValues = Map<string, string>;

/** Entities of a document type are not expanded: there may be no document type. */
export class DmarcReportReader {
  readonly #tokens = new XmlTokens();
  readonly #parser = new SaxesParser({ xmlns: false, position: false });
  /** Local names of the open elements below the root. */
  readonly #path: string[] = [];
  #depth = 0;
  #elements = 0;
  #records = 0;
  #text = "";
  readonly #header = new Map<string, string>();
  #record: RecordValues = new Map();
  #signatures: Signature[] = [];
  readonly #rows = new DmarcRows();

  constructor() {
    const parser = this.#parser;
    parser.on("error", () => {
      throw new UnreadableReport("not_well_formed");
    });
    parser.on("opentag", ({ name }) => this.#open(localName(name)));
    parser.on("closetag", () => this.#close());
    parser.on("text", (text) => this.#add(text));
    parser.on("cdata", (text) => this.#add(text));
  }

  /** Throws UnreadableReport, as end does. */
  write(text: string): void {
    this.#parser.write(this.#tokens.add(text));
  }

  /** Returns the report after the last text. */
  end(): DmarcReport {
    this.#parser.write(this.#tokens.end()).close();
    const value = (path: string): string => this.#header.get(path) ?? "";
    const period = boundedPeriod(
      1000 * Number(value("report_metadata/date_range/begin") || Number.NaN),
      1000 * Number(value("report_metadata/date_range/end") || Number.NaN),
    );
    const identity = {
      org: organisation(value("report_metadata/org_name"), value("report_metadata/email")),
      reportId: boundedText(value("report_metadata/report_id")),
      domain: domainText(value("policy_published/domain")),
    };
    if (period === null || Object.values(identity).includes("")) throw new UnreadableReport("incomplete");
    const policy = dispositionOf(value("policy_published/p"));
    return { ...identity, ...period, policy, ...this.#rows.result() };
  }

  #open(name: string): void {
    this.#depth += 1;
    this.#elements += 1;
    if (this.#elements > ELEMENTS_MAX) throw new UnreadableReport("too_complex");
    // The path is joined at each end of an element.
    if (this.#depth > DEPTH_MAX || name.length > NAME_LENGTH_MAX) throw new UnreadableReport("too_complex");
    if (this.#depth === 1 && name !== "feedback") throw new UnreadableReport("no_report");
    if (this.#depth > 1) this.#path.push(name);
    this.#text = "";
  }

  #add(text: string): void {
    if (this.#text.length < VALUE_LENGTH_MAX) this.#text += text.slice(0, VALUE_LENGTH_MAX);
  }

  #close(): void {
    const path = this.#path.join("/");
    const text = this.#text.trim().slice(0, VALUE_LENGTH_MAX);
    this.#text = "";
    this.#path.pop();
    this.#depth -= 1;
    if (path === "record") this.#endRecord();
    else if (path === "record/auth_results/dkim") this.#endSignature();
    else if (HEADER_PATHS.has(path)) setFirst(this.#header, path, text);
    else if (path.startsWith("record/")) this.#addToRecord(path.slice("record/".length), text);
  }

  #addToRecord(path: string, text: string): void {
    if (RECORD_PATHS.has(path)) setFirst(this.#record, path, text);
  }

  #endSignature(): void {
    const take = (name: string): string => {
      const key = `auth_results/dkim/${name}`;
      const value = this.#record.get(key) ?? "";
      this.#record.delete(key);
      return value;
    };
    const [result, domain, selector] = [take("result").toLowerCase(), domainText(take("domain")), take("selector")];
    if (result !== "pass" || domain === "" || this.#signatures.length === SIGNATURES_MAX) return;
    this.#signatures.push({ domain, selector: domainText(selector) });
  }

  #endRecord(): void {
    const [record, signatures] = [this.#record, this.#signatures];
    this.#record = new Map();
    this.#signatures = [];
    this.#records += 1;
    if (this.#records > RECORDS_MAX) throw new UnreadableReport("too_complex");
    const ip = (record.get("row/source_ip") ?? "").toLowerCase();
    const messages = Number(record.get("row/count"));
    if (!/^[0-9a-f.:]{2,45}$/.test(ip) || !Number.isInteger(messages) || messages < 1 || messages > COUNT_MAX) return;
    const evaluated = (name: string): string => (record.get(`row/policy_evaluated/${name}`) ?? "").toLowerCase();
    this.#rows.add({
      ip,
      messages,
      disposition: dispositionOf(evaluated("disposition")),
      dkim: evaluated("dkim") === "pass",
      spf: evaluated("spf") === "pass",
      headerFrom: domainText(record.get("identifiers/header_from") ?? record.get("identities/header_from") ?? ""),
      signatures,
    });
  }
}

function setFirst(values: Map<string, string>, key: string, text: string): void {
  if (text !== "" && !values.has(key)) values.set(key, text);
}

const localName = (name: string): string => name.slice(name.indexOf(":") + 1).toLowerCase();

function dispositionOf(text: string): Disposition {
  const lower = text.toLowerCase();
  return lower === "reject" || lower === "quarantine" ? lower : "none";
}
