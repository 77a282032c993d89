import { containerImages, podSpecOf } from "../../model/cluster/pods.ts";
import { nameOf } from "../../model/object.ts";
import type { Finding } from "../../model/problems/finding.ts";
import { summarizeList } from "../../model/text/suggest.ts";
import { imagePath } from "../field-paths.ts";
import { type PlannedPods, plannedPods } from "../planned-pods.ts";
import { changeFinding, type PreflightInput } from "../rule.ts";

const maxImages = 3;

/** Reports images without a fixed version. It skips images that the live object already uses. */
export function imageNotPinned({ plan, placeOf }: PreflightInput): readonly Finding[] {
  return plannedPods(plan.changes).flatMap((pods): readonly Finding[] => {
    const { change } = pods;
    const images = newImages(pods).filter(isFloating);
    const [first] = images;
    if (first === undefined) return [];
    const many = images.length > 1;
    return [
      changeFinding(change, placeOf, {
        code: "image-not-pinned",
        severity: "warning",
        what: `${nameOf(change.id)}: ${summarizeList(images, maxImages)} ${many ? "have" : "has"} no fixed version`,
        why: `A node pulls the version of ${first} that has the tag latest in the registry at that time`,
        fix: "Add a version tag or a digest to the image name",
        path: imagePath(first, change.desired),
      }),
    ];
  });
}

function newImages({ change, spec }: PlannedPods): readonly string[] {
  const before = change.live === undefined ? undefined : podSpecOf(change.live)?.spec;
  const running = new Set(before === undefined ? [] : containerImages(before));
  return [...new Set(containerImages(spec))].filter((image) => !running.has(image));
}

/**
 * Reports whether an image has the tag `latest` or no tag.
 * It skips strings that aren't image references, such as values known after deploy.
 */
function isFloating(image: string): boolean {
  if (!/^[\w.:/@-]+$/.test(image) || image.includes("@")) return false;
  return (imageTag(image) ?? "latest") === "latest";
}

/**
 * Returns the tag: `registry:5000/web:1` → `1`.
 * A colon before the last slash belongs to a port.
 */
function imageTag(image: string): string | undefined {
  return /:([^:/]+)$/.exec(image)?.[1];
}
