import { at, isObject, type Json, type JsonObject, listAt, textAt } from "../../model/json.ts";
import type { SecuredPod } from "./pod.ts";
import { podSecurityRefusal } from "./pod-security.ts";

/** What is to be set, so that a Pod meets a standard that it does not set enough for. */
export interface Hardening {
  /** Of all containers. */
  readonly pod: JsonObject;
  /** By the list that holds the container, and by its name. */
  readonly containers: readonly {
    readonly list: string;
    readonly name: string;
    readonly context: JsonObject;
  }[];
}

const onPod: JsonObject = { runAsNonRoot: true, seccompProfile: { type: "RuntimeDefault" } };
const onContainer: JsonObject = {
  allowPrivilegeEscalation: false,
  capabilities: { drop: ["ALL"] },
};

/** undefined where that is not enough: what a Pod asks for beyond the standard, somebody has to decide about. */
export function hardening(pod: SecuredPod, namespace: KubeNamespace): Hardening | undefined {
  const lists = ["initContainers", "containers"];
  const lacking = lists.flatMap((list) =>
    listAt(pod.spec, list).map((container) => ({
      list,
      name: textAt(container, "name") ?? "",
      context: lackingIn(container, onContainer),
    })),
  );
  const hardened = lists.map((list) => [
    list,
    listAt(pod.spec, list).map((container) => withContext(container, onContainer)),
  ]);
  const spec = { ...(withContext(pod.spec, onPod) as JsonObject), ...Object.fromEntries(hardened) };
  if (podSecurityRefusal({ ...pod, spec }, namespace) !== undefined) return undefined;
  return {
    pod: lackingIn(pod.spec, onPod),
    containers: lacking.filter(({ context }) => Object.keys(context).length > 0),
  };
}

type KubeNamespace = Parameters<typeof podSecurityRefusal>[1];

function lackingIn(holder: Json, wanted: JsonObject): JsonObject {
  const own = contextOf(holder);
  return Object.fromEntries(Object.entries(wanted).filter(([name]) => !Object.hasOwn(own, name)));
}

function withContext(holder: Json, wanted: JsonObject): Json {
  return isObject(holder)
    ? { ...holder, securityContext: { ...wanted, ...contextOf(holder) } }
    : holder;
}

function contextOf(holder: Json): JsonObject {
  const own = at(holder, "securityContext");
  return isObject(own) ? own : {};
}
