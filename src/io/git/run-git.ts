import { spawn } from "node:child_process";
import { watchGrowth } from "./modules/watch-growth.ts";

/** What a git command answered. */
export interface GitAnswer {
  /** Exit code; undefined when git could not be started or was stopped. */
  readonly code: number | undefined;
  readonly stdout: Buffer;
  readonly stderr: string;
  readonly stopped: "too long" | "too much" | "too large" | "not installed" | undefined;
  /** Of the directory, in bytes. */
  readonly limit?: number | undefined;
}

export type Environment = Readonly<Record<string, string | undefined>>;

export interface GitCall {
  readonly directory: string;
  readonly environment: Environment;
  /** The directory is itself a bare repository; git looks for no other one. */
  readonly bare?: boolean;
  readonly input?: string;
  /** Of its answer. */
  readonly maxBytes?: number;
  /** What the directory may come to hold. */
  readonly maxDirectoryBytes?: number;
  readonly timeout?: number;
}

/**
 * Nothing that a repository holds may run: no hook, no file system monitor, no filter, no automatic maintenance in the
 * background, no settings of a repository that a commit has brought along in a folder; and only these ways to reach another
 * repository. The user's own settings stay, since credentials and `insteadOf` are among them.
 */
const safeSettings: readonly string[] = [
  "core.hooksPath=/dev/null",
  "core.fsmonitor=false",
  "core.attributesFile=/dev/null",
  "core.quotePath=false",
  "safe.bareRepository=explicit",
  "gc.auto=0",
  "maintenance.auto=false",
  "submodule.recurse=false",
  "fetch.recurseSubmodules=false",
  "transfer.bundleURI=false",
  // One file instead of one for each object, however few there are; and what is large is not taken into memory.
  "fetch.unpackLimit=1",
  "core.bigFileThreshold=16m",
  "http.lowSpeedLimit=1000",
  "http.lowSpeedTime=30",
  "protocol.allow=never",
  "protocol.https.allow=always",
  "protocol.ssh.allow=always",
  "protocol.file.allow=always",
].flatMap((setting) => ["-c", setting]);

/** Runs git to its end. Never throws for what git answers; whoever calls decides what an exit code means. */
export function runGit(args: readonly string[], call: GitCall): Promise<GitAnswer> {
  const { directory, maxBytes = 64 * 1024 * 1024, timeout = 120_000 } = call;
  return new Promise((resolve) => {
    const env = safeEnvironment(call.environment);
    // A session of its own has no terminal on which ssh could ask, and can be ended with all that git started.
    const options = { cwd: directory, env, detached: true };
    const where = call.bare === true ? ["--git-dir=."] : [];
    const child = spawn(
      "git",
      [...where, "--literal-pathspecs", ...safeSettings, ...args],
      options,
    );
    const chunks: Buffer[] = [];
    let stderr = "";
    let bytes = 0;
    let stopped: GitAnswer["stopped"];
    const stop = (why: GitAnswer["stopped"]): void => {
      stopped ??= why;
      if (child.pid !== undefined) endGroup(child.pid);
    };
    const timer = setTimeout(() => stop("too long"), timeout);
    const { maxDirectoryBytes } = call;
    const stopWatching =
      maxDirectoryBytes === undefined
        ? undefined
        : watchGrowth(directory, maxDirectoryBytes, () => stop("too large"));
    child.stdout.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > maxBytes) stop("too much");
      else chunks.push(chunk);
    });
    child.stderr.on("data", (chunk: Buffer) => {
      stderr = (stderr + chunk.toString()).slice(-20_000);
    });
    child.on("error", () => {
      stopped ??= "not installed";
      finish(null);
    });
    child.on("close", finish);
    // git may exit before it has read everything; its exit code says why.
    child.stdin.on("error", () => {});
    child.stdin.end(call.input ?? "");

    function finish(code: number | null): void {
      clearTimeout(timer);
      const answer = () =>
        resolve({
          code: stopped === undefined ? (code ?? undefined) : undefined,
          stdout: Buffer.concat(chunks),
          stderr,
          stopped,
          limit: maxDirectoryBytes,
        });
      if (stopWatching === undefined) answer();
      else void stopWatching().then(answer);
    }
  });
}

function endGroup(leader: number): void {
  try {
    process.kill(-leader, "SIGKILL");
  } catch {
    // It has ended by itself in the meantime.
  }
}

/** Set inside git hooks; they would lead git to another repository than the one asked for. */
const misleading: ReadonlySet<string> = new Set([
  "GIT_DIR",
  "GIT_WORK_TREE",
  "GIT_INDEX_FILE",
  "GIT_COMMON_DIR",
  "GIT_NAMESPACE",
  "GIT_OBJECT_DIRECTORY",
  "GIT_ALTERNATE_OBJECT_DIRECTORIES",
  "GIT_SHALLOW_FILE",
  "GIT_ALLOW_PROTOCOL",
  // Their commands and output would be ours, with what is secret in them.
  "GIT_CURL_VERBOSE",
  "QVS_MODULES_TOKEN",
  "INPUT_MODULES-TOKEN",
]);

function safeEnvironment(given: Environment): Record<string, string | undefined> {
  const kept = Object.entries(given).filter(
    ([name]) => !misleading.has(name) && !name.startsWith("GIT_TRACE"),
  );
  return {
    ...Object.fromEntries(kept),
    SSH_ASKPASS_REQUIRE: "never",
    GIT_TERMINAL_PROMPT: "0",
    GIT_OPTIONAL_LOCKS: "0",
    GIT_LFS_SKIP_SMUDGE: "1",
    // A few bytes of differences can stand for an object of many gigabytes; git then gives up instead of the machine.
    GIT_ALLOC_LIMIT: "512m",
    // Messages are told apart by their text.
    LC_ALL: "C",
  };
}
