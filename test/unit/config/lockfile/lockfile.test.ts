import { expect, test } from "vitest";
import {
  compareLockfiles,
  describeLockChange,
} from "../../../../src/config/lockfile/compare-lockfiles.ts";
import { type LockEntry, lockfilePath } from "../../../../src/config/lockfile/lockfile.ts";
import { parseLockfile, renderLockfile } from "../../../../src/config/lockfile/parse-lockfile.ts";
import { describeProblem } from "../../../support/describe-problem.ts";

const digits = "1".repeat(40);
const hash = `sha256:${"a".repeat(64)}`;

function entry(given: Partial<LockEntry>): LockEntry {
  return {
    repository: "github.com/acme/a",
    revision: "v1",
    path: "",
    commit: digits,
    hash,
    ...given,
  };
}

function modulesOnly(modules: readonly LockEntry[]) {
  return { modules, charts: [], bases: [] };
}

const several = [
  entry({ repository: "github.com/acme/b", revision: "main" }),
  entry({ revision: "v2" }),
  entry({ path: "cue/adapters", revision: "1.10" }),
  entry({ revision: "1234567" }),
  entry({ repository: "git@github.com:acme/c.git", revision: "feature/x #1: y" }),
];

test("the text is sorted, independent of the order, and lists each module once", () => {
  const text = renderLockfile(modulesOnly(several));
  expect(renderLockfile(modulesOnly([...several].reverse().concat(several)))).toBe(text);
  expect(
    text,
  ).toBe(`# Commits of the Git modules that the configs in this directory use. Written by \`qvs lock\`; commit this file.
version: 1
modules:
  - repository: git@github.com:acme/c.git
    revision: "feature/x #1: y"
    commit: "${digits}"
    hash: ${hash}
  - repository: github.com/acme/a
    revision: "1234567"
    commit: "${digits}"
    hash: ${hash}
  - repository: github.com/acme/a
    revision: v2
    commit: "${digits}"
    hash: ${hash}
  - repository: github.com/acme/a
    path: cue/adapters
    revision: "1.10"
    commit: "${digits}"
    hash: ${hash}
  - repository: github.com/acme/b
    revision: main
    commit: "${digits}"
    hash: ${hash}
`);
});

test("a written lockfile is read with the same content, including names that look like numbers", () => {
  const read = parseLockfile("qvs.lock", renderLockfile(modulesOnly(several)));
  if (!read.ok) throw new Error(read.problems.map(describeProblem).join("\n"));
  const entries = read.value.modules.map(({ where, ...rest }) => rest);
  expect(compareLockfiles(modulesOnly(several), modulesOnly(entries))).toEqual([]);
  expect(entries).toHaveLength(several.length);
  expect(read.value.modules[1]?.where).toEqual({ file: "qvs.lock", line: 8, column: 5 });
});

const one = `repository: github.com/acme/a, revision: v1, commit: "${digits}", hash: "${hash}"`;
const rewrite = "  → Run `qvs lock`, which rewrites the file, and commit it";

test.each([
  ["empty", "", `1:1: The file isn't an object\n  found: no value\n${rewrite}`],
  ["another text", "hello", `1:1: The file isn't an object\n  found: a string\n${rewrite}`],
  ["no version", "modules: []", `1:1: The file has no "version"\n${rewrite}`],
  [
    "a shortened commit",
    `version: 1\nmodules: [{repository: a, revision: v1, commit: abc1234, hash: "${hash}"}]`,
    `2:49: "commit" isn't a full commit ID\n  expected: 40 or 64 hex digits\n${rewrite}`,
  ],
  [
    "another kind of hash",
    `version: 1\nmodules: [{repository: a, revision: v1, commit: "${digits}", hash: md5}]`,
    `2:99: "hash" isn't a SHA-256 hash\n  expected: sha256: and 64 hex digits\n${rewrite}`,
  ],
  [
    "a chart that a config can't name",
    `version: 1\nmodules: []\ncharts:\n  - {chart: ../web, repository: /srv/charts, version: 1.0.0, digest: "${hash}"}\n`,
    `4:5: A chart isn't in a registry or a Helm repository, or has no exact version\n  chart: ../web of /srv/charts 1.0.0\n${rewrite}`,
  ],
  [
    "a chart without a registry",
    `version: 1\nmodules: []\ncharts:\n  - {chart: web, version: 1.0.0, digest: "${hash}"}\n`,
    `4:5: A chart isn't in a registry or a Helm repository, or has no exact version\n  chart: web 1.0.0\n${rewrite}`,
  ],
  [
    "a module twice, as after a merge",
    `version: 1\nmodules:\n  - {${one}}\n  - {${one}}\n`,
    `4:5: Module github.com/acme/a at "v1" is locked twice\n  and qvs.lock:3:5\n${rewrite}`,
  ],
])("a lockfile that is %s", (_, text, expected) => {
  const read = parseLockfile("qvs.lock", text);
  const verdict = read.ok ? "accepted" : read.problems.map(describeProblem).join("\n");
  expect(verdict).toBe(`qvs.lock:${expected}`);
});

test("a lockfile that is a bomb of aliases is rejected", { tags: "slow" }, () => {
  const levels = ["b", "c", "d", "e"].map((name, index) => {
    const before = `*${"abcd"[index]}`;
    return `${name}: &${name} [${Array(8).fill(before).join()}]`;
  });
  const text = ["version: 1", "a: &a [1,1,1,1,1,1,1,1]", ...levels].join("\n");
  const read = parseLockfile("qvs.lock", `${text}\nmodules: [${Array(8).fill("*e").join()}]`);
  const verdict = read.ok ? "accepted" : read.problems.map(describeProblem).join("\n");
  expect(verdict).toContain("too many levels or values");
});

test("changes are reported in the order of the file", () => {
  const other = "2".repeat(40);
  const after = [
    entry({ commit: other }),
    entry({ repository: "github.com/acme/b", hash: `${hash.slice(0, -1)}b` }),
    entry({ repository: "github.com/acme/c", path: "x" }),
  ];
  const before = [entry({}), entry({ repository: "github.com/acme/b" }), entry({ revision: "v0" })];
  expect(compareLockfiles(modulesOnly(before), modulesOnly(after)).map(describeLockChange)).toEqual(
    [
      "- github.com/acme/a v0: no longer used",
      `~ github.com/acme/a v1: ${digits} → ${other}`,
      `~ github.com/acme/b v1: ${digits}, with a new hash`,
      `+ github.com/acme/c (x) v1: ${digits}`,
    ],
  );
});

test.each([
  [".valuestream/qvs.yaml", ".valuestream/qvs.lock"],
  ["shop/.valuestream/qvs_eu.yaml", "shop/.valuestream/qvs.lock"],
  ["qvs.yaml", "qvs.lock"],
])("the lockfile of %s is %s", (config, lock) => expect(lockfilePath(config)).toBe(lock));
