import { stringify } from "yaml";
import {
  failed,
  ok,
  type Position,
  type Problem,
  type Result,
} from "../../model/problems/problem.ts";
import {
  chartTitle,
  isChartName,
  isExactVersion,
  isOciChart,
  isRepositoryAddress,
} from "../../model/sources/remote-chart.ts";
import { removeCredentials } from "../../redaction/hide-credentials.ts";
import { readYaml } from "../yaml/read.ts";
import {
  listOf,
  optional,
  record,
  required,
  shape,
  text,
  type YamlShape,
  type YamlText,
} from "../yaml/shape.ts";
import {
  baseItem,
  chartItem,
  chartLockKey,
  type LockEntries,
  type LockEntry,
  type LockedChart,
  type LockedModule,
  type Lockfile,
  type LockItem,
  lockEntryKey,
  moduleItem,
} from "./lockfile.ts";

/** The format version. It increases when an older qvs would misread the file. */
const lockfileVersion = "1";

const sha256 = matching(/^sha256:[0-9a-f]{64}$/, "a SHA-256 hash", "sha256: and 64 hex digits");

const gitEntries = listOf(
  record({
    repository: required(text),
    path: optional(text),
    revision: required(text),
    commit: required(
      matching(/^([0-9a-f]{40}|[0-9a-f]{64})$/, "a full commit ID", "40 or 64 hex digits"),
    ),
    hash: required(sha256),
  }),
);

const lockfileShape = record({
  version: required(text),
  modules: required(gitEntries),
  charts: optional(
    listOf(
      record({
        chart: required(text),
        repository: optional(text),
        version: required(text),
        digest: required(sha256),
      }),
    ),
  ),
  bases: optional(gitEntries),
});

/** Reads a `qvs.lock`. Only qvs writes this file, so all errors have the same fix. */
export function parseLockfile(file: string, content: string): Result<Lockfile> {
  const yaml = readYaml(file, content);
  // Merge conflict markers break many lines, and one fix applies to all of them.
  if (!yaml.ok) return failed(yaml.problems.slice(0, 1).map(withLockfileFix));
  const problems: Problem[] = [];
  const written = lockfileShape(yaml.value, "", problems);
  if (written !== undefined && written.version.value !== lockfileVersion) {
    return failed([unknownVersionProblem(written.version)]);
  }
  if (written === undefined || problems.length > 0) return failed(problems.map(withLockfileFix));
  const modules = written.modules.map(toGitEntry);
  const bases = (written.bases ?? []).map(toGitEntry);
  const charts = (written.charts ?? []).map(({ chart, repository, version, digest, where }) => ({
    chart: chart.value,
    repository: repository?.value,
    version: version.value,
    digest: digest.value,
    where,
  }));
  const unknown = charts.filter((chart) => !isChartSource(chart)).map(chartSourceProblem);
  if (unknown.length > 0) return failed(unknown);
  const twice = duplicateEntryProblems([
    ...modules.map((entry) => ({ ...moduleItem(entry), where: entry.where })),
    ...charts.map((entry) => ({ ...chartItem(entry), where: entry.where })),
    ...bases.map((entry) => ({ ...baseItem(entry), where: entry.where })),
  ]);
  return twice.length > 0 ? failed(twice) : ok({ file, modules, charts, bases });
}

/** Reports whether a registry or a Helm repository can have a chart, as a config must write it. */
function isChartSource({ chart, repository, version }: LockedChart): boolean {
  const isSource =
    repository === undefined
      ? isOciChart(chart)
      : isRepositoryAddress(repository) && isChartName(chart);
  return isSource && isExactVersion(version);
}

function chartSourceProblem(entry: LockedChart): Problem {
  return withLockfileFix({
    code: "invalid-lock-file",
    where: [entry.where],
    what: "A chart isn't in a registry or a Helm repository, or has no exact version",
    facts: [{ label: "chart", value: `${removeCredentials(chartTitle(entry))} ${entry.version}` }],
    fix: "",
  });
}

