import type { DeploymentOutcome } from "../../commands/deploy-changed.ts";
import { urlAnnotation } from "../../model/annotations.ts";
import { textAt } from "../../model/json.ts";
import type { Plan } from "../../model/plan.ts";
import { deployedPlan } from "./count-outputs.ts";

/** Returns the application's address from the annotation of an object. */
export function applicationUrl({ changes }: Plan): string | undefined {
  const found = changes.map(({ desired }) =>
    textAt(desired, "metadata", "annotations", urlAnnotation),
  );
  return found.find((url) => url !== undefined && /^https?:\/\/[^\s]+$/.test(url));
}

/** Returns the only address of the deployed applications; undefined if there is none or several. */
export function onlyApplicationUrl(all: readonly DeploymentOutcome[]): string | undefined {
  const urls = all.flatMap((each) => {
    const plan = deployedPlan(each);
    return plan === undefined ? [] : (applicationUrl(plan) ?? []);
  });
  const [only, ...others] = new Set(urls);
  return others.length === 0 ? only : undefined;
}
