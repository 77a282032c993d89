import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { deploymentLevels } from "../../../src/config/deployment-levels.ts";
import { buildMatrix, type Matrix } from "../../../src/config/matrix.ts";
import type { Deployment } from "../../../src/model/deployments/deployment.ts";
import { shopDeployment } from "../../support/shop/shop-report.ts";

/**
 * Compares the tables of docs/project/performance.md with deploy.yml for a push that changes all
 * deployments of a fleet.
 */
const page = readFileSync(
  join(import.meta.dirname, "../../../docs/project/performance.md"),
  "utf8",
);

/**
 * The requests outside the jobs of a level. test/unit/action/fleet.long.test.ts counts every
 * request of 300 deployments.
 */
const requestsOfListAndReport = 6;
/** The number of parallel jobs on the free plan. */
const atOnce = 20;

/**
 * Creates `size` deployments in equal levels. Each one waits for one of the previous level; a third
 * of each level is production.
 */
function fleet(size: number, levels: number): readonly Deployment[] {
  const perLevel = size / levels;
  return Array.from({ length: size }, (_, index) =>
    shopDeployment({
      name: nameOf(index),
      environment: index % 3 === 0 ? "production" : "staging",
      dependsOn: index < perLevel ? [] : [nameOf(index - perLevel)],
    }),
  );
}

function nameOf(index: number): string {
  return `app-${String(index).padStart(4, "0")}`;
}

function figures({ levels }: Matrix): readonly number[] {
  const sizes = levels.map(({ jobs }) => jobs.length);
  const jobs = sizes.reduce((sum, size) => sum + size, 0);
  const approvals = levels.map((level) => new Set(level.jobs.map((job) => job.environment)).size);
  return [
    jobs + 2,
    Math.max(...sizes),
    Math.max(...levels.flatMap((level) => level.jobs.map((job) => job.deployments.length))),
    approvals.reduce((sum, each) => sum + each, 0),
    sizes.reduce((sum, size) => sum + Math.ceil(size / atOnce), 0),
    jobs + requestsOfListAndReport,
  ];
}

test.each([
  [100, 10],
  [300, 10],
  [1000, 10],
  [1000, 2],
])("the page has the measurements for %i deployments in %i levels", (size, levels) => {
  const all = fleet(size, levels);
  const matrix = buildMatrix(deploymentLevels(all, all));
  if (!matrix.ok) throw new Error(matrix.problems.map(({ what }) => what).join("\n"));
  const fleetName = `${size.toLocaleString("en")} in ${levels} levels`;
  const cells = figures(matrix.value).map((each) => each.toLocaleString("en"));
  // Two tables of the page have three figures each.
  for (const half of [cells.slice(0, 3), cells.slice(3)]) {
    expect(page).toContain(`| ${[fleetName, ...half].join(" | ")} |\n`);
  }
});
