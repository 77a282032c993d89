import { type Dirent, readFileSync, realpathSync, statSync } from "node:fs";
import { join, relative, resolve, sep } from "node:path";
import type { ManifestFile } from "../../commands/init.ts";
import { entriesBelow } from "../../io/files/entries-below.ts";
import { failed, ok, type Problem, type Result } from "../../model/problems/problem.ts";
import type { Shell } from "../shell.ts";

/** The largest total size. It is more than all manifests of a large application. */
const mostBytes = 16 * 1024 * 1024;

/**
 * Reads the manifests in a file or a directory.
 * The directory can be part of an untrusted repository. Links are followed only within it, or
 * within `directory`: other files must not get into files that a user commits.
 */
export function filesAt(directory: string, from: string): Result<readonly ManifestFile[]> {
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
    for (const entry of entriesBelow(path)) {
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
    else if (bytes > mostBytes) problems.push(tooLarge(name));
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

/** Reads manifests from stdin, for example from `kubectl kustomize`. */
export async function manifestsOn(stdin: Shell["stdin"]): Promise<Result<ManifestFile>> {
  if (stdin === undefined || stdin.isTTY) {
    const fix = "Write the manifests to it, as in: kubectl kustomize k8s | qvs init --from -";
    return failed([invalid("--from - reads stdin, which is a terminal here", fix)]);
  }
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of stdin) {
    const read = Buffer.from(chunk);
    bytes += read.length;
    if (bytes > mostBytes) return failed([tooLarge("stdin")]);
    chunks.push(read);
  }
  return ok({ file: "stdin", text: Buffer.concat(chunks).toString("utf8") });
}

function isManifest(name: string): boolean {
  return /\.(?:ya?ml|json)$/.test(name);
}

function linked(file: string, isFolder: boolean): Problem {
  const what = isFolder ? "is a link to a folder" : "is a link to a file elsewhere";
  return invalid(
    `${file} ${what}, which is not followed`,
    "Remove it, or name what it leads to with --from",
  );
}

function notAFile(file: string): Problem {
  return invalid(`${file} is no file`, "Write the manifests to a file first");
}

function tooLarge(file: string): Problem {
  return invalid(
    `With ${file} there are more than ${mostBytes / 1024 / 1024} MiB of manifests`,
    "Name a smaller folder",
  );
}

function unreadable(file: string, code: string): Problem {
  return invalid(`${file} cannot be read (${code})`, "Make it readable, or name something else");
}

function invalid(what: string, fix: string): Problem {
  return { code: "invalid-input", where: [], what, fix };
}
