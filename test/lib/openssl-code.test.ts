import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { test } from "node:test";
import { isFasterWithoutAdx } from "../../src/lib/openssl-code.ts";

interface Cpu {
  vendor?: string;
  family?: string;
  flags?: string;
}

const cpuinfo = ({ vendor = "AuthenticAMD", family = "25", flags = "bmi2 avx2 adx" }: Cpu = {}): string =>
  `processor\t: 0\nvendor_id\t: ${vendor}\ncpu family\t: ${family}\nflags\t\t: fpu ${flags} aes\n\nprocessor\t: 1\n`;

test("only Zen 3 without AVX-512 IFMA signs without ADX", () => {
  assert.equal(isFasterWithoutAdx(cpuinfo()), true);
  assert.equal(isFasterWithoutAdx(cpuinfo({ flags: "bmi2 avx2 adx avx512f avx512ifma" })), false);
  assert.equal(isFasterWithoutAdx(cpuinfo({ flags: "bmi2 avx2" })), false);
  assert.equal(isFasterWithoutAdx(cpuinfo({ flags: "adx" })), false);
  assert.equal(isFasterWithoutAdx(cpuinfo({ family: "23" })), false);
  assert.equal(isFasterWithoutAdx(cpuinfo({ vendor: "GenuineIntel" })), false);
  assert.equal(isFasterWithoutAdx("processor\t: 0\nBogoMIPS\t: 50.00\nFeatures\t: fp asimd\n"), false);
  assert.equal(isFasterWithoutAdx(""), false);
});

test("a process with an operator's setting goes on as it is", () => {
  const script = `
    import { selectSignatureCode } from "./src/lib/openssl-code.ts";
    selectSignatureCode();
    process.stdout.write([process.env.OPENSSL_ia32cap, ...process.argv.slice(1)].join(" "));
  `;
  const args = ["--import", "tsx", "--input-type=module", "--eval", script, "given"];
  const env = { ...process.env, OPENSSL_ia32cap: "~0x0" };
  assert.equal(execFileSync(process.execPath, args, { encoding: "utf8", env }), "~0x0 given");
});
