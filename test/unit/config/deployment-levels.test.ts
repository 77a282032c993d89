import { expect, test } from "vitest";
import { deploymentLevels, levelsForDeletion } from "../../../src/config/deployment-levels.ts";
import { appendDeletionLevels, buildMatrix, type Matrix } from "../../../src/config/matrix.ts";
import type { Deployment } from "../../../src/model/deployments/deployment.ts";
import { shopDeployment } from "../../support/shop/shop-report.ts";

/**
 * Parses lines such as `web <- api, database`: a deployment with its dependencies. A `*` marks
 * changed deployments.
 */
function parse(lines: string): { all: Deployment[]; changed: Deployment[] } {
  const all: Deployment[] = [];
  const changed: Deployment[] = [];
  for (const line of lines.trim().split("\n")) {
    const [marked = "", before = ""] = line.trim().split(" <- ");
    const name = marked.replace("*", "");
    const dependsOn = before === "" ? [] : before.split(", ");
    const deployment = shopDeployment({ name, dependsOn });
    all.push(deployment);
    if (marked.endsWith("*")) changed.push(deployment);
  }
  return { all, changed };
}

const cases: readonly (readonly [name: string, list: string, levels: string])[] = [
  ["deployments without dependencies are in one level, by name", "web*\napi*", "api, web"],
  ["no changed deployment has no level", "web\napi <- web", ""],
  ["staging, then production", "production* <- staging\nstaging*", "staging | production"],
  ["a diamond", "d* <- b, c\nb* <- a\nc* <- a\na*", "a | b, c | d"],
  ["the longest path counts", "d* <- a, c\nc* <- b\nb* <- a\na*\ne*", "a, e | b | c | d"],
  [
    "an unchanged deployment still orders its neighbors",
    "web* <- api\napi <- queue\nqueue <- database\ndatabase*",
    "database | web",
  ],
  ["an unchanged deployment has no level", "c* <- b\nb <- a\na\nd*", "c, d"],
  ["along two paths of unchanged ones", "e* <- c, d\nc <- a\nd <- b\na*\nb* <- a", "a | b | e"],
];

test.each(cases)("%s", (_, list, expected) => {
  const { all, changed } = parse(list);
  const levelNames = deploymentLevels(changed, all).map((level) =>
    level.map(({ name }) => name).join(", "),
  );
  expect(levelNames.join(" | ")).toBe(expected);
  // A deployment is deleted before its dependencies.
  expect(levelsForDeletion(changed, all)).toEqual(deploymentLevels(changed, all).toReversed());
  expect(deploymentLevels(changed.toReversed(), all.toReversed())).toEqual(
    deploymentLevels(changed, all),
  );
});

test("a chain can be longer than the stack", () => {
  const chain = many(10_000, (index) => ({
    dependsOn: index === 0 ? [] : [`d${String(index - 1).padStart(4, "0")}`],
  }));
  expect(deploymentLevels(chain, chain)).toHaveLength(10_000);
});

test("a chain of a thousand and a thousand with a shared dependency form levels", () => {
  const names = Array.from({ length: 1000 }, (_, index) => `d${index}`);
  const chain = names.map((name, index) =>
    shopDeployment({ name, dependsOn: index === 0 ? [] : [`d${index - 1}`] }),
  );
  expect(deploymentLevels(chain, chain)).toHaveLength(1000);
  const fan = names.map((name, index) =>
    shopDeployment({ name, dependsOn: index === 0 ? [] : ["d0"] }),
  );
  expect(deploymentLevels(fan, fan).map(({ length }) => length)).toEqual([1, 999]);
});

function many(count: number, change: (index: number) => Partial<Deployment> = () => ({})) {
  return Array.from({ length: count }, (_, index) =>
    shopDeployment({ name: `d${String(index).padStart(4, "0")}`, ...change(index) }),
  );
}

/** Returns the number of jobs, the number of deployments in the largest job, and the total. */
function sizes(level: readonly Deployment[]): string {
  const matrix = buildMatrix([level]);
  if (!matrix.ok) return matrix.problems.map(({ what }) => what).join("\n");
  const counts = matrix.value.levels[0]?.jobs.map(({ deployments }) => deployments.length) ?? [];
  const all = counts.reduce((sum, count) => sum + count, 0);
  return `${counts.length} jobs of up to ${Math.max(...counts)}, ${all} deployments`;
}

