/** The notices of a host: its disk, and the certificates that it serves. */
import assert from "node:assert/strict";
import { it } from "node:test";
import { hostNotices } from "../../../src/app/notices/host-state.ts";
import { diskFinding } from "../../../src/doctor/disk.ts";

const DAY_MS = 86_400_000;
const NOW_MS = 20_000 * DAY_MS;
const MIB = 1024 ** 2;

const withDisk = (freeBytes: number, nowMs = NOW_MS) =>
  hostNotices({ host: "mail-1", disk: async () => diskFinding("/data", freeBytes), certificates: () => [] }, nowMs);

it("notices a disk that fills once a day, and that it has become worse", async () => {
  assert.deepEqual(await withDisk(2048 * MIB), []);
  const [low] = await withDisk(1000 * MIB);
  const [later] = await withDisk(900 * MIB, NOW_MS + DAY_MS - 1);
  const [full] = await withDisk(100 * MIB);
  const [nextDay] = await withDisk(900 * MIB, NOW_MS + DAY_MS);
  assert.deepEqual([low?.kind, low?.accountId, low?.subject], ["disk_fills", null, "The disk of mail-1 fills"]);
  assert.match(low?.paragraphs[0] ?? "", /^On mail-1: 1000 MiB are free/);
  assert.equal(later?.occurrence, low?.occurrence);
  assert.equal(new Set([low, full, nextDay].map((each) => each?.occurrence)).size, 3);
  assert.equal(new Set([low, full, nextDay].map((each) => each?.cause)).size, 1);
});

it("notices each certificate that ends within 7 days, or has ended", async () => {
  const certificates = [
    { service: "HTTPS", endsMs: NOW_MS + 7 * DAY_MS },
    { service: "SMTP", endsMs: NOW_MS + 7 * DAY_MS - 1 },
    { service: "other", endsMs: NOW_MS - 1 },
  ];
  const found = await hostNotices({ host: "mail-1", disk: null, certificates: () => certificates }, NOW_MS);
  assert.deepEqual(
    found.map(({ kind, subject }) => [kind, subject]),
    [
      [
        "certificate_ends",
        `The certificate of SMTP ends on ${new Date(NOW_MS + 7 * DAY_MS - 1).toISOString().slice(0, 10)}`,
      ],
      ["certificate_ends", "The certificate of other has ended"],
    ],
  );
  assert.equal(new Set(found.map(({ cause }) => cause)).size, 2);
});
