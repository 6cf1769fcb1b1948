/** A submitted message: what is read of it, what changes, what is rejected, and which submissions are the same. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { parseMailbox } from "../../../src/message/address.ts";
import { contentOf } from "../../../src/message/content.ts";
import {
  readSubmitted,
  type SubmittedMessage,
  type SubmittedOptions,
} from "../../../src/message/submitted/submitted-message.ts";

const FROM = "From: Shop <hello@shop.example>";
const ID = "Message-ID: <1@shop.example>";
const DATE = "Date: Mon, 2 Nov 2026 10:00:00 +0000";
const TO = "you@customers.example";

interface Options extends Partial<Omit<SubmittedOptions, "recipients">> {
  recipients?: string[];
}

function read(message: string, { recipients = [TO], ...options }: Options = {}) {
  return readSubmitted(Buffer.from(message), {
    recipients: recipients.map((text) => {
      const parsed = parseMailbox(text);
      assert.ok(parsed.type === "valid", text);
      const { name, address, local, domain } = parsed;
      return { name, address, local, domain };
    }),
    token: "token",
    dateMs: Date.parse("2026-11-02T10:00:00Z"),
    eightBit: false,
    hashesBody: true,
    ...options,
  });
}

/** A message with these lines of its header. */
const message = (header: readonly string[], body = "Hi\r\n"): string => `${[...header, "", body].join("\r\n")}`;

function valid(header: readonly string[], options?: Options): SubmittedMessage {
  const result = read(message(header), options);
  assert.ok(result.type === "valid", JSON.stringify(result));
  return result;
}

function faultOf(...header: string[]): string {
  const result = read(message(header));
  assert.ok(result.type === "invalid", header.join("\n"));
  return result.detail;
}

const sent = (text: string, options?: Options): string => {
  const result = read(text, options);
  assert.ok(result.type === "valid", JSON.stringify(result));
  return result.draft.content().bytes.toString("latin1");
};
const sentHeader = (header: readonly string[]): string[] =>
  Buffer.from(sent(message(header)).split("\r\n\r\n")[0] ?? "", "latin1")
    .toString()
    .split("\r\n");

describe("a complete message", () => {
  it("is sent octet for octet", () => {
    const header = [`to:${TO},`, "\tother@customers.example", "SUBJECT:  a  b", FROM, ID, "X-A: 1", DATE, "x-a: 2"];
    for (const body of ["", "Hi", "\r\n\r\n..dot\r\n.\r\n", `\u00ff\u0080${"x".repeat(998)}\r\n`]) {
      const text = Buffer.from(message(header, body), "latin1");
      const result = readSubmitted(text, {
        recipients: [{ name: null, address: TO, local: "you", domain: "customers.example" }],
        token: "token",
        dateMs: 0,
        eightBit: true,
        hashesBody: true,
      });
      assert.ok(result.type === "valid");
      const { content, eightBit, messageId } = result.draft;
      assert.ok(content().bytes.equals(text), JSON.stringify(body));
      assert.equal(content().bodyHash, contentOf(text).bodyHash);
      assert.deepEqual([eightBit, messageId], [body.includes("\u00ff"), "<1@shop.example>"]);
    }
  });

  it("has its body hashed only if that is asked for", () => {
    assert.equal(valid([FROM], { hashesBody: false }).draft.content().bodyHash, null);
    assert.notEqual(valid([FROM]).draft.content().bodyHash, null);
  });
});

describe("what changes in a header", () => {
  it("fields that reveal or belong to servers are removed, and Postrider's own", () => {
    const removed = [
      "Bcc: hidden@customers.example,",
      " second@customers.example",
      "resent-bcc: hidden@customers.example",
      "Return-Path: <x@shop.example>",
      "X-Postrider-Tag: a",
      "X-Postrider-Idempotency-Key: k",
    ];
    const header = sentHeader([FROM, ...removed, "Resent-From: a@b.example", "Subject: x", ID, DATE]);
    assert.deepEqual(header, [FROM, "Resent-From: a@b.example", "Subject: x", ID, DATE]);
  });

  it("Message-ID and Date are added if they are missing or empty", () => {
    const added = ["Message-ID: <token@shop.example>", "Date: Mon, 02 Nov 2026 10:00:00 +0000"];
    assert.deepEqual(sentHeader([FROM]), [FROM, ...added]);
    assert.deepEqual(sentHeader(["Message-ID:", FROM, "Date: "]), [FROM, ...added]);
    assert.equal(valid([FROM]).draft.messageId, "<token@shop.example>");
    assert.deepEqual(sentHeader([FROM, ID]), [FROM, ID, added[1]]);
    assert.deepEqual(sentHeader([DATE, FROM]), [DATE, FROM, added[0]]);
  });

  it("text in UTF-8 is encoded, and addresses stay", () => {
    const [from, subject, to] = sentHeader(["From: Jörg <hello@shop.example>", "Subject: Grüße", "To: jörg@b.example"]);
    assert.match(from ?? "", /^From: =\?UTF-8\?\S+\?= +<hello@shop\.example>$/);
    assert.match(subject ?? "", /^Subject: =\?UTF-8\?\S+\?=$/);
    assert.equal(to, "To: jörg@b.example");
  });

  it("a message without a body ends with its header", () => {
    const text = `${FROM}\r\n${ID}\r\n${DATE}\r\n`;
    assert.equal(sent(text), `${text}\r\n`);
  });
});

