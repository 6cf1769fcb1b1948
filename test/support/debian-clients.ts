/**
 * Debian's programs and libraries that submit messages, in one root directory that debian-peers.ts installs: runs one of them as a
 * user would, on loopback. Their tests run as root with POSTRIDER_CLIENTS_SMTP=1 or CI=true; with CI=true a missing program fails
 * the test.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { TestContext } from "node:test";
import { type Ended, missingPackages, rootOf, runCommand, type Wanted } from "./debian-peers.ts";
import { withoutProgram } from "./debian-program.ts";

const ROOT = rootOf("languages");

/** A `skip` value for tests of `packages`. */
export const missingClients = (packages: Wanted["packages"]): string | false =>
  missingPackages({ packages, setting: "POSTRIDER_CLIENTS_SMTP", what: "Debian's programs that send mail by SMTP" });

export interface ClientFiles {
  /** By name. `ca.crt` is the only authority that programs trust. */
  [name: string]: string | Buffer;
  "ca.crt": string;
}

export interface ClientDirectory {
  /** Its path outside the root directory. */
  path: string;
  /** Runs a command in the directory until it exits. */
  run(command: readonly string[], options?: { input?: Buffer; env?: Record<string, string> }): Promise<Ended>;
  /** The command line that does the same, with this environment. */
  commandLine(command: readonly string[]): string[];
  env: Readonly<Record<string, string>>;
}

/** Makes a working directory with these files, which is removed after the test. */
export function clientDirectory(t: TestContext, files: ClientFiles): ClientDirectory {
  const path = mkdtempSync(join(ROOT, "tmp/run-"));
  t.after(() => rmSync(path, { recursive: true, force: true }));
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(path, name)), { recursive: true });
    writeFileSync(join(path, name), content, { mode: 0o600 });
  }
  const commandLine = (command: readonly string[]) => [
    "unshare",
    "--mount",
    "sh",
    "-ec",
    ENTER,
    ROOT,
    path,
    ...command,
  ];
  return {
    path,
    commandLine,
    env: ENV,
    run: (command, { input, env = {} } = {}) => runCommand(commandLine(command), { input, env: { ...ENV, ...env } }),
  };
}

/** Most libraries read the bundle of the system, OpenSSL a file that SSL_CERT_FILE names. */
const BUNDLE = "/etc/ssl/certs/ca-certificates.crt";

const ENV = {
  SSL_CERT_FILE: BUNDLE,
  LC_ALL: "C.UTF-8",
  TZ: "UTC",
  // For short programs.
  JAVA_TOOL_OPTIONS:
    "-Djavax.net.ssl.trustStore=ca.jks -Djavax.net.ssl.trustStorePassword=changeit -XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
};

/** Jakarta Mail, and the classes of the working directory. */
export const JAVA_CLASS_PATH = "/usr/share/java/jakarta-mail.jar:/usr/share/java/jakarta-activation.jar:.";

/** As `buildGo`, with Debian's compiler of Eclipse. Also makes the directory's authority known to Java, which has a format of its own. */
export async function prepareJava(directory: ClientDirectory, file: string): Promise<false> {
  const compiler = [
    "java",
    "-cp",
    "/usr/share/java/eclipse-jdt-core.jar",
    "org.eclipse.jdt.internal.compiler.batch.Main",
  ];
  const trust = [
    "keytool",
    "-importcert",
    "-noprompt",
    "-keystore",
    "ca.jks",
    "-storepass",
    "changeit",
    "-file",
    "ca.crt",
  ];
  const done = [
    await directory.run([...compiler, "-17", "-proc:none", "-cp", JAVA_CLASS_PATH, file]),
    await directory.run(trust),
  ];
  for (const { code, output } of done) if (code !== 0) throw new Error(output);
  return false;
}

/**
 * Compiles a Go program in the directory with this server's Go, which is larger than all else together. The reason if there is none; see
 * withoutProgram.
 */
export async function buildGo({ path }: ClientDirectory, file: string): Promise<string | false> {
  const missing = withoutProgram("go", "golang-go");
  if (missing !== false) return missing;
  const env = { PATH: process.env.PATH ?? "", HOME: path, GOCACHE: join(path, "cache") };
  const { code, output } = await runCommand(["go", "build", "-o", join(path, "program"), join(path, file)], { env });
  if (code !== 0) throw new Error(output);
  return false;
}

/** The mounts end with the program. Java needs /proc. */
const ENTER = `
mount --bind /proc "$0/proc"
mount --bind "$1/ca.crt" "$0${BUNDLE}"
root=$0 dir=\${1#"$0"}
shift
exec setpriv --pdeathsig KILL chroot "$root" env -C "$dir" HOME="$dir" "$@"`;
