/**
 * Selects OpenSSL's code for RSA on AMD's Zen 3. Where a CPU has carry instructions (ADX), OpenSSL prefers them to vector instructions (AVX2);
 * on Zen 3 an RSA-2048 signature takes 13 % less time with the latter, and signatures take half of a message's CPU time. From Zen 4 on
 * OpenSSL uses AVX-512 IFMA, which is faster than both. Other CPUs were not measured and are not changed.
 *
 * OpenSSL reads its setting when a process starts, so the process runs Node once more in its place, which Node can do from 22.15 on.
 */
import { spawnSync } from "node:child_process";
import { closeSync, openSync, readSync } from "node:fs";

const SETTING = "OPENSSL_ia32cap";
/** Bit 19 of the second vector, after the colon, is ADX; see OPENSSL_ia32cap(3). */
const WITHOUT_ADX = ":~0x80000";

/** Zen 3 and, where a hypervisor hides AVX-512, Zen 4. */
const ZEN_3 = "25";

/** Lines of /proc/cpuinfo. */
const VENDOR = /^vendor_id\s*: (.*)$/m;
const FAMILY = /^cpu family\s*: (.*)$/m;
const FLAGS = /^flags\s*: (.*)$/m;

/** Holds the first processor's entry. */
const CPUINFO_BYTES = 8192;

/** Not in @types/node for Node 20. */
type Execve = (file: string, args: readonly string[], env: NodeJS.ProcessEnv) => never;

/** Replaces this process by the same program with the setting, or returns where none is needed. Its id, descriptors 0 to 2 and arguments stay. */
export function selectSignatureCode(): void {
  const { execve } = process as { execve?: Execve };
  // The setting of an operator counts. A worker has its supervisor's, and a channel to it that would be lost.
  if (execve === undefined || process.env[SETTING] !== undefined || process.channel !== undefined) return;
  if (!isFasterWithoutAdx(firstProcessor()) || !mayRunNode()) return;
  const args = [process.execPath, ...process.execArgv, ...process.argv.slice(1)];
  execve(process.execPath, args, { ...process.env, [SETTING]: WITHOUT_ADX });
}

/** Whether the CPU is one that signs faster without ADX. `cpuinfo`: the beginning of /proc/cpuinfo; see proc_cpuinfo(5). */
export function isFasterWithoutAdx(cpuinfo: string): boolean {
  const flags = new Set(FLAGS.exec(cpuinfo)?.[1]?.split(" "));
  const isMeasured = VENDOR.exec(cpuinfo)?.[1] === "AuthenticAMD" && FAMILY.exec(cpuinfo)?.[1] === ZEN_3;
  return isMeasured && flags.has("adx") && flags.has("avx2") && !flags.has("avx512ifma");
}

/** Whether the system lets this process run Node: where it does not, execve ends the process. */
const mayRunNode = (): boolean => spawnSync(process.execPath, ["--version"], { stdio: "ignore" }).status === 0;

/** Empty where the system has no such file. */
function firstProcessor(): string {
  try {
    const file = openSync("/proc/cpuinfo", "r");
    try {
      const bytes = Buffer.alloc(CPUINFO_BYTES);
      return bytes.toString("latin1", 0, readSync(file, bytes));
    } finally {
      closeSync(file);
    }
  } catch {
    return "";
  }
}