describe("what servers say about a message", () => {
  it("is removed, with signatures that are not Postrider's, and its path stays", () => {
    const path = ["Received: from a by b", "Resent-From: c@d.example"];
    const claims = [
      "Authentication-Results: mx.example; spf=pass",
      "received-spf : pass",
      "ARC-Seal: i=1",
      "DKIM-Signature: v=1;",
      " b=x",
      "Return-Path: <a@b.example>",
    ];
    assert.deepEqual(sentHeader([...claims, ...path, FROM, ID, DATE]), [...path, FROM, ID, DATE]);
  });
});

describe("the author's address", () => {
  it("must not be one in which readers find another domain", () => {
    for (const local of ['"a@bank.example>"', '"<b@bank.example>"', '"a@b"', "=?utf-8?Q?x=40bank.example=3E?="]) {
      for (const field of ["From", "Sender"]) {
        const header = [...(field === "From" ? [] : [FROM]), `${field}: Shop <${local}@shop.example>`];
        assert.match(
          faultOf(...header),
          new RegExp(`^${field}: A sender's address must not have ".{1,2}" before its "@"`),
        );
      }
    }
    valid(['From: "a,b c"@shop.example']);
  });

  it("may be its own name without quotes, which are added", () => {
    const [from] = sentHeader(["From : hello@shop.example <hello@shop.example>", ID, DATE]);
    assert.equal(from, 'From: "hello@shop.example" <hello@shop.example>');
  });
});

describe("the author", () => {
  it("is the one address in From, and those of Sender and Resent fields are checked as well", () => {
    const { summary } = valid(['From: "Jörg (Shop)" <Hello@Shop.Example> (comment)']).draft;
    assert.deepEqual(summary.from, {
      name: "Jörg (Shop)",
      address: "Hello@Shop.Example",
      local: "Hello",
      domain: "shop.example",
    });
    assert.equal(summary.senders, undefined);
    const fields = ["sender", "Resent-From", "Resent-Sender", "Resent-From"];
    const { senders } = valid([FROM, ...fields.map((field, i) => `${field}: Bot <bot@${i}.example>`)]).draft.summary;
    assert.deepEqual(
      senders,
      fields.map((field, i) => {
        const mailbox = { name: "Bot", address: `bot@${i}.example`, local: "bot", domain: `${i}.example` };
        return { field, mailbox, isResent: field !== "sender" };
      }),
    );
    assert.equal(valid(['From: "no reply"@shop.example']).draft.summary.from.local, '"no reply"');
    assert.equal(valid(["From:", " Shop", "\t<hello@shop.example>"]).draft.summary.from.name, "Shop");
  });

  it("is missing, several, a group or not valid: rejected", () => {
    assert.equal(faultOf("Subject: x"), "The message has no From field.");
    assert.equal(faultOf(FROM, "Subject: x", "from: b@shop.example"), "The message has more than one from field.");
    assert.match(faultOf("From:"), /^From: The address is empty/);
    assert.match(faultOf(`${FROM}, Two <two@shop.example>`), /^From: Only one address is allowed here/);
    assert.match(faultOf("From: a@shop.example, b@shop.example", "Sender: a@shop.example"), /^From: Only one address/);
    assert.match(faultOf("From: Team: hello@shop.example;"), /^From: /);
    assert.match(faultOf("From: undisclosed:;"), /^From: /);
    assert.match(faultOf("From: hello@shop.example (open"), /^From: A comment or a quoted string is not closed/);
    assert.match(faultOf(FROM, "Sender: a@shop.example, b@shop.example"), /^Sender: Only one address/);
    assert.match(faultOf(FROM, "Sender:"), /^Sender: The address is empty/);
  });

  it("may be anybody in Resent fields, of which more than one address, or more than 20 fields, are told apart", () => {
    const mailboxesOf = (...header: string[]) => valid([FROM, ...header]).draft.summary.senders?.map((s) => s.mailbox);
    assert.deepEqual(mailboxesOf("Resent-From: a@shop.example, b@shop.example", "Resent-Sender: Team: a@b.example;"), [
      null,
      null,
    ]);
    const many = mailboxesOf(...Array.from({ length: 30 }, () => "Resent-From: a@shop.example"));
    assert.deepEqual([many?.length, many?.indexOf(null)], [21, 20]);
  });

  it("is not looked for in the body", () => {
    const result = read(`\r\n${FROM}\r\n\r\nHi\r\n`);
    assert.deepEqual(result, { type: "invalid", detail: "The message has no From field." });
  });
});

