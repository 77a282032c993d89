import { knownAfterDeploy } from "../../model/apply-time-reference.ts";
import { imageNameError } from "../../model/cluster/image-name.ts";
import { containerImages } from "../../model/cluster/pods.ts";
import { nameOf } from "../../model/object.ts";
import type { Finding } from "../../model/problems/finding.ts";
import { imagePath } from "../field-paths.ts";
import { keepsOldPods, plannedPods, samplePodSpec } from "../planned-pods.ts";
import { awaitsPodsOnNodes } from "../rollouts/daemon-set-controller.ts";
import { changeFinding, type PreflightInput } from "../rule.ts";
import { capitalize } from "./sentences.ts";

/**
 * Reports images that no node can parse.
 * The API server accepts any string as an image, but the kubelet never starts such a container.
 * If qvs has dry-run a Pod, it checks the images of that Pod, because admission can change them.
 * It also checks unchanged objects, because their Pods fail too.
 */
export function invalidImage({ plan, facts, placeOf }: PreflightInput): readonly Finding[] {
  const workloads = plannedPods(plan.changes).filter(
    ({ change }) => change.id.kind !== "PodTemplate",
  );
  return workloads.flatMap(({ change }) => {
    const isRolled = change.live === undefined || !keepsOldPods(change.desired);
    const images = containerImages(samplePodSpec(change, facts) ?? {});
    return [...new Set(images)].flatMap((image): readonly Finding[] => {
      const flaw = isCheckable(image) ? imageNameError(image) : undefined;
      if (flaw === undefined) return [];
      return [
        changeFinding(change, placeOf, {
          code: "invalid-image",
          severity: awaitsPodsOnNodes(change, facts) && isRolled ? "error" : "warning",
          what: `${nameOf(change.id)}: no node can pull ${JSON.stringify(image)}`,
          why: `${capitalize(flaw)}. Each of its Pods waits with InvalidImageName`,
          fix: "Correct the image name, for example registry.example/team/web:1.2.3",
          path: imagePath(image, change.desired),
        }),
      ];
    });
  });
}

/**
 * Reports whether qvs can check an image.
 * The form of a value known after deploy is unknown. The API server rejects Pods with leading or
 * trailing spaces itself.
 */
function isCheckable(image: string): boolean {
  return image === image.trim() && image !== "" && !image.includes(knownAfterDeploy);
}
