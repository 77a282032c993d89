import { inlineCode, type Phrase, say } from "../../redaction/phrase.ts";
import type { Review } from "../review/review.ts";

/** Returns a warning if a review comes from an artifact, otherwise undefined. */
export function describeArtifact({ artifactOf }: Review): Phrase | undefined {
  if (artifactOf === undefined) return undefined;
  const { repository, isFork } = artifactOf;
  if (!isFork) {
    return say`This preview comes from an artifact of a Dependabot run. It doesn't approve any plan.`;
  }
  return say`This preview comes from an artifact of a run in the fork ${inlineCode(repository)}. The author of this pull request can change it. qvs didn't compare it with the cluster, and it doesn't approve any plan. Review the changed files, too.`;
}
