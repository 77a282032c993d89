import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { isRepositoryArgument } from "../support/platform/npm-argument.ts";

interface Step {
  readonly name: string;
  readonly run?: string;
}

interface Job {
  readonly steps: readonly Step[];
}

const root = join(import.meta.dirname, "../..");
const { jobs }: { readonly jobs: Readonly<Record<string, Job>> } = parse(
  readFileSync(join(root, ".github/workflows/release.yml"), "utf8"),
);
const publish = jobs.publish?.steps ?? [];
const indexOf = (pattern: RegExp) => publish.findIndex(({ run }) => pattern.test(run ?? ""));

test.each([
  ["packed/qvs-action-1.2.3.tgz", true],
  ["acme/shop#main", true],
  ["./packed/qvs-action-1.2.3.tgz", false],
  ["/tmp/packed/qvs-action-1.2.3.tgz", false],
  ["a/packed/qvs-action-1.2.3.tgz", false],
  ["qvs-action-1.2.3.tgz", false],
])("npm reads %s as a repository: %s", (argument, expected) => {
  expect(isRepositoryArgument(argument)).toBe(expected);
});

test("the release publishes a file, not a repository of another owner", () => {
  const [, argument = ""] =
    /npm publish .* (\S+)$/m.exec(publish[indexOf(/npm publish/)]?.run ?? "") ?? [];
  expect(argument).toMatch(/\.tgz$/);
  expect(isRepositoryArgument(argument.replace("*", "qvs-action-1.2.3"))).toBe(false);
});

test("the GitHub release exists before the package, and a second attempt skips it", () => {
  expect(indexOf(/gh release create/)).toBeGreaterThan(-1);
  expect(indexOf(/gh release create/)).toBeLessThan(indexOf(/npm publish/));
  expect(publish[indexOf(/gh release create/)]?.run).toMatch(/^gh release view .* \|\|\n/);
});
