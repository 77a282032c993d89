import { named, type Phrase, say } from "../../redaction/phrase.ts";
import type { Review } from "../review/review.ts";

/** Returns a warning if a review comes from an artifact, otherwise undefined. */
export function describeArtifact({ artifactOf }: Review): Phrase | undefined {
  if (artifactOf === undefined) return undefined;
  const { repository, isFork } = artifactOf;
  if (!isFork) {
    return say`From an artifact that a run of Dependabot has left. It approves nothing.`;
  }
  return say`From an artifact that a run of the fork ${named(repository)} has left, which whoever opened this pull request can change. Nobody has compared it with the cluster, and it approves nothing: read the changed files as well.`;
}
