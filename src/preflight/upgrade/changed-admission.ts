import { type ServerVersion, versionFacts } from "../../model/cluster/api/server-version.ts";
import { definesKind } from "../../model/cluster/namespaces-and-crds.ts";
import { podSpecOf } from "../../model/cluster/pods.ts";
import { fieldPath } from "../../model/fields/field-path.ts";
import { at } from "../../model/json.ts";
import { idOf, type KubeObject } from "../../model/object.ts";
import { toNewPod } from "../../validation/admission/admission-subject.ts";
import { podSecurityRejection } from "../../validation/admission/pod-security/pod-security.ts";
import { customSchemas } from "../../validation/custom-types.ts";
import { withCheckedFormats } from "../../validation/integer-formats.ts";
import { type ValueViolation, valueViolations } from "../../validation/structural.ts";
import { withoutCommonFields } from "../../validation/validate-by-schema.ts";
import { isAdded, sinceText, type UpgradeContext, type UpgradeProblem } from "./upgrade.ts";

/**
 * Reports Pods that the labels of their namespace no longer allow, because `latest` is the standard
 * of the server's version.
 */
export function changedPodSecurity(
  object: KubeObject,
  { target: { version }, next, server, namespaces }: UpgradeContext,
): readonly UpgradeProblem[] {
  const pods = podSpecOf(object);
  const namespace = namespaces.get(idOf(object).namespace);
  if (pods === undefined || namespace === undefined) return [];
  const template = at(object, ...pods.path.slice(0, -1));
  const rejection = (each: ServerVersion) => {
    const pod = toNewPod(template ?? null, undefined, each);
    return podSecurityRejection(pod, namespace, each);
  };
  const message = rejection(next);
  const isKnown = server !== undefined && rejection(server) !== undefined;
  if (message === undefined || isKnown) return [];
  const pin =
    server === undefined
      ? ""
      : `, or set the label pod-security.kubernetes.io/enforce-version: v1.${server.minor} on the namespace`;
  return [
    {
      code: "changed-validation",
      severity: "warning",
      what: `Kubernetes ${version} rejects its Pods`,
      since: `the standard of Kubernetes ${version}`,
      why: message,
      fix: `Change the Pods${pin}`,
      path: pods.path,
    },
  ];
}

/** Reports values of custom resources that only the other server checks. */
export function changedFormats(
  object: KubeObject,
  context: UpgradeContext,
): readonly UpgradeProblem[] {
  const { target, next, server, definitions } = context;
  const { since } = versionFacts.integerFormats;
  if (!isAdded(since, context)) return [];
  // An adapter can declare hundreds of definitions and resources.
  const own = definitions.filter((each) => definesKind(each, idOf(object)));
  const before = server ?? { major: 1, minor: since - 1 };
  const now = new Set(formatViolations(object, own, before).map(violationKey));
  return formatViolations(object, own, next)
    .filter((each) => !now.has(violationKey(each)))
    .map(({ path, what }) => ({
      code: "changed-validation",
      severity: "warning",
      what: `Kubernetes ${target.version} rejects the value of ${fieldPath(path)}`,
      since: sinceText(since),
      why: `${fieldPath(path)} ${what}, and only newer servers check this format of the CustomResourceDefinition`,
      fix: "Declare a value that the format allows",
      path,
    }));
}

function violationKey({ path, what }: ValueViolation): string {
  return JSON.stringify([path, what]);
}

function formatViolations(
  object: KubeObject,
  definitions: readonly KubeObject[],
  server: ServerVersion,
): readonly ValueViolation[] {
  const checked = definitions.map((each) => withCheckedFormats(each, server));
  const schema = customSchemas(checked).get(`${object.apiVersion}/${object.kind}`);
  return schema === undefined
    ? []
    : valueViolations(withoutCommonFields(object), schema, () => false);
}
