/** The exports of other services: which columns they have, and what their values mean. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { ImportError, type ImportedRow, ImportReader } from "../../../src/app/suppressions/import-reader.ts";

function read(text: string, size = 1_000_000) {
  const reader = new ImportReader();
  const bytes = Buffer.from(text);
  const rows: ImportedRow[] = [];
  for (let at = 0; at < bytes.length; at += size) rows.push(...reader.push(bytes.subarray(at, at + size)));
  rows.push(...reader.end());
  return { format: reader.format, rows: rows.map(brief) };
}

const brief = ({ line, entry, fault }: ImportedRow) =>
  entry === undefined
    ? [line, fault]
    : [line, entry.email, entry.cause, iso(entry.sinceMs), ...(entry.untilMs === null ? [] : [iso(entry.untilMs)])];
const iso = (ms: number | null): string | null => (ms === null ? null : new Date(ms).toISOString());

const FILES: Record<string, { text: string; format: string; rows: unknown[] }> = {
  "our own export": {
    format: "Postrider",
    text: "\uFEFFemail,cause,since,until\r\na@x.example,unsubscribed,2026-01-02T03:04:05.678Z,\r\n'+b@x.example,refusals,2026-01-02T03:04:05Z,2027-01-01T00:00:00Z\r\n",
    rows: [
      [2, "a@x.example", "unsubscribed", "2026-01-02T03:04:05.678Z"],
      [3, "+b@x.example", "bounce", "2026-01-02T03:04:05.000Z", "2027-01-01T00:00:00.000Z"],
    ],
  },
  "Postmark, as a file": {
    format: "Postmark",
    text: "Email Address,Suppression Reason,Origin,Created At\na@x.example,HardBounce,Recipient,2019-12-17T08:58:33-05:00\nb@x.example,SpamComplaint,Recipient,2019-12-17T08:58:33Z\nc@x.example,ManualSuppression,Customer,\n",
    rows: [
      [2, "a@x.example", "bounce", "2019-12-17T13:58:33.000Z"],
      [3, "b@x.example", "complaint", "2019-12-17T08:58:33.000Z"],
      [4, "c@x.example", "manual", null],
    ],
  },
  "Postmark, with Recipient": {
    format: "Postmark",
    text: "Recipient,SuppressionReason,Origin,CreatedAt\na@x.example,ManualSuppression,Recipient,2019-12-17T08:58:33Z\n",
    rows: [[2, "a@x.example", "unsubscribed", "2019-12-17T08:58:33.000Z"]],
  },
  "Postmark, the dump of its API": {
    format: "Postmark",
    text: '{ "Suppressions":[ { "EmailAddress":"a@x.example", "SuppressionReason":"HardBounce", "Origin": "Recipient", "CreatedAt":"2019-12-17T08:58:33-05:00" } ] }',
    rows: [[1, "a@x.example", "bounce", "2019-12-17T13:58:33.000Z"]],
  },
  "Amazon SES, as a file": {
    format: "Amazon SES",
    text: "EmailAddress,Reason,LastUpdateTime\na@x.example,BOUNCE,2020-04-10T21:03:05Z\nb@x.example,COMPLAINT,2020-04-10T21:03:05Z\n",
    rows: [
      [2, "a@x.example", "bounce", "2020-04-10T21:03:05.000Z"],
      [3, "b@x.example", "complaint", "2020-04-10T21:03:05.000Z"],
    ],
  },
  "Amazon SES, list-suppressed-destinations": {
    format: "Amazon SES",
    text: '{\n    "SuppressedDestinationSummaries": [\n        {\n            "EmailAddress": "a@x.example",\n            "Reason": "COMPLAINT",\n            "LastUpdateTime": "2020-04-10T21:03:05+00:00"\n        },\n        {\n            "EmailAddress": "b@x.example",\n            "Reason": "BOUNCE",\n            "LastUpdateTime": 1586552585.077\n        }\n    ],\n    "NextToken": "x"\n}\n',
    rows: [
      [3, "a@x.example", "complaint", "2020-04-10T21:03:05.000Z"],
      [8, "b@x.example", "bounce", "2020-04-10T21:03:05.077Z"],
    ],
  },
  "SendGrid bounces": {
    format: "SendGrid bounces",
    text: 'status,reason,email,created\n5.1.1,"550 5.1.1 unknown, ""a""",a@x.example,1443651125\n4.2.2,full,b@x.example,1443651125\n',
    rows: [
      [2, "a@x.example", "bounce", "2015-09-30T22:12:05.000Z"],
      [3, "status 4.2.2 is a temporary failure"],
    ],
  },
  "SendGrid invalid addresses, of its API": {
    format: "SendGrid bounces",
    text: '[{"created":1443651125,"email":"a@x.example","reason":"Mail domain mentioned in email address is unknown"}]',
    rows: [[1, "a@x.example", "bounce", "2015-09-30T22:12:05.000Z"]],
  },
  "SendGrid spam reports": {
    format: "SendGrid spam reports",
    text: "email,ip,created\na@x.example,192.0.2.1,1443651125\n",
    rows: [[2, "a@x.example", "complaint", "2015-09-30T22:12:05.000Z"]],
  },
  "SendGrid global unsubscribes": {
    format: "SendGrid unsubscribes",
    text: "email,created\na@x.example,1443651125\nb@x.example,2009-06-01 19:41:39\n",
    rows: [
      [2, "a@x.example", "unsubscribed", "2015-09-30T22:12:05.000Z"],
      [3, "b@x.example", "unsubscribed", "2009-06-01T19:41:39.000Z"],
    ],
  },
  "SendGrid group unsubscribes": {
    format: "SendGrid group unsubscribes",
    text: '[{"email":"a@x.example","group_id":1,"group_name":"News","created_at":1410986704}]',
    rows: [[1, "a@x.example", "unsubscribed", "2014-09-17T20:45:04.000Z"]],
  },
  "Resend, as a file": {
    format: "Resend",
    text: "id,email,origin,source_id,created_at\n1,a@x.example,manual,,2026-10-06T23:47:56.678Z\n",
    rows: [[2, "a@x.example", "manual", "2026-10-06T23:47:56.678Z"]],
  },
  "Resend, the list of its API": {
    format: "Resend",
    text: '{"object":"list","has_more":false,"data":[{"object":"suppression","id":"1","email":"a@x.example","origin":"bounce","source_id":null,"created_at":"2026-10-07T08:12:03.412Z"}]}',
    rows: [[1, "a@x.example", "bounce", "2026-10-07T08:12:03.412Z"]],
  },
  "one address a line": {
    format: "list of addresses",
    text: "a@x.example\n\nnot one\nAnn <b@x.example>\n",
    rows: [
      [1, "a@x.example", null, null],
      [3, "not one", null, null],
      [4, "Ann <b@x.example>", null, null],
    ],
  },
  "one address a line, with a header": {
    format: "list of addresses",
    text: "Email\na@x.example\n",
    rows: [[2, "a@x.example", null, null]],
  },
};

for (const [name, { text, format, rows }] of Object.entries(FILES)) {
  test(`${name}: is recognised, whole or in parts`, () => {
    for (const size of [1_000_000, 1, 13]) assert.deepEqual(read(text, size), { format, rows });
  });
}

test("a value that is none of a cause's is a fault of its row", () => {
  const { rows } = read("EmailAddress,Reason,LastUpdateTime\na@x.example,FOO,\nb@x.example,BOUNCE,\n");
  assert.deepEqual(rows[0], [2, "reason 'FOO' is none of BOUNCE, COMPLAINT"]);
  const own = read("email,cause,since,until\na@x.example,manual,,tomorrow\n");
  assert.deepEqual(own.rows, [[2, "until 'tomorrow' is not a time"]]);
});

test("other columns are an error that names them and what is expected", () => {
  for (const text of ["email,name,phone\na@x.example,A,1\n", '{"email":"a@x.example","name":"A","phone":1}']) {
    assert.throws(
      () => read(text),
      (error: Error) => {
        assert.ok(error instanceof ImportError);
        assert.match(
          error.message,
          /line 1: the columns email,name,phone are of no known form\. Expected: .*Postmark.*SES/,
        );
        return true;
      },
    );
  }
  assert.throws(() => read("not an address\n"), /columns not an address are/);
  assert.throws(() => read('{"email":}'), /line 1: the object is not valid JSON/);
});

test("an empty file has no form", () => {
  for (const text of ["", " \n\n"]) assert.deepEqual(read(text), { format: null, rows: [] });
});
