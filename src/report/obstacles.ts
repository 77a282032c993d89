import type { Problem } from "../model/problem.ts";
import { renderProblems } from "./problems.ts";

/** The whole comment of a pull request that can't be previewed: an older preview must not stay and look valid. */
export function renderObstacles(obstacles: readonly Problem[]): string {
  return `## 🛑 This pull request can't be previewed\n\n**Because:**\n\n${renderProblems(obstacles)}`;
}
