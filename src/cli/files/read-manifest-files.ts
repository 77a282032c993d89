import { type Dirent, readFileSync, realpathSync, statSync } from "node:fs";
import { join, relative, resolve, sep } from "node:path";
import type { ManifestFile } from "../../commands/init.ts";
import { listEntries } from "../../io/files/directories.ts";
import { fileErrorFix } from "../../model/problems/file-problems.ts";
import { failed, ok, type Problem, type Result } from "../../model/problems/problem.ts";
import type { Shell } from "../program/shell.ts";

/** The largest total size. It is more than all manifests of a large application. */
const maxBytes = 16 * 1024 * 1024;

/**
 * Reads the manifests in a file or a directory.
 * The directory can be part of an untrusted repository. Links are followed only within it, or
 * within `directory`: other files must not get into files that a user commits.
 */
export function readManifestFiles(
  directory: string,
  from: string,
): Result<readonly ManifestFile[]> {
  const problems: Problem[] = [];
  const files: ManifestFile[] = [];
  let bytes = 0;
  orProblem(from, () => {
    const path = resolve(directory, from);
    if (!statSync(path).isDirectory()) {
      read(path);
      return;
    }
    const roots = [realpathSync(directory), realpathSync(path)];
    for (const entry of listEntries(path)) {
      const file = join(entry.parentPath, entry.name);
      orProblem(relative(directory, file), () => readEntry(entry, file, roots));
    }
  });
  return problems.length > 0 ? failed(problems) : ok(files);

  function readEntry(entry: Dirent, file: string, roots: readonly string[]): void {
    if (!entry.isSymbolicLink()) {
      if (entry.isFile() && isManifest(entry.name)) read(file);
      return;
    }
    const isFolder = statSync(file).isDirectory();
    if (!isFolder && !isManifest(entry.name)) return;
    const real = realpathSync(file);
    const isInside = roots.some((root) => real.startsWith(root + sep));
    if (isFolder || !isInside) problems.push(linked(relative(directory, file), isFolder));
    else read(file);
  }

  function read(file: string): void {
    const name = relative(directory, file);
    const found = statSync(file);
    bytes += found.size;
    if (!found.isFile()) problems.push(notAFile(name));
    else if (bytes > maxBytes) problems.push(tooLarge(name));
    else files.push({ file: name, text: readFileSync(file, "utf8") });
  }

  function orProblem(name: string, action: () => void): void {
    try {
      action();
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === undefined) throw error;
      problems.push(unreadable(name, code));
    }
  }
}

/** The flag that means stdin, and a command that uses it, for messages. */
interface StdinUsage {
  readonly flag: string;
  readonly example: string;
}

const initUsage: StdinUsage = {
  flag: "--from -",
  example: "kubectl kustomize k8s | qvs init --from -",
};

/** Reads manifests from stdin, for example from `kubectl kustomize`. */
export async function readStdinManifests(
  stdin: Shell["stdin"],
  { flag, example }: StdinUsage = initUsage,
): Promise<Result<readonly [ManifestFile]>> {
  if (stdin === undefined || stdin.isTTY) {
    return failed([
      invalid({
        what: `${flag} reads stdin, which is a terminal here`,
        fix: `Write the manifests to stdin: ${example}`,
      }),
    ]);
  }
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of stdin) {
    const read = Buffer.from(chunk);
    bytes += read.length;
    if (bytes > maxBytes) return failed([tooLarge("stdin")]);
    chunks.push(read);
  }
  return ok([{ file: "stdin", text: Buffer.concat(chunks).toString("utf8") }]);
}

function isManifest(name: string): boolean {
  return /\.(?:ya?ml|json)$/.test(name);
}

function linked(file: string, isFolder: boolean): Problem {
  const target = isFolder ? "a directory" : "a file outside the directory";
  return invalid({
    what: `"${file}" is a link to ${target}`,
    why: "qvs doesn't follow such links",
    fix: "Remove the link",
    otherwise: ["name its target with --from"],
  });
}

function notAFile(file: string): Problem {
  return invalid({ what: `"${file}" isn't a file`, fix: "Write the manifests to a file first" });
}

function tooLarge(file: string): Problem {
  return invalid({
    what: `The manifests exceed ${maxBytes / 1024 / 1024} MiB in total`,
    facts: [{ label: "exceeded at", value: file }],
    fix: "Name a smaller directory",
  });
}

function unreadable(file: string, code: string): Problem {
  return invalid({
    what: `"${file}" can't be read`,
    facts: [{ label: "error", value: code }],
    fix: fileErrorFix(code, "Make it readable"),
    otherwise: ["name another file or directory"],
  });
}

function invalid(about: Omit<Problem, "code" | "where">): Problem {
  return { code: "invalid-input", where: [], ...about };
}
