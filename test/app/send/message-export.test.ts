/** The export of a search: one record a recipient, on all pages, cut off with a note. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { exportMessages } from "../../../src/app/send/message-export.ts";
import type {
  FoundRecipient,
  FoundRecipients,
  MessageFilter,
  MessageRecipients,
} from "../../../src/spool/port/reports.ts";

const recipient = (email: string, parts: Partial<FoundRecipient> = {}): FoundRecipient => ({
  email,
  field: "to",
  result: "delivered",
  reason: null,
  category: null,
  attempts: 1,
  updatedAtMs: 1000,
  smtp: null,
  ...parts,
});

const message = (id: string, recipients: FoundRecipient[]): MessageRecipients => ({
  id,
  createdAtMs: 0,
  from: "a@b.example",
  subject: "=1+1",
  messageId: "<m@b.example>",
  keyId: "key_1",
  tags: ["x", "y"],
  test: false,
  recipients,
});

const REPLY = { code: 550, enhanced_code: "5.1.1", message: "No,\nnobody", mx: "mx.c.example", ip: null, tls: null };
const REFUSED = { result: "failed", reason: "recipient_refused", category: "bad_address", smtp: REPLY } as const;

const PAGES: FoundRecipients[] = [
  { messages: [message("msg_2", [recipient("c@c.example", REFUSED)])], cursor: "msg_2", searchedBackToMs: null },
  { messages: [], cursor: "msg_9", searchedBackToMs: 5 },
  {
    messages: [message("msg_1", [recipient("d@d.example"), recipient("e@e.example")])],
    cursor: null,
    searchedBackToMs: null,
  },
];

async function exported(rowsMax?: number): Promise<{ parts: string[]; asked: MessageFilter[] }> {
  const asked: MessageFilter[] = [];
  const reports = {
    findRecipients: async (filter: MessageFilter) => {
      asked.push(filter);
      return PAGES[asked.length - 1] ?? assert.fail("too many pages");
    },
  };
  const options = { filter: { accountId: "acc_1", text: "x" }, keyName: () => "web", ...(rowsMax ? { rowsMax } : {}) };
  const parts: string[] = [];
  for await (const part of exportMessages(reports, options)) parts.push(part);
  return { parts, asked };
}

test("an export has a record for each recipient of all pages", async () => {
  const { parts, asked } = await exported();
  const [head = "", first, ...rest] = parts.join("").split("\r\n");
  assert.match(head, /^accepted_at,id,message_id,from,recipient,field,subject,tags,api_key,test,result,/);
  const shared = "<m@b.example>,a@b.example";
  assert.equal(
    first,
    `1970-01-01T00:00:00.000Z,msg_2,${shared},c@c.example,to,'=1+1,x y,web,false,failed,recipient_refused,bad_address,1,1970-01-01T00:00:01.000Z,550,5.1.1,"No,\nnobody",mx.c.example`,
  );
  assert.deepEqual(
    rest.map((record) => record.split(",")[4]),
    ["d@d.example", "e@e.example", undefined],
  );
  assert.deepEqual(
    asked.map(({ accountId, text, cursor }) => [accountId, text, cursor]),
    [
      ["acc_1", "x", undefined],
      ["acc_1", "x", "msg_2"],
      ["acc_1", "x", "msg_9"],
    ],
  );
});

test("an export that is cut off says so in its last record", async () => {
  const records = (await exported(2)).parts.join("").split("\r\n");
  assert.equal(records.length, 5);
  assert.match(records[3] ?? "", /^"?This export ends here, after 2 recipients\./);
  assert.doesNotMatch((await exported(3)).parts.join(""), /This export ends here/);
});
