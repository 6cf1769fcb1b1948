/**
 * Reads a DMARC aggregate report (RFC 7489, appendix C), with or without a namespace, in one pass and with bounded memory. What it
 * says is the claim of its sender.
 */
import { SaxesParser } from "saxes";
import { type Disposition, type DmarcRow, DmarcRows, type OmittedRows, type Signature } from "./dmarc-rows.ts";
import { boundedPeriod, boundedText, domainText, type ReportIdentity } from "./report-identity.ts";

export interface DmarcReport extends ReportIdentity {
  /** `p` of the policy that the receiver found. */
  policy: Disposition;
  rows: DmarcRow[];
  omitted: OmittedRows;
}

/** A report is nested five levels deep. */
const DEPTH_MAX = 16;
/** Of a value: longer ones are cut. */
const VALUE_LENGTH_MAX = 500;
/** Of a message that was signed several times. */
const SIGNATURES_MAX = 5;
/** Bytes that are decoded at once. */
const SLICE_BYTES = 64 * 1024;
const COUNT_MAX = 1e9;
/** Of a report that is read: 50 MiB of real ones have less. Otherwise a small archive takes a minute of computing. */
export const RECORDS_MAX = 100_000;
export const ELEMENTS_MAX = 2_000_000;

/** Returns null if the content is no well-formed report, or lacks what identifies it. Entities of a DTD are not expanded. */
export function readDmarcReport(xml: Buffer): DmarcReport | null {
  const reader = new ReportReader();
  try {
    const decoder = new TextDecoder("utf-8", { fatal: true });
    for (let at = 0; at < xml.length; at += SLICE_BYTES) {
      const text = decoder.decode(xml.subarray(at, at + SLICE_BYTES), { stream: true });
      reader.write(at === 0 ? text.trimStart() : text);
    }
    return reader.end();
  } catch {
    return null;
  }
}

class Unreadable extends Error {}

/** Values of a record by their paths below it. Of repeated elements the first counts. */
type RecordValues = Map<string, string>;

class ReportReader {
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
    parser.on("error", (error) => {
      throw error;
    });
    parser.on("doctype", () => {
      throw new Unreadable("a report has no document type");
    });
    parser.on("opentag", ({ name }) => this.#open(localName(name)));
    parser.on("closetag", () => this.#close());
    parser.on("text", (text) => this.#add(text));
    parser.on("cdata", (text) => this.#add(text));
  }

  write(text: string): void {
    this.#parser.write(text);
  }

  end(): DmarcReport | null {
    this.#parser.close();
    const value = (path: string): string => this.#header.get(path) ?? "";
    const period = boundedPeriod(
      1000 * Number(value("report_metadata/date_range/begin") || Number.NaN),
      1000 * Number(value("report_metadata/date_range/end") || Number.NaN),
    );
    const identity = {
      org: boundedText(value("report_metadata/org_name")),
      reportId: boundedText(value("report_metadata/report_id")),
      domain: domainText(value("policy_published/domain")),
    };
    if (period === null || Object.values(identity).includes("")) return null;
    const policy = dispositionOf(value("policy_published/p"));
    return { ...identity, ...period, policy, ...this.#rows.result() };
  }

  #open(name: string): void {
    this.#depth += 1;
    this.#elements += 1;
    if (this.#elements > ELEMENTS_MAX) throw new Unreadable("too many elements");
    if (this.#depth > DEPTH_MAX) throw new Unreadable("nested too deeply");
    if (this.#depth === 1 && name !== "feedback") throw new Unreadable("no report");
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
    else if (path.startsWith("record/")) setFirst(this.#record, path.slice("record/".length), text);
    else setFirst(this.#header, path, text);
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
    if (this.#records > RECORDS_MAX) throw new Unreadable("too many records");
    const ip = (record.get("row/source_ip") ?? "").toLowerCase();
    const messages = Number(record.get("row/count"));
    if (!/^[0-9a-f.:]{2,45}$/.test(ip) || !Number.isInteger(messages) || messages < 1 || messages > COUNT_MAX) return;
    const evaluated = (name: string): string => (record.get(`row/policy_evaluated/${name}`) ?? "").toLowerCase();
    this.#rows.add({
      ...{ ip, messages, disposition: dispositionOf(evaluated("disposition")) },
      ...{ dkim: evaluated("dkim") === "pass", spf: evaluated("spf") === "pass" },
      // Some reports have the name of an older draft.
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