interface WrittenGitEntry extends Record<"repository" | "revision" | "commit" | "hash", YamlText> {
  readonly path: YamlText | undefined;
  readonly where: Position;
}

function toGitEntry(written: WrittenGitEntry): LockedModule {
  const { repository, path, revision, commit, hash, where } = written;
  return {
    repository: repository.value,
    path: path?.value ?? "",
    revision: revision.value,
    commit: commit.value,
    hash: hash.value,
    where,
  };
}

function matching(pattern: RegExp, form: string, expected: string): YamlShape<YamlText> {
  return shape((node, name, problems) => {
    const found = text(node, name, problems);
    if (found === undefined || pattern.test(found.value)) return found;
    problems.push({
      code: "invalid-lock-file",
      where: [found.where],
      what: `"${name}" isn't ${form}`,
      facts: [{ label: "expected", value: expected }],
      fix: "",
    });
    return undefined;
  }, text.schema);
}

function withLockfileFix(problem: Problem): Problem {
  const fix = "Run `qvs lock`, which rewrites the file, and commit it";
  return { ...problem, fix, otherwise: undefined };
}

function unknownVersionProblem({ value, where }: YamlText): Problem {
  return {
    code: "invalid-lock-file",
    where: [where],
    what: `Version "${value}" of the lockfile is unknown`,
    facts: [{ label: "expected", value: lockfileVersion }],
    fix: "Use the version of qvs that wrote it",
    otherwise: ["run `qvs lock` with this version"],
  };
}

/** Reports duplicate entries, which a merge of two branches can create. */
function duplicateEntryProblems(
  items: readonly (LockItem & { readonly where: Position })[],
): readonly Problem[] {
  const first = new Map<string, Position>();
  return items.flatMap(({ key, title, where }) => {
    const before = first.get(key);
    first.set(key, before ?? where);
    if (before === undefined) return [];
    const what = `${title} is locked twice`;
    return [withLockfileFix({ code: "invalid-lock-file", where: [where, before], what, fix: "" })];
  });
}

/** Returns the comment above the entries, which names their types. */
function headingWith(types: string): string {
  return `# ${types} that the configs in this directory use. Written by \`qvs lock\`; commit this file.\n`;
}

/**
 * Returns the content of a `qvs.lock`. The same entries produce the same bytes in any order, and
 * duplicates appear once.
 */
export function renderLockfile(entries: LockEntries): string {
  const modules = gitEntriesOf(entries.modules);
  const bases = gitEntriesOf(entries.bases);
  const charts = sortedByKey(entries.charts, chartLockKey).map(
    ({ chart, repository, version, digest }) => ({
      chart,
      ...(repository === undefined ? {} : { repository }),
      version,
      digest,
    }),
  );
  const content = {
    version: Number(lockfileVersion),
    modules,
    ...(charts.length === 0 ? {} : { charts }),
    ...(bases.length === 0 ? {} : { bases }),
  };
  // Long values stay on their line.
  return headingOf(entries) + stringify(content, { lineWidth: 0 });
}

function headingOf({ charts, bases }: LockEntries): string {
  if (bases.length > 0) return headingWith("Git modules, charts and remote bases");
  return headingWith(charts.length > 0 ? "Git modules and charts" : "Commits of the Git modules");
}

function gitEntriesOf(entries: readonly LockEntry[]): readonly object[] {
  return sortedByKey(entries, lockEntryKey).map(({ repository, path, revision, commit, hash }) => ({
    repository,
    ...(path === "" ? {} : { path }),
    revision,
    commit,
    hash,
  }));
}

function sortedByKey<T>(entries: readonly T[], keyOf: (entry: T) => string): readonly T[] {
  const byKey = new Map(entries.map((entry) => [keyOf(entry), entry]));
  return [...byKey].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, entry]) => entry);
}
