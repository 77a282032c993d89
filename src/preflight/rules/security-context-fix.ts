import type { ApiFailure } from "../../model/cluster/api/api-failure.ts";
import { enforcedStandard } from "../../model/cluster/api/messages/denials.ts";
import type { ServerVersion } from "../../model/cluster/api/server-version.ts";
import { podSpecOf } from "../../model/cluster/pods.ts";
import { at, type Json, type JsonObject } from "../../model/json.ts";
import type { KubeObject } from "../../model/object.ts";
import { toNewPod } from "../../validation/admission/admission-subject.ts";
import { missingHardening } from "../../validation/admission/pod-security/hardening.ts";

/**
 * Returns manifest lines with which the Pods meet the Pod Security standard that rejects them.
 * qvs checks the lines against the standard first.
 * Returns undefined if the Pods need a setting that the standard never allows.
 */
export function securityContextFix(
  failure: ApiFailure,
  planned: KubeObject,
  server: ServerVersion | undefined,
): readonly string[] | undefined {
  const standard = enforcedStandard(failure);
  const pods = podSpecOf(planned);
  if (standard === undefined || pods === undefined) return undefined;
  const { path } = pods;
  const pod = toNewPod(at(planned, ...path.slice(0, -1)) ?? {}, undefined, server);
  const fix = missingHardening(pod, namespaceWithStandard(standard), server);
  if (fix === undefined || !fix.containers.every(({ name }) => isContainerName(name)))
    return undefined;
  const lists = Map.groupBy(fix.containers, ({ list }) => list);
  const lines = [
    ...contextLine(fix.pod),
    ...[...lists].flatMap(([list, containers]) => [
      `${list}:`,
      ...containers.flatMap(({ name, context }) => [
        `  - name: ${name}`,
        ...contextLine(context).map((line) => `    ${line}`),
      ]),
    ]),
  ];
  const places = path.map((step, depth) => `${"  ".repeat(depth)}${step}:`);
  return [...places, ...lines.map((line) => `${"  ".repeat(path.length)}${line}`)];
}

function namespaceWithStandard({
  level,
  version,
}: {
  readonly level: string;
  readonly version: string;
}) {
  const label = "pod-security.kubernetes.io/enforce";
  const labels = { [label]: level, [`${label}-version`]: version };
  return { apiVersion: "v1", kind: "Namespace", metadata: { labels } };
}

function contextLine(context: JsonObject): readonly string[] {
  return Object.keys(context).length === 0 ? [] : [`securityContext: ${flowYaml(context)}`];
}

/** Formats a value as one line of YAML; the values contain no user input. */
function flowYaml(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(flowYaml).join(", ")}]`;
  if (typeof value !== "object" || value === null) return `${value}`;
  const fields = Object.entries(value).map(([name, each]) => `${name}: ${flowYaml(each)}`);
  return `{${fields.join(", ")}}`;
}

/** Reports whether a string is a valid container name, which needs no quotes. */
function isContainerName(name: string): boolean {
  return /^[a-z]([-a-z0-9]*[a-z0-9])?$/.test(name);
}
