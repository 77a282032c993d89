import type { Json } from "../../../src/model/json.ts";
import { readReview, untrustedReview } from "../../../src/report/review/read-review.ts";
import type { Review } from "../../../src/report/review/review.ts";
import { commentCases } from "./comment-cases.ts";
import { storedReview } from "./rendered.ts";

/**
 * The fields of a review that its author can't choose: fixed words, and values that the reader
 * checks or sets.
 */
const fixed = new Set(["code", "severity", "action", "source", "digest", "headCommit"]);
const known = new Set(["runUrl", "repositoryUrl", "previewArtifact"]);

/** Cases that together have all parts of a review. */
const chosen = new Set([
  "checks between the changes",
  "a conflict with an autoscaler of the deployment",
  "a parameter with fields",
  "a field that is left to another manager",
  "another version of a kind",
  "findings of every kind",
  "an object that is recreated",
  "a manual change in the cluster",
  "a config that does not compile",
]);

/** Returns a fork's artifact in which every free string is this text. */
export function hostileReview(text: string): Review {
  const cases = commentCases.filter(({ name }) => chosen.has(name)).map(({ input }) => input);
  const [first] = cases;
  if (first === undefined || cases.length < chosen.size) throw new Error("No case exists.");
  const deployments = cases.flatMap((each) => each.deployments);
  const modules = [{ name: "module", before: "v1", after: "v2" }];
  const previewProblems = cases.flatMap((each) => each.previewProblems ?? []);
  const whole = storedReview({ ...first, deployments, previewProblems });
  const all = { ...whole, deployments: whole.deployments.map((each) => ({ ...each, modules })) };
  const read = readReview(JSON.stringify(replaced(all as unknown as Json, text)), "plan.json");
  if (!read.ok) throw new Error(read.problems.map(({ what }) => what).join("\n"));
  return untrustedReview(read.value, { repository: text, isFork: true });
}

function replaced(value: Json, text: string, name = ""): Json {
  if (typeof value === "string") return fixed.has(name) || known.has(name) ? value : text;
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((item: Json) => replaced(item, text, name));
  return Object.fromEntries(
    Object.entries(value).map(([field, inner]) => [field, replaced(inner, text, field)]),
  );
}
