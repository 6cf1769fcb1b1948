/** The addresses at which mail comes back, and no others. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { incomingRecipients } from "../../../src/app/incoming/incoming-recipients.ts";
import { SpoolUnavailable } from "../../../src/spool/port/errors.ts";
import { envelopeSender, FEEDBACK_KEY, MESSAGE_ID } from "../../support/fake-inbound.ts";

const OWNER = { accountId: "acc_1", domainId: "dom_1" };

function lookedUp(owned: string[] = ["shop.example", "xn--bcher-kva.example"]) {
  const asked: string[] = [];
  const recipients = incomingRecipients({
    key: FEEDBACK_KEY,
    domains: {
      async returnPathOwner(domain) {
        asked.push(domain);
        return owned.includes(domain) ? OWNER : null;
      },
    },
  });
  return { asked, find: (address: string) => recipients.find(address) };
}

describe("an envelope sender of ours", () => {
  it("is valid in any case, without a look into the spool", async () => {
    const { asked, find } = lookedUp([]);
    const expected = { type: "bounces", messageId: MESSAGE_ID, position: 3, domain: "shop.example" };
    assert.deepEqual(await find(envelopeSender(3)), expected);
    assert.deepEqual(await find(envelopeSender(3).toUpperCase()), expected);
    assert.deepEqual(asked, []);
  });

  it("is not valid with another tag, message, recipient, domain or key", async () => {
    const { find } = lookedUp();
    const address = envelopeSender();
    const [local = ""] = address.split("@");
    for (let at = 2; at < local.length; at += 1) {
      const other = local[at] === "a" ? "b" : "a";
      assert.equal(await find(`${local.slice(0, at)}${other}${address.slice(at + 1)}`), null, `character ${at}`);
    }
    for (const domain of [
      "bounces.other.example",
      "shop.example",
      "x.bounces.shop.example",
      "bounces.bounces.shop.example",
    ]) {
      assert.equal(await find(`${local}@${domain}`), null, domain);
    }
    for (const form of [local.slice(0, -1), `${local}a`, local.slice(2), `"${local}"`, `${local}+x`, `b-${local}`]) {
      assert.equal(await find(`${form}@bounces.shop.example`), null, form);
    }
    const foreign = incomingRecipients({ key: Buffer.alloc(32, 8), domains: { returnPathOwner: async () => null } });
    assert.equal(await foreign.find(address), null);
  });
});

describe("the names of a return path", () => {
  it("are known where a domain is bound with its return path on", async () => {
    const { find } = lookedUp();
    const expected = {
      "dmarc-reports": "dmarc_reports",
      "tls-reports": "tls_reports",
      complaints: "complaints",
      postmaster: "postmaster",
      abuse: "abuse",
    };
    for (const [name, type] of Object.entries(expected)) {
      assert.deepEqual(await find(`${name}@bounces.shop.example`), { type, ...OWNER, domain: "shop.example" });
      assert.equal((await find(`${name.toUpperCase()}@BOUNCES.Shop.Example`))?.type, type);
      assert.equal(await find(`${name}@bounces.other.example`), null);
      assert.equal(await find(`${name}@shop.example`), null);
      assert.equal(await find(`${name}+tag@bounces.shop.example`), null);
    }
  });

  it("are found for an internationalized domain in both forms", async () => {
    const { find } = lookedUp();
    for (const domain of ["bounces.bücher.example", "bounces.xn--bcher-kva.example"]) {
      const found = await find(`abuse@${domain}`);
      assert.deepEqual(found, { type: "abuse", ...OWNER, domain: "xn--bcher-kva.example" });
    }
  });

  it("are looked up for no other address, so that strangers cause no reads", async () => {
    const { asked, find } = lookedUp();
    for (const address of [
      "",
      "postmaster",
      "postmaster@",
      "@bounces.shop.example",
      "info@bounces.shop.example",
      "postmaster@shop.example",
      "constructor@bounces.shop.example",
      "toString@bounces.shop.example",
      "postmaster@[127.0.0.1]",
      "a b@c",
      "Name <abuse@bounces.shop.example>",
      "abuse@bounces.shop.example, x@y.example",
      "postmaster@bounces.",
      "abuse%x.example@bounces.shop.example",
      "x.example!abuse@bounces.shop.example",
      "b-@bounces.shop.example",
    ]) {
      assert.equal(await find(address), null, address);
    }
    assert.deepEqual(asked, []);
  });

  it("are unknown for now while the spool is", async () => {
    const domains = { returnPathOwner: () => Promise.reject(new SpoolUnavailable("down")) };
    const { find } = incomingRecipients({ key: FEEDBACK_KEY, domains });
    await assert.rejects(find("abuse@bounces.shop.example"), SpoolUnavailable);
  });
});
