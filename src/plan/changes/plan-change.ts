import { withSecretKind } from "../../model/apply-time-reference.ts";
import { type KubeObject, withMetadata } from "../../model/object.ts";
import { type Change, summarizeAction } from "../../model/plan.ts";
import type { Problem } from "../../model/problems/problem.ts";
import { canContainSecrets } from "../../redaction/sensitive-object.ts";
import { showableWarning } from "../../redaction/showable-rejection.ts";
import type { DesiredObject } from "../declared/objects.ts";
import { visiblePart } from "../ownership/visible-part.ts";
import type { PlanInput } from "../plan-input.ts";
import { withClaimGrowth } from "./claim-growth.ts";
import type { PendingCrds } from "./crds/pending-crds.ts";
import { isWithheld } from "./decide-by-dry-run.ts";
import { decideVerdict } from "./decide-verdict.ts";

export interface PlannedChange {
  readonly change: Change;
  readonly problems: readonly Problem[];
}

/** Plans the change of one declared object, with the errors that block it. */
export function planChange(
  desired: DesiredObject,
  input: PlanInput,
  pendingCrds: PendingCrds,
): PlannedChange {
  const live = input.observed.live.get(desired.key);
  const verdict = withClaimGrowth(decideVerdict(desired, live, input, pendingCrds), desired, input);
  const { steps, predicted, certainty, problems } = verdict;
  const action = summarizeAction(steps, live);
  const { key, id, stage, resource } = desired;
  const { object, applyTimeReferences } = action === "replace" ? desired.recreated : desired;
  const {
    ignoredSecretFields,
    previousSecretValues,
    manifestStrings: written,
    dryRunSkipped,
  } = desired;
  const change: Change = {
    key,
    id,
    stage,
    resource,
    action,
    steps,
    desired: action === "update" ? pinVersion(object, desired.ignoring?.resourceVersion) : object,
    live,
    predicted,
    certainty,
    after: input.desired.edges.get(key) ?? [],
    ...(desired.hook === undefined ? {} : { hook: desired.hook }),
    ...(action === "update" ? keptFields(desired) : {}),
    ...{
      applyTimeReferences,
      ignoredSecretFields,
      previousSecretValues,
      manifestStrings: written,
      dryRunSkipped,
    },
    ...showableWarnings(desired, input),
  };
  const redacted = visiblePart(change, input.rules.deployment, input.desired.foreign.get(key));
  return {
    change: redacted === undefined ? change : { ...change, redacted },
    problems: problems ?? [],
  };
}

function showableWarnings(desired: DesiredObject, input: PlanInput): Pick<Change, "warnings"> {
  const { warnings = [] } = input.observed.dryRuns.get(desired.key) ?? {};
  if (warnings.length === 0) return {};
  const withheld = isWithheld(desired, input);
  const canQuote = !withheld && !canContainSecrets(withSecretKind(desired.object, desired));
  const texts = warnings.map((text) => showableWarning(text, desired.object, canQuote));
  return { warnings: [...new Set(texts)] };
}

function keptFields({ ignoring }: DesiredObject): Pick<Change, "keeps"> {
  return ignoring?.resourceVersion === undefined ? {} : { keeps: ignoring.paths };
}

function pinVersion(object: KubeObject, resourceVersion: string | undefined): KubeObject {
  if (resourceVersion === undefined) return object;
  return withMetadata(object, { resourceVersion });
}
