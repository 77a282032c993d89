import { join } from "node:path";
import type { Command } from "commander";
import { type LockFile, lock } from "../commands/lock.ts";
import { catchProblems, UserError } from "../model/problems/errors.ts";
import { replaceFile, unwritable } from "./files/replace-file.ts";
import { rejectLinks } from "./files/replace-files.ts";
import { pathFromRoot } from "./flags/options.ts";
import { print } from "./output/print.ts";
import { exitCode, reportProblems } from "./output/report-failure.ts";
import { printProblem } from "./output/show-problem.ts";
import type { RunCommand } from "./program/run-cli.ts";
import type { Shell } from "./program/shell.ts";

interface LockFlags {
  readonly config?: string;
  readonly check?: boolean;
  readonly quiet?: boolean;
}

export function defineLock(command: Command, run: RunCommand): void {
  command
    .option("-c, --config <file>", "config whose lockfile qvs writes (default: all)")
    .option("--check", "exit with 1 if a lockfile is missing or outdated; write nothing")
    .option("-q, --quiet", "print only errors")
    .action((flags: LockFlags) =>
      run(flags, async (world, shell) => {
        const root = world.repository?.root ?? shell.cwd();
        const config =
          flags.config === undefined ? undefined : pathFromRoot(root, shell.cwd(), flags.config);
        const { files, notices } = await lock(world, config);
        if (!flags.quiet)
          for (const notice of notices) printProblem(shell.stderr, notice, "warning");
        return flags.check ? check(files, flags, shell) : write(files, root, flags, shell);
      }),
    );
}

function check(files: readonly LockFile[], flags: LockFlags, shell: Shell): number {
  const stale = files.flatMap((file) => file.stale);
  reportProblems(stale, shell.stderr);
  printLines(
    files.filter(({ fresh }) => fresh).map(({ file }) => `${file} is up to date`),
    files,
    flags,
    shell,
  );
  return stale.length > 0 ? exitCode.user : exitCode.done;
}

async function write(
  files: readonly LockFile[],
  root: string,
  flags: LockFlags,
  shell: Shell,
): Promise<number> {
  const lines: string[] = [];
  for (const { file, text, fresh, changes } of files) {
    if (fresh) lines.push(`${file} is up to date`);
    else {
      await writeLock(root, file, text);
      lines.push(`Wrote ${file}`, ...changes.map((change) => `  ${change}`));
    }
  }
  printLines(lines, files, flags, shell);
  return exitCode.done;
}

function printLines(
  lines: readonly string[],
  files: readonly LockFile[],
  { quiet }: LockFlags,
  { stdout }: Shell,
): void {
  if (quiet) return;
  const all =
    files.length === 0
      ? ["No config uses modules from Git, charts of registries or remote bases: nothing to lock"]
      : lines;
  if (all.length > 0) print(stdout, all.join("\n"));
}

/**
 * Replaces a lockfile atomically. It never writes through a link, which can be part of an untrusted
 * repository.
 */
async function writeLock(root: string, file: string, text: string): Promise<void> {
  const isSafe = await catchProblems(() => rejectLinks(root, root, [file]));
  if (!isSafe.ok) {
    const fixes = { fix: "Replace it with a regular directory or file", otherwise: ["remove it"] };
    throw new UserError(isSafe.problems.map((problem) => ({ ...problem, ...fixes })));
  }
  await replaceFile(join(root, file), text).catch((error) => {
    throw unwritable(error, file, "Check the permissions of the directory");
  });
}
