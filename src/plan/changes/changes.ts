import { withSecretKind } from "../../model/apply-time-reference.ts";
import { type KubeObject, withMetadata } from "../../model/object.ts";
import { type Change, summarizeAction } from "../../model/plan.ts";
import type { Problem } from "../../model/problems/problem.ts";
import { mayHoldSecrets } from "../../redaction/secret-like.ts";
import { showableWarning } from "../../redaction/showable-warning.ts";
import type { DesiredObject } from "../declared/objects.ts";
import { shownPart } from "../ownership/shown-part.ts";
import type { PlanInput } from "../plan-input.ts";
import type { ComingDefinitions } from "./definitions/coming-definitions.ts";
import { judge } from "./judge.ts";
import { isWithheld } from "./judge-dry-run.ts";

export interface PlannedChange {
  readonly change: Change;
  readonly problems: readonly Problem[];
}

/** Plans the change of one declared object, with the errors that block it. */
export function planChange(
  desired: DesiredObject,
  input: PlanInput,
  definitions: ComingDefinitions,
): PlannedChange {
  const live = input.observed.live.get(desired.key);
  const verdict = judge(desired, live, input, definitions);
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
    desired: action === "update" ? pinned(object, desired.ignoring?.resourceVersion) : object,
    live,
    predicted,
    certainty,
    after: input.desired.edges.get(key) ?? [],
    ...(action === "update" ? keptIn(desired) : {}),
    ...{
      applyTimeReferences,
      ignoredSecretFields,
      previousSecretValues,
      manifestStrings: written,
      dryRunSkipped,
    },
    ...warningsOf(desired, input),
  };
  const redacted = shownPart(change, input.rules.deployment, input.desired.foreign.get(key));
  return {
    change: redacted === undefined ? change : { ...change, redacted },
    problems: problems ?? [],
  };
}

function warningsOf(desired: DesiredObject, input: PlanInput): Pick<Change, "warnings"> {
  const { warnings = [] } = input.observed.dryRuns.get(desired.key) ?? {};
  if (warnings.length === 0) return {};
  const withheld = isWithheld(desired, input);
  const mayQuote = !withheld && !mayHoldSecrets(withSecretKind(desired.object, desired));
  const texts = warnings.map((text) => showableWarning(text, desired.object, mayQuote));
  return { warnings: [...new Set(texts)] };
}

function keptIn({ ignoring }: DesiredObject): Pick<Change, "keeps"> {
  return ignoring?.resourceVersion === undefined ? {} : { keeps: ignoring.paths };
}

function pinned(object: KubeObject, resourceVersion: string | undefined): KubeObject {
  if (resourceVersion === undefined) return object;
  return withMetadata(object, { resourceVersion });
}
