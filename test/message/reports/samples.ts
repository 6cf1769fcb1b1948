/** DMARC and TLS reports in the forms in which receivers send them. */
import { crc32, deflateRawSync, gzipSync } from "node:zlib";
import { type DmarcReport, DmarcReportReader } from "../../../src/message/reports/dmarc-report.ts";
import { readPackedReport, type SenderReport } from "../../../src/message/reports/sender-report.ts";
import { UnreadableReport, type UnreadReason } from "../../../src/message/reports/unreadable-report.ts";
import { lines } from "../feedback/samples.ts";

export interface RecordParts {
  ip?: string;
  count?: number | string;
  disposition?: string;
  dkim?: string;
  spf?: string;
  headerFrom?: string;
  /** Elements of auth_results. */
  auth?: string;
}

export const recordXml = (parts: RecordParts = {}): string => {
  const { ip = "203.0.113.7", count = 1, disposition = "none", dkim = "fail", spf = "fail" } = parts;
  const { headerFrom = "shop.example", auth = "" } = parts;
  return `<record>
    <row><source_ip>${ip}</source_ip><count>${count}</count>
      <policy_evaluated><disposition>${disposition}</disposition><dkim>${dkim}</dkim><spf>${spf}</spf></policy_evaluated>
    </row>
    <identifiers><header_from>${headerFrom}</header_from></identifiers>
    <auth_results>${auth}</auth_results>
  </record>`;
};

export const signatureXml = (selector: string, result = "pass", domain = "shop.example"): string =>
  `<dkim><domain>${domain}</domain><result>${result}</result><selector>${selector}</selector></dkim>`;

export interface ReportParts {
  org?: string;
  reportId?: string;
  domain?: string;
  begin?: number | string;
  end?: number | string;
  policy?: string;
  records?: string[];
  root?: string;
  email?: string;
}

/** Seconds of Monday, 2026-03-02. */
export const BEGIN_S = 1_772_409_600;

export function dmarcXml(parts: ReportParts = {}): string {
  const { org = "mail.example", reportId = "r-1", domain = "shop.example", root = "feedback" } = parts;
  const { begin = BEGIN_S, end = BEGIN_S + 86_399, policy = "none", records = [recordXml()] } = parts;
  const { email = "noreply@mail.example" } = parts;
  return `<?xml version="1.0" encoding="UTF-8" ?>
<${root}>
  <version>1.0</version>
  <report_metadata>
    <org_name>${org}</org_name><email>${email}</email><report_id>${reportId}</report_id>
    <date_range><begin>${begin}</begin><end>${end}</end></date_range>
  </report_metadata>
  <policy_published><domain>${domain}</domain><adkim>r</adkim><aspf>r</aspf><p>${policy}</p><pct>100</pct></policy_published>
  ${records.join("\n  ")}
</${root.split(" ")[0]}>
`;
}

export const tlsJson = (changes: Record<string, unknown> = {}): string =>
  JSON.stringify({
    "organization-name": "Mail Example",
    "date-range": { "start-datetime": "2026-03-02T00:00:00Z", "end-datetime": "2026-03-02T23:59:59Z" },
    "contact-info": "tls@mail.example",
    "report-id": "2026-03-02T00:00:00Z_shop.example",
    policies: [
      {
        policy: {
          "policy-type": "sts",
          "policy-string": ["version: STSv1", "mode: testing"],
          "policy-domain": "shop.example",
          "mx-host": ["*.shop.example"],
        },
        summary: { "total-successful-session-count": 5326, "total-failure-session-count": 303 },
        "failure-details": [
          {
            "result-type": "certificate-expired",
            "sending-mta-ip": "2001:db8:abcd:12::1",
            "receiving-mx-hostname": "mx1.shop.example",
            "failed-session-count": 100,
          },
          {
            "result-type": "starttls-not-supported",
            "receiving-mx-hostname": "mx2.shop.example",
            "failed-session-count": 200,
          },
          {
            "result-type": "certificate-expired",
            "receiving-mx-hostname": "MX1.shop.example",
            "failed-session-count": "3",
          },
        ],
      },
    ],
    ...changes,
  });

