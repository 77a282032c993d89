import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";

/** Excludes the settings of the user who runs the tests. */
export const environment = {
  PATH: process.env.PATH ?? "",
  HOME: "/nonexistent",
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_AUTHOR_NAME: "A",
  GIT_AUTHOR_EMAIL: "a@example.com",
  GIT_COMMITTER_NAME: "A",
  GIT_COMMITTER_EMAIL: "a@example.com",
};

/** A directory that is removed after the test. */
export function temporaryDirectory(): string {
  const directory = realpathSync(mkdtempSync(join(tmpdir(), "qvs-git-")));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

/**
 * A single process instead of three. Starting one copies the page tables of all running compilers
 * of the tests.
 */
const commitAll =
  "git add --all && git commit --quiet --allow-empty --message=x && git rev-parse HEAD";

/** A real repository with a working tree. */
export class GitFixture {
  readonly directory: string;

  constructor(directory = temporaryDirectory()) {
    this.directory = directory;
    initialise(join(directory, ".git"));
  }

  git(...args: readonly string[]): string {
    return this.execute("git", ...args);
  }

  private execute(command: string, ...args: readonly string[]): string {
    return execFileSync(command, args, {
      cwd: this.directory,
      env: environment,
      stdio: ["ignore", "pipe", "pipe"],
    })
      .toString()
      .trim();
  }

  write(path: string, content: string): void {
    mkdirSync(dirname(join(this.directory, path)), { recursive: true });
    writeFileSync(join(this.directory, path), content);
  }

  link(path: string, target: string): void {
    mkdirSync(dirname(join(this.directory, path)), { recursive: true });
    symlinkSync(target, join(this.directory, path));
  }

  /** Writes `files` and commits everything. Returns the commit ID. */
  commit(files: Readonly<Record<string, string>> = {}): string {
    for (const [path, content] of Object.entries(files)) this.write(path, content);
    return this.execute("sh", "-c", commitAll);
  }
}

/**
 * Writes the files that `git init --initial-branch=main` creates. This saves one process in each of
 * hundreds of tests.
 */
function initialise(directory: string): void {
  if (existsSync(directory)) return;
  for (const folder of ["objects", "refs/heads"])
    mkdirSync(join(directory, folder), { recursive: true });
  writeFileSync(join(directory, "HEAD"), "ref: refs/heads/main\n");
  writeFileSync(
    join(directory, "config"),
    "[core]\n\trepositoryformatversion = 0\n\tbare = false\n",
  );
}
