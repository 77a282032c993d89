import { deploymentLabel, managedByLabel, managedByValue, stageLabel } from "./annotations.ts";
import type { JobCheck } from "./deployment-checks.ts";
import { at, isObject, numberAt } from "./json.ts";
import { annotation, type KubeObject, label } from "./object.ts";
import type { Plan } from "./plan.ts";

/** The label with the name of the check. Objects of the inventory never have it. */
const checkLabel = "vs.axis-dev.io/check";

/** The digest of the state that the Job checks. */
const digestAnnotation = "vs.axis-dev.io/check-digest";

/** The number of characters of the digest in the name, and the limit for names of Jobs. */
const digestLength = 10;
const maxNameLength = 63;

/**
 * Returns the Job of a check. Its name contains the digest of the state that it checks, so a later
 * run finds it. It isn't in the inventory, and no field manager of the deployment writes it.
 */
export function checkJob(
  { deployment, namespace }: Pick<Plan, "deployment" | "namespace">,
  { name, spec, timeoutMs }: JobCheck,
  digest: string,
): KubeObject {
  const labels = checkLabels(deployment, name);
  const prefix = `${deployment}-${name}`.slice(0, maxNameLength - digestLength - 1);
  const template = at(spec, "template");
  const podSpec = at(template, "spec");
  const seconds = Math.ceil(timeoutMs / 1000);
  return {
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: {
      name: `${prefix.replace(/(?<!-)-+$/, "")}-${digest.slice(0, digestLength)}`,
      namespace,
      labels,
      annotations: { [digestAnnotation]: digest },
    },
    spec: {
      backoffLimit: 0,
      ...spec,
      // A Job that outlives its run or its timeout ends by itself.
      activeDeadlineSeconds: Math.min(numberAt(spec, "activeDeadlineSeconds") ?? seconds, seconds),
      template: {
        ...(isObject(template) ? template : {}),
        spec: { restartPolicy: "Never", ...(isObject(podSpec) ? podSpec : {}) },
      },
    },
  };
}

function checkLabels(deployment: string, check: string): Readonly<Record<string, string>> {
  return {
    [managedByLabel]: managedByValue,
    [deploymentLabel]: deployment,
    [checkLabel]: check,
  };
}

/**
 * Returns a selector for the Jobs of all checks of a deployment. A declared object always has the
 * label of its stage, so a manifest with the label of a check doesn't match.
 */
export function checkJobSelector(deployment: string): string {
  const own = `${managedByLabel}=${managedByValue},${deploymentLabel}=${deployment}`;
  return `${own},${checkLabel},!${stageLabel}`;
}

/** Reports whether a live Job checks the same state for the same deployment. */
export function isSameCheckJob(live: KubeObject, wanted: KubeObject): boolean {
  const names = [managedByLabel, deploymentLabel, checkLabel];
  return (
    names.every((name) => label(live, name) === label(wanted, name)) &&
    annotation(live, digestAnnotation) === annotation(wanted, digestAnnotation)
  );
}
