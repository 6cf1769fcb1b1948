/** The zone server over the network, with packets built by hand. */
import assert from "node:assert/strict";
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { connect } from "node:net";
import { after, afterEach, before, describe, it } from "node:test";
import * as packet from "dns-packet";
import { startZoneServer, type ZoneServer } from "../../src/testing/zone-server.ts";

type Decoded = packet.DecodedPacket & { rcode: string };

let zone: ZoneServer;
const port = () => Number(zone.address.split(":")[1]);

before(async () => {
  zone = await startZoneServer({ records: [{ name: "host.test", type: "A", values: ["192.0.2.1"] }] });
});
after(() => zone.close());
afterEach(() => zone.fault("host.test", null));

function query(name: string, type: packet.RecordType, edns?: number): Buffer {
  const opt = { type: "OPT", name: ".", udpPayloadSize: edns, flags: 0, options: [] } as unknown as packet.OptAnswer;
  return packet.encode({
    type: "query",
    id: 4711,
    flags: packet.RECURSION_DESIRED,
    questions: [{ name, type }],
    additionals: edns === undefined ? [] : [opt],
  });
}

async function overUdp(...messages: Buffer[]): Promise<Decoded> {
  const socket = createSocket("udp4");
  for (const message of messages) socket.send(message, port(), "127.0.0.1");
  const [reply] = (await once(socket, "message")) as [Buffer];
  socket.close();
  return packet.decode(reply) as Decoded;
}

async function overTcp(message: Buffer): Promise<Decoded> {
  const socket = connect(port(), "127.0.0.1");
  const framed = Buffer.concat([Buffer.from([message.length >> 8, message.length & 255]), message]);
  // In two pieces, split within the length field.
  socket.setNoDelay(true);
  socket.write(framed.subarray(0, 1));
  setImmediate(() => socket.write(framed.subarray(1)));
  let received = Buffer.alloc(0);
  for await (const chunk of socket) {
    received = Buffer.concat([received, chunk as Buffer]);
    if (received.length >= 2 && received.length === 2 + received.readUInt16BE(0)) break;
  }
  socket.destroy();
  return packet.decode(received.subarray(2)) as Decoded;
}

const data = (reply: Decoded) => (reply.answers ?? []).map((record) => ("data" in record ? record.data : null));

describe("zone server", () => {
  it("answers in any case, and repeats the question as asked", async () => {
    const reply = await overUdp(query("HOST.test", "A"));
    assert.equal(reply.id, 4711);
    assert.equal(reply.flag_qr && reply.flag_aa && reply.flag_rd && reply.flag_ra, true);
    assert.deepEqual(reply.questions, [{ name: "HOST.test", type: "A", class: "IN" }]);
    assert.deepEqual(data(reply), ["192.0.2.1"]);
  });

  it("answers over TCP on the same port", async () => {
    assert.deepEqual(data(await overTcp(query("host.test", "A"))), ["192.0.2.1"]);
  });

  it("applies set and remove", async () => {
    zone.set("new.test", "MX", ["5 host.test."]);
    zone.set("new.test", "NS", ["ns.test"]);
    assert.deepEqual(data(await overUdp(query("new.test", "MX"))), [{ preference: 5, exchange: "host.test" }]);
    zone.remove("NEW.test.", "MX");
    assert.equal((await overUdp(query("new.test", "MX"))).rcode, "NOERROR");
    zone.remove("new.test");
    assert.equal((await overUdp(query("new.test", "MX"))).rcode, "NXDOMAIN");
  });

  it("puts the chain of CNAMEs in the answer", async () => {
    zone.set("a.test", "CNAME", ["b.test."]);
    zone.set("b.test", "CNAME", ["host.test."]);
    assert.deepEqual(data(await overUdp(query("a.test", "A"))), ["b.test", "host.test", "192.0.2.1"]);
    assert.deepEqual(data(await overUdp(query("a.test", "CNAME"))), ["b.test"]);
  });

  it("keeps the given split of TXT strings, and splits long ones", async () => {
    zone.set("txt.test", "TXT", [["one", "two"]]);
    const strings = async () => (data(await overUdp(query("txt.test", "TXT", 4096))) as unknown as Buffer[][]).flat();
    assert.deepEqual((await strings()).map(String), ["one", "two"]);
    zone.set("txt.test", "TXT", ["y".repeat(600)]);
    assert.deepEqual(
      (await strings()).map((text) => text.length),
      [255, 255, 90],
    );
  });

  it("truncates an answer over 512 bytes or the EDNS size", async () => {
    zone.set("big.test", "TXT", ["z".repeat(800)]);
    const cut = await overUdp(query("big.test", "TXT"));
    assert.deepEqual([cut.flag_tc, cut.answers?.length], [true, 0]);
    assert.equal((await overUdp(query("big.test", "TXT", 600))).flag_tc, true);
    assert.equal((await overUdp(query("big.test", "TXT", 1232))).flag_tc, false);
    assert.equal((await overTcp(query("big.test", "TXT"))).flag_tc, false);
  });

  it("fails as configured, for the configured type", async () => {
    zone.fault("Host.test", "servfail");
    assert.equal((await overUdp(query("host.test", "A"))).rcode, "SERVFAIL");
    zone.fault("host.test", "refused");
    assert.equal((await overUdp(query("host.test", "A"))).rcode, "REFUSED");
    zone.fault("host.test", "truncate");
    assert.equal((await overUdp(query("host.test", "A"))).flag_tc, true);
    assert.deepEqual(data(await overTcp(query("host.test", "A"))), ["192.0.2.1"]);
    zone.fault("host.test", null);
    zone.fault("host.test", "servfail", "AAAA");
    assert.equal((await overUdp(query("host.test", "AAAA"))).rcode, "SERVFAIL");
    assert.equal((await overUdp(query("host.test", "A"))).rcode, "NOERROR");
    zone.fault("host.test", null, "AAAA");
  });

  it("lists the questions, also unanswered ones", async () => {
    zone.fault("mute.test", "silent");
    // Both use one socket, so the answer to the second shows that the first got none.
    const reply = await overUdp(query("Mute.test", "MX"), query("host.test", "A"));
    assert.equal(reply.questions?.[0]?.name, "host.test");
    assert.deepEqual(zone.queries.slice(-2), [
      { name: "mute.test", type: "MX" },
      { name: "host.test", type: "A" },
    ]);
  });

  it("survives garbage", async () => {
    const socket = connect(port(), "127.0.0.1");
    socket.end(Buffer.from([0, 3, 1, 2, 3, 255]));
    const response = packet.encode({ type: "response", id: 1, questions: [{ name: "host.test", type: "A" }] });
    const twoQuestions = packet.encode({
      type: "query",
      id: 4711,
      questions: [
        { name: "host.test", type: "A" },
        { name: "host.test", type: "AAAA" },
      ],
    });
    const reply = await overUdp(Buffer.from("rubbish"), Buffer.alloc(0), response, query("host.test", "A"));
    assert.equal(reply.id, 4711);
    assert.equal((await overUdp(twoQuestions)).rcode, "FORMERR");
    socket.destroy();
  });

  it("rejects data that is not valid for the type", () => {
    assert.throws(() => zone.set("x.test", "A", ["host.test"]), TypeError);
    assert.throws(() => zone.set("x.test", "MX", ["host.test"]), TypeError);
  });

  it("listens on the given port, and rejects if it is in use", async () => {
    await assert.rejects(startZoneServer({ port: port() }), { code: "EADDRINUSE" });
  });
});