it("fields that may occur once are rejected if they are repeated", () => {
  const names = "Sender Reply-To To Cc Bcc Subject Date Message-ID In-Reply-To References MIME-Version Content-Type";
  for (const name of [...names.split(" "), "Content-Transfer-Encoding"]) {
    const line = name === "Sender" ? `${name}: a@shop.example` : `${name}: x`;
    assert.equal(faultOf(FROM, line, line), `The message has more than one ${name} field.`);
  }
  valid([FROM, "Received: a", "Received: b", "X-A: 1", "X-A: 1", "Comments: a", "Comments: b"]);
});

describe("recipients", () => {
  const recipients = [
    "To@Customers.example",
    "cc@customers.example",
    "bcc@customers.example",
    '"a b"@customers.example',
  ];

  it("are of the envelope, under the field that names them", () => {
    const header = [
      FROM,
      'To: Team: "To" <to@customers.EXAMPLE>,(a "comment")',
      '\t"a b"@customers.example;, nowhere@customers.example',
      'Cc: "bcc@customers.example" <cc@customers.example>',
      "Bcc: bcc@customers.example",
    ];
    const { to, cc, bcc } = valid(header, { recipients }).draft.summary;
    const addresses = [to, cc, bcc].map((list) => list?.map(({ address }) => address));
    assert.deepEqual(addresses, [
      ["To@Customers.example", '"a b"@customers.example'],
      ["cc@customers.example"],
      ["bcc@customers.example"],
    ]);
  });

  it("are all Bcc where no field names them", () => {
    const { to, cc, bcc } = valid([FROM], { recipients }).draft.summary;
    assert.deepEqual([to, cc, bcc?.length], [[], undefined, 4]);
  });

  it("are found in a field of any form and length", () => {
    const runs = [";".repeat(900), "<".repeat(900), '\\"'.repeat(450), "(".repeat(900)];
    for (const run of runs) {
      const lines = Array.from({ length: 100 }, () => ` ${run}`);
      const { to } = valid([FROM, `To: ${TO},`, ...lines]).draft.summary;
      assert.deepEqual(
        to.map(({ address }) => address),
        [TO],
      );
    }
  });
});

describe("what lists show", () => {
  it("is the decoded subject in one line of at most 998 characters", () => {
    const subjectOf = (line: string): string => valid([FROM, line]).draft.summary.subject;
    assert.equal(subjectOf("Subject: =?utf-8?q?Gr=C3=BC?=\r\n =?utf-8?q?=C3=9Fe?="), "Grüße");
    assert.equal(subjectOf("Subject: Grüße"), "Grüße");
    assert.equal(subjectOf("Subject: =?utf-8?q?a=0D=0Ab=00c?="), "a b c");
    assert.equal(subjectOf("Subject:"), "");
    assert.equal(valid([FROM]).draft.summary.subject, "");
    assert.equal(subjectOf(`Subject: ${"x".repeat(900)}\r\n ${"y".repeat(900)}`).length, 998);
    // A character that would be cut in two is left out or replaced: no half of it remains.
    assert.ok(subjectOf(`Subject: ${"x".repeat(900)}\r\n ${"y".repeat(96)}🎉`).isWellFormed());
  });

  it("are tags, metadata and the expiry, under the rules of a send request", () => {
    const header = [FROM, "X-Postrider-Tag: a", "X-Postrider-Metadata-order: 7", "X-Postrider-Expires-In: 1h"];
    const { tags, metadata, expiresInMs } = valid(header).draft.summary;
    assert.deepEqual([tags, metadata, expiresInMs], [["a"], { order: "7" }, 3_600_000]);
    assert.deepEqual(Object.keys(valid([FROM]).draft.summary).toSorted(), ["bcc", "from", "subject", "to"]);
    assert.match(faultOf(FROM, "X-Postrider-Expires-In: soon"), /^X-Postrider-Expires-In: This must be /);
    assert.match(faultOf(FROM, "X-Postrider-Tag: =?utf-8?q?=01?="), /^X-Postrider-Tag: This contains a control/);
    assert.match(faultOf(FROM, ...Array(11).fill("X-Postrider-Tag: a")), /^X-Postrider-Tag: This has more than 10/);
    assert.match(faultOf(FROM, "X-Postrider-Metadata-: 1"), /^X-Postrider-Metadata/);
    assert.equal(
      faultOf(FROM, "X-Postrider-Nope: 1"),
      "X-Postrider-Nope is not a known field. Known are X-Postrider-Tag, X-Postrider-Metadata-NAME, X-Postrider-Idempotency-Key, X-Postrider-Expires-In and X-Postrider-Unsubscribe.",
    );
  });
});

