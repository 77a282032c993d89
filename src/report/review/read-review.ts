import * as v from "valibot";
import { failed, ok, type Result } from "../../model/problems/problem.ts";
import type { ArtifactSource, Review } from "./review.ts";
import { reviewSchema } from "./review-schema.ts";

/** A review nests less. qvs rejects a deeper document before it reads the content. */
const maxLevels = 16;
/** Names that every object inherits. A review has none of them. */
const inherited = new Set(["__proto__", "constructor", "prototype"]);

/**
 * Parses the review in an untrusted plan.json. `file` is its name for messages.
 * Messages repeat nothing of its content.
 */
export function readReview(json: string, file: string): Result<Review> {
  const parsed = parse(json);
  if (parsed === undefined) return refused(file, "It isn't JSON");
  const violation = findViolation(parsed.value, maxLevels);
  if (violation !== undefined) return refused(file, violation);
  const read = v.safeParse(reviewSchema, parsed.value);
  if (read.success) return ok(read.output);
  const place = v.getDotPath(read.issues[0]) ?? "its top level";
  return refused(file, `The value at ${place} doesn't match version 1 of the format`);
}

function parse(json: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(json) };
  } catch {
    return undefined;
  }
}

/** Returns an error that a schema wouldn't find: too many levels, or inherited names. */
function findViolation(value: unknown, levels: number): string | undefined {
  if (levels === 0) return `It has more than ${maxLevels} levels`;
  if (typeof value !== "object" || value === null) return undefined;
  for (const [name, inner] of Object.entries(value)) {
    if (inherited.has(name)) return `It has a field with the name ${name}`;
    const violation = findViolation(inner, levels - 1);
    if (violation !== undefined) return violation;
  }
  return undefined;
}

function refused(file: string, why: string): Result<Review> {
  const what = `"${file}" can't be read`;
  const fix = "Write and read the file with the same version of the Action, and don't change it";
  return failed([{ code: "plan-file-rejected", where: [], what, why, fix }]);
}

/**
 * Returns a review from an artifact that the author of the pull request can write.
 * It names its source, and nothing in it can be approved. A fork's run has no cluster access, so
 * its statements about the cluster are dropped.
 */
export function untrustedReview(review: Review, artifactOf: ArtifactSource): Review {
  const deployments = review.deployments.map(
    ({ digest: _digest, operations: _operations, ...deployment }) => {
      if (!artifactOf.isFork) return deployment;
      const { release: _release, origin: _origin, rollback: _rollback, ...rest } = deployment;
      const unchecked = { notComparedBecause: noCredentials, isFork: true } as const;
      return { ...rest, isFirst: false, isOfCommits: true, ...unchecked };
    },
  );
  return { ...review, deployments, artifactOf };
}

export const noCredentials = "pull requests from forks get no credentials";
