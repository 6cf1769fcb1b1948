/** The header fields of one-click unsubscribe: what they contain, which requests may ask for them, and that DKIM covers them. */
import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { describe, it, test } from "node:test";
import { dkimVerify } from "mailauth/lib/dkim/verify.js";
import { contentOf, unsignedOf, withFields } from "../../../src/message/content.ts";
import { dkimSignature } from "../../../src/message/dkim.ts";
import {
  isUnsubscribeField,
  unsubscribeErrors,
  unsubscribeFields,
} from "../../../src/message/send-request/unsubscribe-fields.ts";

const URL = "https://mail.shop.example/unsubscribe/eyJ.abc";
const PLAIN = contentOf(Buffer.from("From: a@a.example\r\nTo: b@b.example\r\nSubject: Hi\r\n\r\nHello\r\n"));

test("the fields are before the message's own, and the body keeps its hash", () => {
  const { bytes, bodyHash } = withFields(PLAIN, unsubscribeFields(URL));
  const added = `List-Unsubscribe: <${URL}>\r\nList-Unsubscribe-Post: List-Unsubscribe=One-Click\r\n`;
  assert.equal(bytes.toString(), added + PLAIN.bytes.toString());
  assert.equal(bodyHash, PLAIN.bodyHash);
  assert.equal(bodyHash, contentOf(bytes).bodyHash);
  assert.equal(withFields({ ...PLAIN, bodyHash: null }, unsubscribeFields(URL)).bodyHash, null);
});

test("the names are known in any case", () => {
  for (const name of ["List-Unsubscribe", "list-unsubscribe-post", "LIST-UNSUBSCRIBE"]) {
    assert.ok(isUnsubscribeField(name), name);
  }
  for (const name of ["List-Id", "List-Unsubscribe-", "X-List-Unsubscribe"]) assert.ok(!isUnsubscribeField(name), name);
});

test("a request has an error for each reason why it cannot have a link", () => {
  const header = { name: "List-unsubscribe", value: "<https://a.example/u>" };
  assert.deepEqual(unsubscribeErrors({ recipients: 1, headers: [{ name: "List-Id", value: "x" }] }), []);
  assert.deepEqual(unsubscribeErrors({ recipients: 1 }), []);
  const fields = unsubscribeErrors({ recipients: 2, headers: [header] }).map(({ field }) => field);
  assert.deepEqual(fields, ["unsubscribe", "headers.List-unsubscribe"]);
});

describe("the signature of DKIM, verified by mailauth,", () => {
  const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const record = `v=DKIM1; k=rsa; p=${publicKey.export({ type: "spki", format: "der" }).toString("base64")}`;
  const key = { domain: "a.example", selector: "s1", privateKey };
  const content = withFields(PLAIN, unsubscribeFields(URL)).bytes;
  const signature = dkimSignature(unsignedOf(contentOf(content)), key);

  const verdict = async (changed: Buffer) => {
    const { results } = await dkimVerify(Buffer.concat([signature, changed]), { resolver: async () => [[record]] });
    return results[0];
  };

  it("covers both fields", async () => {
    assert.equal((await verdict(content))?.status.result, "pass");
    const [, names = ""] = /\sh=([^;]+);/.exec(signature.toString()) ?? [];
    const signed = names.replace(/\s/g, "").split(":");
    // Once for the field, and once more so that none can be added.
    for (const name of ["list-unsubscribe", "list-unsubscribe-post"]) {
      assert.equal(signed.filter((each) => each === name).length, 2, name);
    }
  });

  it("breaks if either is changed, removed or added once more", async () => {
    const text = content.toString();
    const changes = [
      text.replace("eyJ.abc", "eyJ.abd"),
      text.replace("One-Click", "Two-Click"),
      text.replace(/^List-Unsubscribe: .*\r\n/, ""),
      text.replace(/^List-Unsubscribe-Post: .*\r\n/m, ""),
      `List-Unsubscribe: <https://b.example/>\r\n${text}`,
      `List-Unsubscribe-Post: List-Unsubscribe=One-Click\r\n${text}`,
    ];
    for (const changed of changes) {
      assert.notEqual(changed, text);
      assert.notEqual((await verdict(Buffer.from(changed)))?.status.result, "pass", changed);
    }
  });

  it("of a message without the fields has the tags that it has had before", () => {
    const [, names] = /\sh=([^;]+);/.exec(dkimSignature(unsignedOf(PLAIN), key).toString()) ?? [];
    assert.equal(
      names?.replace(/\s/g, ""),
      "from:from:to:to:cc:subject:subject:date:reply-to:content-type:list-unsubscribe:list-unsubscribe-post",
    );
  });
});