describe("X-Postrider-Unsubscribe", () => {
  const ASKS = "X-Postrider-Unsubscribe: true";

  it("asks for a link, and is removed", () => {
    const { draft } = valid([FROM, ID, DATE, ASKS]);
    assert.equal(draft.summary.unsubscribe, true);
    assert.equal(draft.content().bytes.toString(), message([FROM, ID, DATE]));
    assert.equal(valid([FROM, "X-Postrider-Unsubscribe: false"]).draft.summary.unsubscribe, undefined);
  });

  it("is rejected with several recipients, and says why", () => {
    const result = read(message([FROM, ASKS]), { recipients: [TO, "other@customers.example"] });
    assert.ok(result.type === "invalid");
    assert.match(result.detail, /^X-Postrider-Unsubscribe: .* exactly one recipient, because the link identifies the/);
    assert.equal(read(message([FROM]), { recipients: [TO, "other@customers.example"] }).type, "valid");
  });

  it("is rejected beside a link of the client's own", () => {
    for (const name of ["List-Unsubscribe", "LIST-UNSUBSCRIBE-POST"]) {
      assert.match(
        faultOf(FROM, ASKS, `${name}: <https://shop.example/u>`),
        new RegExp(`: Postrider sets ${name} itself`),
      );
      assert.equal(read(message([FROM, `${name}: <https://shop.example/u>`])).type, "valid");
    }
  });

  it("has no other value than true and false", () => {
    assert.match(faultOf(FROM, "X-Postrider-Unsubscribe: yes"), /^X-Postrider-Unsubscribe: This must be /);
  });
});

describe("a repeated submission", () => {
  const keyOf = (header: readonly string[], options?: Options): string | null => valid(header, options).idempotencyKey;

  it("is the same with the same Message-ID, envelope and content", () => {
    const header = [FROM, ID, `To: ${TO}`];
    const first = keyOf(header);
    // No client can send a key that begins with a control character.
    assert.match(first?.replace("\u0001", "^A ") ?? "", /^\^A submission [0-9a-f]{64}$/);
    assert.equal(keyOf(header, { token: "another", dateMs: 1 }), first);
    const others = [
      keyOf([...header, "X-A: 1"]),
      keyOf([FROM, "Message-ID: <2@shop.example>", `To: ${TO}`]),
      keyOf(header, { recipients: [TO, "other@customers.example"] }),
      keyOf(header, { recipients: ["other@customers.example"] }),
    ];
    assert.equal(new Set([first, ...others]).size, 5);
    const result = read(message(header, "Ho\r\n"));
    assert.ok(result.type === "valid" && result.idempotencyKey !== first);
  });

  it("may have its recipients in another order", () => {
    const [a, b] = ["a@customers.example", "b@customers.example"] as const;
    assert.equal(keyOf([FROM, ID], { recipients: [a, b] }), keyOf([FROM, ID], { recipients: [b, a] }));
  });

  it("is not known without a Message-ID", () => {
    assert.equal(keyOf([FROM]), null);
    assert.equal(keyOf([FROM, "Message-ID:"]), null);
  });

  it("has the client's key, for the same sender, recipients and subject", () => {
    const key = "X-Postrider-Idempotency-Key: o7";
    const hashOf = (header: string[], options?: Options) => {
      const { idempotencyKey, clientKey, draft } = valid([...header, key], options);
      assert.deepEqual([idempotencyKey, clientKey], ["o7", "o7"]);
      return draft.payloadHash();
    };
    const first = hashOf([FROM, "Subject: a", ID, "X-Boundary: 1"]);
    assert.equal(hashOf(["Subject: a", "From: hello@shop.example", DATE, "X-Boundary: 2"]), first);
    const others = [
      hashOf([FROM, "Subject: b"]),
      hashOf(["From: other@shop.example", "Subject: a"]),
      hashOf([FROM, "Subject: a"], { recipients: ["other@customers.example"] }),
    ];
    assert.equal(new Set([first, ...others]).size, 4);
  });
});
