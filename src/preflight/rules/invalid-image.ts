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
 * Reports images that no node can parse.
 * The API server accepts any string as an image, but the kubelet never starts such a container.
 * If qvs has dry-run a Pod, it checks the images of that Pod, because admission can change them.
 * It also checks unchanged objects, because their Pods fail too.
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

/**
 * Reports whether qvs can check an image.
 * The form of a value known after deploy is unknown. The API server rejects Pods with leading or
 * trailing spaces itself.
 */
function isJudged(image: string): boolean {
  return image === image.trim() && image !== "" && !image.includes(knownLater);
}
