/** The files in a stored message: listed with their names and sizes, and read one by one, of any content. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { attachedFile, attachedFiles, FILES_MAX } from "../../../src/message/reading/attached-files.ts";
import { composedMessage, multipartMessage } from "../../support/composed-message.ts";

const base64 = (bytes: Buffer | string): string => Buffer.from(bytes).toString("base64");

test("the files of a composed message have their names, types and sizes, and are read back byte for byte", () => {
  const bytes = Buffer.from(Array.from({ length: 1000 }, (_, i) => i % 256));
  const longName = `${"🎉".repeat(250)}.pdf`;
  const content = composedMessage({
    text: "Hi",
    html: '<img src="cid:logo@shop">',
    attachments: [
      { filename: "logo.png", content: base64(bytes), content_id: "logo@shop" },
      { filename: "Rechnung für März.pdf", content: base64("%PDF") },
      { filename: longName, content: base64("long") },
      { filename: "empty.txt", content: "" },
    ],
  });
  const { files, omitted } = attachedFiles(content);
  assert.equal(omitted, 0);
  assert.deepEqual(
    files.map(({ filename, type, sizeBytes, contentId }) => [filename, type, sizeBytes, contentId]),
    [
      ["logo.png", "image/png", 1000, "logo@shop"],
      ["Rechnung für März.pdf", "application/pdf", 4, null],
      [longName, "application/pdf", 4, null],
      ["empty.txt", "text/plain", 0, null],
    ],
  );
  assert.deepEqual(attachedFile(content, files[0]?.part ?? -1), { filename: "logo.png", bytes });
  assert.equal(attachedFile(content, 0), null, "the text is no file");
  assert.equal(attachedFile(content, 99), null);
});

test("names are decoded in every form that is used, and made safe to save a file under", () => {
  const nameIn = (...fields: string[]): string | null => {
    const content = multipartMessage(["Content-Type: application/x", ...fields, "", "x"]);
    return attachedFiles(content).files[0]?.filename ?? null;
  };
  const disposition = (parameters: string): string | null => nameIn(`Content-Disposition: attachment; ${parameters}`);
  assert.equal(disposition("filename=plain.txt"), "plain.txt");
  assert.equal(disposition('filename="=?UTF-8?B?R3LDvMOfZS50eHQ=?="'), "Grüße.txt");
  assert.equal(disposition("filename*=UTF-8''Gr%C3%BC%C3%9Fe.txt"), "Grüße.txt");
  assert.equal(disposition("filename*=iso-8859-1''Gr%FC%DFe.txt"), "Grüße.txt");
  assert.equal(disposition("filename*0*=UTF-8''Gr%C3%BC; filename*1=\"sse.txt\""), "Grüsse.txt");
  assert.equal(disposition('filename="../../etc/passwd"'), ".._.._etc_passwd");
  assert.equal(disposition('filename="C:\\\\x"'), "C:_x");
  assert.equal(disposition("filename*=UTF-8''invoice%E2%80%AEfdp.exe"), "invoice_fdp.exe");
  assert.equal(disposition("filename*=UTF-8''a%0D%0Ab"), "a__b");
  assert.equal(disposition('filename=".."'), null);
  assert.equal(nameIn(), null);
  const named = multipartMessage(["Content-Type: application/x; name=old.bin", "", "x"]);
  assert.equal(attachedFiles(named).files[0]?.filename, "old.bin");
});

test("a file without a name is saved under one of its type", () => {
  const content = multipartMessage(
    ["Content-Type: text/plain", "", "text"],
    ["Content-Type: text/plain", "", "more"],
    ["Content-Type: message/rfc822", "", "Subject: inner", "", "x"],
    ["Content-Type: application/pdf", "Content-Transfer-Encoding: base64", "", "JVBE\r\nRg=="],
  );
  assert.deepEqual(
    attachedFiles(content).files.map(({ part, filename, sizeBytes }) => [part, filename, sizeBytes]),
    [
      [1, null, 4],
      [2, null, 19],
      [3, null, 4],
    ],
  );
  assert.equal(attachedFile(content, 1)?.filename, "attachment-1.txt");
  assert.deepEqual(attachedFile(content, 2)?.bytes.toString(), "Subject: inner\r\n\r\nx");
  assert.deepEqual(attachedFile(content, 3), { filename: "attachment-3.pdf", bytes: Buffer.from("%PDF") });
});

test("many and hostile parts are listed within limits, in linear time", () => {
  const part = ["Content-Type: application/x", "Content-Disposition: attachment; filename=x", "", "x"];
  const { files, omitted } = attachedFiles(multipartMessage(...Array.from({ length: 300 }, () => part)));
  assert.deepEqual([files.length, omitted], [FILES_MAX, 100]);
  for (const filler of ["filename*0*=", ";", " ", '"', "\\", "=?", "%", "'", "=?utf-8?b?eA==?= ", "*"]) {
    const long = [`Content-Disposition: attachment; filename=${filler.repeat(60_000 / filler.length)}`];
    const hostile = multipartMessage(...Array.from({ length: 50 }, () => [...long, "", "x"]));
    for (const { filename } of attachedFiles(hostile).files) assert.ok((filename ?? "").length <= 510, filler);
  }
});
