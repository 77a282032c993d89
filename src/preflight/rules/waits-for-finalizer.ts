import { customFinalizers } from "../../model/cluster/pending-deletion.ts";
import { idOf, type KubeObject, nameOf } from "../../model/object.ts";
import type { Finding } from "../../model/problems/finding.ts";
import { summarizeList } from "../../model/text/suggest.ts";
import { findingWithoutPlace, type PreflightInput } from "../rule.ts";

/**
 * Reports deleted and replaced objects with finalizers of other tools. The deployment waits for
 * such a deletion, and fails at the timeout if the controller of the finalizer doesn't run. Whether
 * it runs can't be known, so this is a note.
 */
export function waitsForFinalizer({ plan }: PreflightInput): readonly Finding[] {
  const replaced = plan.changes.flatMap(({ action, live }) =>
    action === "replace" && live !== undefined ? [live] : [],
  );
  return [...replaced, ...plan.deletions.map(({ live }) => live)].flatMap(finalizerFinding);
}

function finalizerFinding(live: KubeObject): readonly Finding[] {
  const finalizers = customFinalizers(live);
  if (finalizers.length === 0) return [];
  return [
    findingWithoutPlace(live, {
      ...{ code: "waits-for-finalizer", severity: "note" },
      what: `the deletion of ${nameOf(idOf(live))} waits for another controller`,
      why: `The API server deletes it after that controller has removed ${summarizeList(finalizers, maxFinalizers)} from metadata.finalizers. Until then the deployment waits, and it fails at the timeout`,
      fix: "Check that this controller runs",
    }),
  ];
}

const maxFinalizers = 3;
