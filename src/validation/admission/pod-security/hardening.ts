import type { ServerVersion } from "../../../model/cluster/api/server-version.ts";
import { at, isObject, type Json, type JsonObject, listAt, textAt } from "../../../model/json.ts";
import type { SecuredPod } from "./pod.ts";
import { podSecurityRejection } from "./pod-security.ts";

/** The missing security settings that make a Pod meet a standard. */
export interface Hardening {
  /** Settings in the Pod's own security context, which apply to all containers. */
  readonly pod: JsonObject;
  /** Settings of single containers, each by the list that contains it and by its name. */
  readonly containers: readonly {
    readonly list: string;
    readonly name: string;
    readonly context: JsonObject;
  }[];
}

const hardenedPodContext: JsonObject = {
  runAsNonRoot: true,
  seccompProfile: { type: "RuntimeDefault" },
};
const hardenedContainerContext: JsonObject = {
  allowPrivilegeEscalation: false,
  capabilities: { drop: ["ALL"] },
};

/**
 * Computes the missing settings.
 * Returns undefined if settings alone aren't enough: the Pod asks for more than the standard
 * allows, and a user must decide about that.
 */
export function missingHardening(
  pod: SecuredPod,
  namespace: KubeNamespace,
  server: ServerVersion | undefined,
): Hardening | undefined {
  const lists = ["initContainers", "containers"];
  const missing = lists.flatMap((list) =>
    listAt(pod.spec, list).map((container) => ({
      list,
      name: textAt(container, "name") ?? "",
      context: missingSettings(container, hardenedContainerContext),
    })),
  );
  const hardened = lists.map((list) => [
    list,
    listAt(pod.spec, list).map((container) => withContext(container, hardenedContainerContext)),
  ]);
  const spec = {
    ...(withContext(pod.spec, hardenedPodContext) as JsonObject),
    ...Object.fromEntries(hardened),
  };
  if (podSecurityRejection({ ...pod, spec }, namespace, server) !== undefined) return undefined;
  return {
    pod: missingSettings(pod.spec, hardenedPodContext),
    containers: missing.filter(({ context }) => Object.keys(context).length > 0),
  };
}

type KubeNamespace = Parameters<typeof podSecurityRejection>[1];

function missingSettings(holder: Json, wanted: JsonObject): JsonObject {
  const own = readSecurityContext(holder);
  return Object.fromEntries(Object.entries(wanted).filter(([name]) => !Object.hasOwn(own, name)));
}

function withContext(holder: Json, wanted: JsonObject): Json {
  return isObject(holder)
    ? { ...holder, securityContext: { ...wanted, ...readSecurityContext(holder) } }
    : holder;
}

function readSecurityContext(holder: Json): JsonObject {
  const own = at(holder, "securityContext");
  return isObject(own) ? own : {};
}
