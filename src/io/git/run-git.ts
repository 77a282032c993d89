import { spawn } from "node:child_process";
import { UserError } from "../../model/problems/errors.ts";
import type { Fixes, Problem } from "../../model/problems/problem.ts";
import { removeCredentials } from "../../redaction/hide-credentials.ts";
import type { Environment } from "../environment.ts";
import { watchGrowth } from "../files/directories.ts";

/** The result of a git command. */
export interface GitAnswer {
  /** The exit code; undefined if git couldn't start or was stopped. */
  readonly code: number | undefined;
  readonly stdout: Buffer;
  readonly stderr: string;
  readonly stopped: "too long" | "too much" | "too large" | "not installed" | undefined;
  /** The size limit of the directory, in bytes. */
  readonly limit?: number | undefined;
}

export interface GitCall {
  readonly directory: string;
  readonly environment: Environment;
  /** True if the directory is itself a bare repository. git then looks for no other one. */
  readonly bare?: boolean;
  readonly input?: string;
  /** The maximum size of the answer, in bytes. */
  readonly maxBytes?: number;
  /** The maximum size of the directory, in bytes. */
  readonly maxDirectoryBytes?: number;
  readonly timeout?: number;
}

/**
 * Settings that keep git from running anything in a repository: hooks, file system monitors,
 * filters, and automatic maintenance in the background.
 * They also exclude the settings of a repository that a commit has added in a directory. They allow
 * only certain ways to reach another repository. The user's own settings stay, because they contain
 * credentials and `insteadOf`.
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
  // Stores one file instead of one file per object, even for few objects. Keeps large objects out
  // of memory.
  "fetch.unpackLimit=1",
  "core.bigFileThreshold=16m",
  "http.lowSpeedLimit=1000",
  "http.lowSpeedTime=30",
  "protocol.allow=never",
  "protocol.https.allow=always",
  "protocol.ssh.allow=always",
  "protocol.file.allow=always",
].flatMap((setting) => ["-c", setting]);

/**
 * Runs git to its end. It never throws for an answer of git; the caller interprets the exit code.
 */
export function runGit(args: readonly string[], call: GitCall): Promise<GitAnswer> {
  const { directory, maxBytes = 64 * 1024 * 1024, timeout = 120_000 } = call;
  return new Promise((resolve) => {
    const env = safeEnvironment(call.environment);
    // A separate session has no terminal on which ssh could ask. qvs can end it with everything
    // that git started.
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
    // git can exit before it has read everything. Its exit code gives the reason.
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
    // The process has ended already.
  }
}

/**
 * The environment variables that qvs removes. git hooks set most of them. They would lead git to
 * another repository.
 */
const removedVariables: ReadonlySet<string> = new Set([
  "GIT_DIR",
  "GIT_WORK_TREE",
  "GIT_INDEX_FILE",
  "GIT_COMMON_DIR",
  "GIT_NAMESPACE",
  "GIT_OBJECT_DIRECTORY",
  "GIT_ALTERNATE_OBJECT_DIRECTORIES",
  "GIT_SHALLOW_FILE",
  "GIT_ALLOW_PROTOCOL",
  // git's verbose output would contain secrets. Programs that git starts must not see the tokens.
  "GIT_CURL_VERBOSE",
  "QVS_MODULES_TOKEN",
  "INPUT_MODULES-TOKEN",
]);

function safeEnvironment(given: Environment): Record<string, string | undefined> {
  const kept = Object.entries(given).filter(
    ([name]) => !removedVariables.has(name) && !name.startsWith("GIT_TRACE"),
  );
  return {
    ...Object.fromEntries(kept),
    SSH_ASKPASS_REQUIRE: "never",
    GIT_TERMINAL_PROMPT: "0",
    GIT_OPTIONAL_LOCKS: "0",
    GIT_LFS_SKIP_SMUDGE: "1",
    // A delta of a few bytes can expand to an object of many gigabytes. With this limit, git fails
    // before it uses up the machine's memory.
    GIT_ALLOC_LIMIT: "512m",
    // qvs recognizes messages by their text.
    LC_ALL: "C",
  };
}

/**
 * Returns the error of a git command that failed in the user's own repository. `doing` completes
 * "git can't …".
 */
export function gitError(doing: string, answer: GitAnswer): UserError {
  return new UserError([{ where: [], what: `git can't ${doing}`, ...explainCause(answer) }]);
}

type GitErrorCause = Pick<Problem, "code" | "why" | "facts" | "fix" | "otherwise">;

function explainCause({ stopped, stderr }: GitAnswer): GitErrorCause {
  switch (stopped) {
    case "not installed":
      return {
        code: "git-failed",
        why: "The program git can't be started",
        fix: "Install git, or add it to PATH",
      };
    case "too long":
      return {
        code: "git-failed",
        why: "git didn't finish in time",
        fix: "Run git fsck to check the repository",
      };
    case "too much":
    case "too large":
      return {
        code: "input-too-large",
        why: "The files are too large",
        fix: "Keep large files out of this directory",
      };
    case undefined:
      return {
        code: "git-failed",
        facts: [{ label: "answer", value: lastLine(stderr) }],
        ...(/promisor remote/.test(stderr)
          ? checkOutAll
          : { fix: "Run git status to check the repository" }),
      };
  }
}

/**
 * Returns the error for a file whose content the clone lacks, although it has the commit. The clone
 * is a partial one, or broken.
 */
export function notInClone(path: string): UserError {
  return new UserError([
    {
      code: "git-failed",
      where: [],
      what: `"${path}": this clone doesn't contain the content of the file`,
      ...checkOutAll,
    },
  ]);
}

const checkOutAll: Fixes = {
  fix: "Clone all files: remove `sparse-checkout` and `filter` from actions/checkout",
  otherwise: [
    "clone without --filter of git clone",
    "run git fsck, if the clone is supposed to be complete",
  ],
};

/** Returns the last error message of git, without credentials. */
export function lastLine(stderr: string): string {
  const lines = stderr.trim().split("\n");
  const fatal = lines.findLast((line) => /^(fatal|error): /.test(line)) ?? lines.at(-1) ?? "";
  return removeCredentials(fatal.replace(/^(fatal|error): /, "")) || "git gave no reason";
}
