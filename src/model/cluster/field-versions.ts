import { kindKey } from "../kinds.ts";
import { idOf, type KubeObject } from "../object.ts";
import { gatedFieldsByKind, gatedPodFields } from "./gated-fields.ts";
import { podSpecOf } from "./pods.ts";
import { formatServerVersion, type ServerVersion } from "./server-version.ts";

/**
 * Describes the versions that have a field; undefined for fields that qvs doesn't know as new. The
 * path is the API server's, such as `spec.containers[name="web"].restartPolicyRules`.
 */
export function fieldVersions(
  object: KubeObject,
  path: string,
  server: ServerVersion | undefined,
): string | undefined {
  const [first = "", ...rest] = path.split("[");
  const steps = first + rest.map((part) => part.slice(part.indexOf("]") + 1)).join("");
  const pods = podSpecOf(object)?.path.join(".");
  const places = [
    { prefix: "spec", fields: gatedFieldsByKind.get(kindKey(idOf(object))) ?? [] },
    { prefix: pods, fields: pods === undefined ? [] : gatedPodFields },
  ];
  const found = places.flatMap(({ prefix, fields }) =>
    fields.filter((field) => `${prefix}.${plainPath(field.path)}` === steps),
  );
  const added = found[0]?.added;
  if (added === undefined) return undefined;
  const since = `since Kubernetes 1.${added}`;
  return server === undefined ? since : `${since}; this server is ${formatServerVersion(server)}`;
}

function plainPath(path: readonly string[]): string {
  return path.filter((step) => step !== "*").join(".");
}