export interface ZipEntry {
  name: string;
  content: Buffer;
  /** What the archive says of the entry, where that is not the truth. */
  says?: { sizeBytes?: number; crc?: number; flags?: number; method?: number };
  isStored?: boolean;
}

/** Makes an archive as zip programs do. */
export function zip(entries: readonly ZipEntry[], comment = ""): Buffer {
  const locals: Buffer[] = [];
  const directory: Buffer[] = [];
  let at = 0;
  for (const { name, content, says = {}, isStored = false } of entries) {
    const data = isStored ? content : deflateRawSync(content);
    const fields = Buffer.alloc(26);
    fields.writeUInt16LE(20, 0);
    fields.writeUInt16LE(says.flags ?? 0, 2);
    fields.writeUInt16LE(says.method ?? (isStored ? 0 : 8), 4);
    fields.writeUInt32LE(says.crc ?? crc32(content), 10);
    fields.writeUInt32LE(data.length, 14);
    fields.writeUInt32LE(says.sizeBytes ?? content.length, 18);
    fields.writeUInt16LE(name.length, 22);
    const local = Buffer.concat([Buffer.from("PK\x03\x04"), fields, Buffer.from(name), data]);
    const place = Buffer.alloc(14);
    place.writeUInt32LE(at, 10);
    directory.push(Buffer.concat([Buffer.from("PK\x01\x02\x14\x00"), fields, place, Buffer.from(name)]));
    locals.push(local);
    at += local.length;
  }
  const end = Buffer.alloc(18);
  end.writeUInt16LE(entries.length, 4);
  end.writeUInt16LE(entries.length, 6);
  end.writeUInt32LE(Buffer.concat(directory).length, 8);
  end.writeUInt32LE(at, 12);
  end.writeUInt16LE(comment.length, 16);
  return Buffer.concat([...locals, ...directory, Buffer.from("PK\x05\x06"), end, Buffer.from(comment)]);
}

export interface Attached {
  type: string;
  filename?: string;
  content: Buffer;
}

/** A message with a text and these files. */
export function reportMessage(attached: readonly Attached[], header: string[] = []): Buffer {
  const part = ({ type, filename = "report", content }: Attached): string =>
    lines(
      "--=b",
      `Content-Type: ${type}; name="${filename}"`,
      `Content-Disposition: attachment; filename="${filename}"`,
      "Content-Transfer-Encoding: base64",
      "",
      (content.toString("base64").match(/.{1,76}/g) ?? []).join("\r\n"),
    );
  return Buffer.from(
    lines(
      "From: noreply@mail.example",
      "To: dmarc-reports@bounces.shop.example",
      "Subject: Report domain: shop.example",
      ...header,
      "MIME-Version: 1.0",
      'Content-Type: multipart/mixed; boundary="=b"',
      "",
      "--=b",
      "Content-Type: text/plain",
      "",
      "This is an aggregate report.",
      ...attached.map(part),
      "--=b--",
      "",
    ),
  );
}

/** The DMARC report in a text. */
export function dmarcReport(xml: string): DmarcReport {
  const reader = new DmarcReportReader();
  reader.write(xml);
  return reader.end();
}

/** The report that is attached, or why it is not read. */
export async function packedReport(packed: Buffer | string): Promise<SenderReport | UnreadReason> {
  try {
    return await readPackedReport(Buffer.from(packed));
  } catch (error) {
    if (error instanceof UnreadableReport) return error.reason;
    throw error;
  }
}

export const gzipped = (text: string): Buffer => gzipSync(Buffer.from(text));

/** A message that is nothing but the file. */
export const bareReport = (type: string, content: Buffer): Buffer =>
  Buffer.from(
    lines(
      "From: noreply@mail.example",
      "To: dmarc-reports@bounces.shop.example",
      "MIME-Version: 1.0",
      `Content-Type: ${type}`,
      "Content-Transfer-Encoding: base64",
      "",
      content.toString("base64"),
      "",
    ),
  );
