import { knownLater } from "../../model/apply-time-reference.ts";
import { flawOfImage } from "../../model/cluster/image-name.ts";
import { imagesOf } from "../../model/cluster/pods.ts";
import { addressOf, nameOf } from "../../model/object.ts";
import type { Finding } from "../../model/problems/finding.ts";
import { declaredAt } from "../../model/problems/problem.ts";
import { imageIn } from "../field-of.ts";
import { keepsOldPods, plannedPods, specOfOnePod } from "../planned-pods.ts";
import { awaitsPodsOnNodes } from "../rollouts/daemon-nodes.ts";
import type { PreflightInput } from "../rule.ts";

/**
 * The API server takes any text for an image, and no node ever starts a container of one that it can't parse. Where a Pod was dry-run its
 * images count: admission may have put others in their place. What is live already failed before, and will again.
 */
export function invalidImage({ plan, facts, placeOf }: PreflightInput): readonly Finding[] {
  const makers = plannedPods(plan.changes).filter(({ change }) => change.id.kind !== "PodTemplate");
  return makers.flatMap(({ change }) => {
    const isRolled = change.live === undefined || !keepsOldPods(change.desired);
    const images = imagesOf(specOfOnePod(change, facts) ?? {});
    return [...new Set(images)].flatMap((image): readonly Finding[] => {
      const flaw = isJudged(image) ? flawOfImage(image) : undefined;
      if (flaw === undefined) return [];
      return [
        {
          code: "invalid-image",
          severity: awaitsPodsOnNodes(change, facts) && isRolled ? "error" : "warning",
          object: addressOf(change.desired),
          what: `${nameOf(change.id)}: no node can pull ${JSON.stringify(image)}`,
          why: `${flaw}, so each of its Pods waits with InvalidImageName`,
          fix: "Correct the name of the image, such as registry.example/team/web:1.2.3",
          path: imageIn(image, change.desired),
          where: declaredAt({ where: placeOf(change.key) }),
        },
      ];
    });
  });
}

/** Of what comes later nobody knows the form; what begins or ends with a space the server refuses in every Pod. */
function isJudged(image: string): boolean {
  return image === image.trim() && image !== "" && !image.includes(knownLater);
}
