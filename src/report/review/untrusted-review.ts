import type { ArtifactSource, Review } from "./review.ts";

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