test("each deployment has its own job if the matrix has room", () => {
  const production = shopDeployment({
    name: "shop-production",
    environment: "production",
    context: "eu",
    namespace: "shop",
  });
  const platform = shopDeployment({ name: "platform", namespace: "kube-system" });
  expect(buildMatrix([[platform], [production]])).toEqual({
    ok: true,
    value: {
      levels: [
        {
          jobs: [
            {
              name: "platform",
              environment: platform.environment ?? "",
              context: platform.context ?? "",
              namespace: "kube-system",
              deployments: ["platform"],
              group: "qvs-platform",
            },
          ],
        },
        {
          jobs: [
            {
              name: "shop-production",
              environment: "production",
              context: "eu",
              namespace: "shop",
              deployments: ["shop-production"],
              group: "qvs-shop-production",
            },
          ],
        },
      ],
    },
  });
  expect(sizes(many(256))).toBe("256 jobs of up to 1, 256 deployments");
});

test("previews of one environment and context share a job", () => {
  const level = many(300, (index) => ({
    environment: index % 3 === 0 ? "production" : "staging",
    context: index % 5 === 0 ? "eu" : "us",
  }));
  const matrix = buildMatrix([level], "place");
  expect(matrix.ok && matrix.value.levels[0]?.jobs.map(placeAndSize)).toEqual([
    "d0000.and-19-more: production eu 20",
    "d0001.and-159-more: staging us 160",
    "d0003.and-79-more: production us 80",
    "d0005.and-39-more: staging eu 40",
  ]);
});

function placeAndSize({ name, environment, context, deployments }: MatrixJob): string {
  return `${name}: ${environment} ${context} ${deployments.length}`;
}

type MatrixJob = Matrix["levels"][number]["jobs"][number];

test("more deployments share jobs evenly, within their environment and context", () => {
  expect(sizes(many(257))).toBe("129 jobs of up to 2, 257 deployments");
  expect(sizes(many(1000))).toBe("250 jobs of up to 4, 1000 deployments");
  const mixed = many(1000, (index) => ({
    environment: index % 3 === 0 ? "production" : "staging",
    context: `cluster-${index % 5}`,
  }));
  const matrix = buildMatrix([mixed]);
  const jobs = matrix.ok ? (matrix.value.levels[0]?.jobs ?? []) : [];
  expect(jobs.length).toBeLessThanOrEqual(256);
  expect(new Set(jobs.map(({ name }) => name)).size).toBe(jobs.length);
  expect(jobs.flatMap(({ deployments }) => deployments).toSorted()).toEqual(
    mixed.map(({ name }) => name),
  );
  for (const { environment, context, deployments } of jobs) {
    const own = mixed.filter(({ name }) => deployments.includes(name));
    expect(new Set(own.map((each) => each.environment))).toEqual(new Set([environment]));
    expect(new Set(own.map((each) => each.context))).toEqual(new Set([context]));
  }
});

test("too many deployments for a workflow are an error", () => {
  expect(sizes(many(257, (index) => ({ environment: `e${index}` })))).toBe(
    "Level 0 needs 257 jobs",
  );
  const deep = buildMatrix(many(11).map((each) => [each]));
  expect(deep.ok ? [] : deep.problems.map(({ what, facts }) => [what, facts])).toEqual([
    [
      "The changed deployments form 11 levels of dependencies",
      [
        { label: "limit", value: "10 levels in the workflow" },
        { label: "last level", value: '"d0010"' },
      ],
    ],
  ]);
});

test("deletions are last, and are skipped if the workflow has no level for them", () => {
  const levels = (number: number, name: string) =>
    Array.from({ length: number }, (_, i) => [shopDeployment({ name: `${name}${i}` })]);
  const levelNames = (deploying: number, deleting: number) => {
    const found = appendDeletionLevels(levels(deploying, "new"), levels(deleting, "old"));
    const names = found.levels.flat().map(({ name }) => name);
    return `${names.join(" ")}; ${found.withoutRoom.map(({ name }) => name).join(" ")}`;
  };
  expect(levelNames(1, 2)).toBe("new0 old0 old1; ");
  expect(levelNames(0, 0)).toBe("; ");
  expect(levelNames(8, 3)).toBe("new0 new1 new2 new3 new4 new5 new6 new7; old0 old1 old2");
});
