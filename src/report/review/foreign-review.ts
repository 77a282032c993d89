import type { ArtifactSource, Review } from "./review.ts";

/**
 * A review of an artifact that whoever opened the pull request may have written: it says where it is from, and nothing in it can be
 * approved. What a fork's run says of a cluster is not believed either, since it has none.
 */
export function foreignReview(review: Review, artifactOf: ArtifactSource): Review {
  const deployments = review.deployments.map(
    ({ digest: _digest, operations: _operations, ...deployment }) => {
      if (!artifactOf.isFork) return deployment;
      const { release: _release, origin: _origin, ...rest } = deployment;
      return { ...rest, isFirst: false, isOfCommits: true, notComparedBecause: noCredentials };
    },
  );
  return { ...review, deployments, artifactOf };
}

export const noCredentials = "pull requests from forks get no credentials";
