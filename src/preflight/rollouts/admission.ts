import { podSpecOf } from "../../model/cluster/pods.ts";
import { at, isObject, type Json, type JsonObject, listAt, textAt } from "../../model/json.ts";
import type { KubeObject } from "../../model/object.ts";
import type { Plan } from "../../model/plan.ts";
import { asPlanned } from "../planned-pods.ts";
import { labelsAt } from "../scheduling/selectors.ts";

/** A Pod spec as far as it is known, and what of it its template declares. */
interface Admitted {
  readonly spec: JsonObject;
  readonly declared: JsonObject;
  readonly namespace: string;
}

/**
 * What admission will write into Pods from the LimitRanges and RuntimeClasses that this plan makes or changes. The server can't say it
 * yet: a Pod that it is asked about gets what those that are live say.
 */
export function plannedAdmission(plan: Plan): (pod: Admitted) => JsonObject {
  const planned = plan.changes.filter(({ action }) => action !== "unchanged");
  const ofKind = (kind: string) => planned.filter(({ id }) => id.kind === kind).map(asPlanned);
  const ranges = ofKind("LimitRange");
  const classes = ofKind("RuntimeClass");
  return ({ spec, declared, namespace }) => {
    const own = ranges.filter((range) => textAt(range, "metadata", "namespace") === namespace);
    const runtime = classes.find(
      (each) => textAt(each, "metadata", "name") === textAt(declared, "runtimeClassName"),
    );
    const limited = own.reduce((admitted, range) => withDefaults(admitted, declared, range), spec);
    return runtime === undefined ? limited : withRuntime(limited, declared, runtime);
  };
}

/** Samples by the key of their change. */
export function admittedSamples(
  samples: ReadonlyMap<string, KubeObject>,
  plan: Plan,
  admit: (pod: Admitted) => JsonObject,
): ReadonlyMap<string, KubeObject> {
  const declared = new Map(
    plan.changes.map((change) => [change.key, podSpecOf(asPlanned(change))?.spec]),
  );
  return new Map(
    [...samples].map(([key, sample]) => {
      const spec = (at(sample, "spec") ?? {}) as JsonObject;
      const namespace = textAt(sample, "metadata", "namespace") ?? "";
      const admitted = admit({ spec, declared: declared.get(key) ?? spec, namespace });
      return [key, { ...sample, spec: admitted }];
    }),
  );
}

function withDefaults(spec: JsonObject, declared: JsonObject, range: KubeObject): JsonObject {
  const item = listAt(range, "spec", "limits").find((each) => textAt(each, "type") === "Container");
  const defaults = defaultRequests(item);
  const inField = (field: "containers" | "initContainers") => {
    const templates = new Map(listAt(declared, field).map((each) => [textAt(each, "name"), each]));
    return listAt(spec, field).map((container) => {
      const own = at(templates.get(textAt(container, "name")), "resources");
      const given = { ...objectAt(own, "limits"), ...objectAt(own, "requests") };
      const before = objectAt(container, "resources");
      const requests = { ...objectAt(before, "requests"), ...defaults, ...given };
      return { ...(container as JsonObject), resources: { ...before, requests } };
    });
  };
  const initContainers = inField("initContainers");
  return {
    ...{ ...spec, containers: inField("containers") },
    ...(initContainers.length > 0 && { initContainers }),
  };
}

/** The server completes a LimitRange like this when it stores it. */
function defaultRequests(item: Json | undefined): JsonObject {
  return {
    ...objectAt(item, "min"),
    ...objectAt(item, "max"),
    ...objectAt(item, "default"),
    ...objectAt(item, "defaultRequest"),
  };
}

function withRuntime(spec: JsonObject, declared: JsonObject, runtime: KubeObject): JsonObject {
  const overhead = at(runtime, "overhead", "podFixed");
  const ofRuntime = labelsAt(at(runtime, "scheduling", "nodeSelector"));
  const { overhead: _, ...others } = spec;
  return {
    ...others,
    ...(overhead !== undefined && { overhead }),
    nodeSelector: { ...labelsAt(declared.nodeSelector), ...ofRuntime },
    tolerations: [...listAt(spec, "tolerations"), ...listAt(runtime, "scheduling", "tolerations")],
  };
}

function objectAt(value: Json | undefined, name: string): JsonObject {
  const found = at(value, name);
  return isObject(found) ? found : {};
}
