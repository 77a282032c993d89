import { knownLater } from "../../model/apply-time-reference.ts";
import { flawOfImage } from "../../model/cluster/image-name.ts";
import { addressOf, nameOf } from "../../model/object.ts";
import type { Finding } from "../../model/problems/finding.ts";
import { declaredAt } from "../../model/problems/problem.ts";
import { imageIn } from "../field-of.ts";
import { newImages } from "../new-images.ts";
import { awaitsPods, plannedPods } from "../planned-pods.ts";
import type { PreflightInput } from "../rule.ts";

/** The API server takes any text for an image, and no node ever starts a container of one that it can't parse. */
export function invalidImage({ plan, placeOf }: PreflightInput): readonly Finding[] {
  return plannedPods(plan.changes).flatMap((pods) => {
    const { change } = pods;
    return newImages(pods).flatMap((image): readonly Finding[] => {
      // Of what comes later, or is hidden, nobody knows the form.
      if (image === "" || image.includes(knownLater)) return [];
      const flaw = flawOfImage(image);
      if (flaw === undefined) return [];
      return [
        {
          code: "invalid-image",
          severity: awaitsPods(change) ? "error" : "warning",
          object: addressOf(change.desired),
          what: `${nameOf(change.id)}: no node can pull ${JSON.stringify(inShort(image))}`,
          why: `${flaw}, so each of its Pods waits with InvalidImageName`,
          fix: "Correct the name of the image, such as registry.example/team/web:1.2.3",
          path: imageIn(image, change.desired),
          where: declaredAt({ where: placeOf(change.key) }),
        },
      ];
    });
  });
}

const mostCharacters = 120;

function inShort(image: string): string {
  return image.length > mostCharacters ? `${image.slice(0, mostCharacters - 1)}…` : image;
}
