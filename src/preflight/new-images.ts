import { imagesOf, podSpecOf } from "../model/cluster/pods.ts";
import type { PlannedPods } from "./planned-pods.ts";

/** Only images that come with this plan, each once: what runs already is no news. */
export function newImages({ change, spec }: PlannedPods): readonly string[] {
  const before = change.live === undefined ? undefined : podSpecOf(change.live)?.spec;
  const running = new Set(before === undefined ? [] : imagesOf(before));
  return [...new Set(imagesOf(spec))].filter((image) => !running.has(image));
}
