/**
 * Runs an image of buildah's store like a container engine: with its own root, user, environment, command and process
 * namespace, and with volumes bound in. The network is the host's, because a test's peers are on loopback. Needs
 * root. `POSTRIDER_STORE` names the directory that .ci/image built in.
 */
import { type ChildProcess, execFile, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chownSync, mkdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { promisify } from "node:util";

const STORE = process.env.POSTRIDER_STORE ?? "";
const LIFETIME_MS = 60_000;
/** The engine's defaults where the image sets none. */
const PATH = "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/** Null if the image does not set it. */
export interface ImageConfig {
  User: string;
  Env: string[] | null;
  Entrypoint: string[] | null;
  Cmd: string[];
  WorkingDir: string;
  Volumes: Record<string, unknown> | null;
  Healthcheck: { Test: string[] };
}

export interface Container {
  /** The host's pid of its process 1. */
  pid: number;
  /** Like `docker exec`: the standard output if the command exits with 0. Rejects otherwise. */
  exec(command: string[]): Promise<string>;
  stop(signal: NodeJS.Signals): Promise<{ code: number | null; stderr: string }>;
}

function buildah(...args: string[]): string {
  const where = ["--storage-driver", "vfs", "--root", join(STORE, "store"), "--runroot", join(STORE, "run")];
  return execFileSync("buildah", [...where, ...args], { encoding: "utf8" }).trim();
}

export function imageConfig(image: string): ImageConfig {
  return JSON.parse(buildah("inspect", "--type", "image", image)).Docker.config;
}

/** Creates empty volumes in `dir` with the image's owners, like an engine's named volumes. */
export function newVolumes(t: TestContext, image: string, dir: string): Record<string, string> {
  const root = freshRoot(t, image);
  const named = Object.keys(imageConfig(image).Volumes ?? {}).map((path): [string, string] => {
    const { uid, gid, mode } = statSync(join(root, path));
    const place = join(dir, path);
    mkdirSync(place, { recursive: true, mode });
    chownSync(place, uid, gid);
    return [path, place];
  });
  return Object.fromEntries(named);
}

/** The root directory of a new container, removed after the test. */
function freshRoot(t: TestContext, image: string): string {
  const name = buildah("from", "--pull-never", image);
  t.after(() => buildah("rm", name));
  return buildah("mount", name);
}

export interface ContainerOptions {
  image: string;
  /** Directories of the host by container path. */
  volumes: Record<string, string>;
  env: Record<string, string>;
}

/** Starts a new container of the image. */
export async function startContainer(t: TestContext, options: ContainerOptions): Promise<Container> {
  const config = imageConfig(options.image);
  const root = freshRoot(t, options.image);
  const env = [PATH, ...(config.Env ?? []), ...Object.entries(options.env).map(([name, value]) => `${name}=${value}`)];
  const within = ["chroot", `--userspec=${config.User}`, "--groups=", root];
  const inside = [...within, "/usr/bin/env", "-i", `--chdir=${config.WorkingDir || "/"}`, ...env];
  const mounts = [
    `mount -t proc proc ${root}/proc`,
    `mount --rbind /dev ${root}/dev`,
    ...Object.entries(options.volumes).map(([path, place]) => `mount --bind ${place} ${root}${path}`),
  ];
  const script = `set -e; ${mounts.join("; ")}; exec "$@"`;
  const main = [...inside, ...(config.Entrypoint ?? []), ...config.Cmd];
  const child = spawn("unshare", ["--mount", "--pid", "--fork", "--kill-child", "sh", "-c", script, "sh", ...main], {
    stdio: ["ignore", "ignore", "pipe"],
    timeout: LIFETIME_MS,
    killSignal: "SIGKILL",
  });
  let stderr = "";
  child.stderr.on("data", (chunk) => {
    stderr += chunk;
  });
  const ended = once(child, "close");
  t.after(async () => {
    if (child.exitCode === null && child.signalCode === null) child.kill("SIGKILL");
    await ended;
  });
  const pid = await firstChild(child);
  return {
    pid,
    async exec(command) {
      const entered = [`--target=${pid}`, "--mount", "--pid", "--", ...inside, ...command];
      return (await promisify(execFile)("nsenter", entered, { timeout: LIFETIME_MS })).stdout;
    },
    async stop(signal) {
      process.kill(pid, signal);
      const [code] = await ended;
      return { code, stderr };
    },
  };
}

/** The host's pids of a process's children, including zombies. */
export function childrenOf(pid: number): number[] {
  const text = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim();
  return text === "" ? [] : text.split(" ").map(Number);
}

async function firstChild(child: ChildProcess): Promise<number> {
  while (child.exitCode === null) {
    const [first] = childrenOf(child.pid ?? 0);
    if (first !== undefined) return first;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  throw new Error("the container did not start");
}
