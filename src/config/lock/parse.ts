import { stringify } from "yaml";
import {
  failed,
  ok,
  type Position,
  type Problem,
  type Result,
} from "../../model/problems/problem.ts";
import { readYaml } from "../yaml/read.ts";
import {
  listOf,
  optional,
  record,
  required,
  type Shape,
  shape,
  type Text,
  text,
} from "../yaml/shape.ts";
import { type Lock, type LockEntry, type LockedModule, lockKey, nameOfEntry } from "./lock.ts";

/** The format version. It increases when an older qvs would misread the file. */
const lockVersion = "1";

const lockShape = record({
  version: required(text),
  modules: required(
    listOf(
      record({
        repository: required(text),
        path: optional(text),
        revision: required(text),
        commit: required(matching(/^([0-9a-f]{40}|[0-9a-f]{64})$/, "a full commit id")),
        hash: required(matching(/^sha256:[0-9a-f]{64}$/, "sha256: and 64 hex digits")),
      }),
    ),
  ),
});

/** Reads a `qvs.lock`. Only qvs writes this file, so all errors have the same fix. */
export function parseLock(file: string, content: string): Result<Lock> {
  const yaml = readYaml(file, content);
  // Merge conflict markers break many lines, and one fix applies to all of them.
  if (!yaml.ok) return failed(yaml.problems.slice(0, 1).map(withLockFix));
  const problems: Problem[] = [];
  const written = lockShape(yaml.value, "", problems);
  if (written !== undefined && written.version.value !== lockVersion) {
    return failed([otherVersion(written.version)]);
  }
  if (written === undefined || problems.length > 0) return failed(problems.map(withLockFix));
  const modules = written.modules.map(({ repository, path, revision, commit, hash, where }) => ({
    repository: repository.value,
    path: path?.value ?? "",
    revision: revision.value,
    commit: commit.value,
    hash: hash.value,
    where,
  }));
  const twice = givenTwice(modules);
  return twice.length > 0 ? failed(twice) : ok({ file, modules });
}

function matching(pattern: RegExp, form: string): Shape<Text> {
  return shape((node, name, problems) => {
    const found = text(node, name, problems);
    if (found === undefined || pattern.test(found.value)) return found;
    problems.push({
      code: "invalid-lock-file",
      where: [found.where],
      what: `"${name}" is not ${form}`,
      fix: "",
    });
    return undefined;
  }, text.schema);
}

function withLockFix(problem: Problem): Problem {
  return { ...problem, fix: "Run `qvs lock`, which writes the file again, and commit it" };
}

function otherVersion({ value, where }: Text): Problem {
  return {
    code: "invalid-lock-file",
    where: [where],
    what: `The lock is of version "${value}", but this qvs knows version ${lockVersion}`,
    fix: "Use the qvs that wrote it, or run `qvs lock` with this one",
  };
}

/** Reports duplicate entries, which a merge of two branches can create. */
function givenTwice(modules: readonly LockedModule[]): readonly Problem[] {
  const first = new Map<string, Position>();
  return modules.flatMap((entry) => {
    const before = first.get(lockKey(entry));
    first.set(lockKey(entry), before ?? entry.where);
    if (before === undefined) return [];
    const what = `${nameOfEntry(entry)} is locked at "${entry.revision}" twice`;
    return [
      withLockFix({ code: "invalid-lock-file", where: [entry.where, before], what, fix: "" }),
    ];
  });
}

const heading =
  "# Which commits the git modules of the QVS configs in this folder are. Written by `qvs lock`; to be committed.\n";

/**
 * Returns the content of a `qvs.lock`. The same modules produce the same bytes in any order, and
 * duplicates appear once.
 */
export function renderLock(entries: readonly LockEntry[]): string {
  const byKey = new Map(entries.map((entry) => [lockKey(entry), entry]));
  const sorted = [...byKey].sort(([a], [b]) => (a < b ? -1 : 1));
  const modules = sorted.map(([, { repository, path, revision, commit, hash }]) => ({
    repository,
    ...(path === "" ? {} : { path }),
    revision,
    commit,
    hash,
  }));
  // Long values stay on their line.
  return heading + stringify({ version: Number(lockVersion), modules }, { lineWidth: 0 });
}
