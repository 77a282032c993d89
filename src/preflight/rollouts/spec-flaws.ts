import {
  at,
  fieldOf,
  isObject,
  type Json,
  type JsonObject,
  listAt,
  numberAt,
  textAt,
} from "../../model/json.ts";

/** The reason why Argo Rollouts rejects a Rollout. */
export interface SpecFlaw {
  /** A full sentence without the final period. */
  readonly why: string;
  readonly fix: string;
  readonly path: readonly string[];
}

/**
 * Checks the rules of the Rollout controller that the schema of the kind doesn't contain.
 * The API server accepts such a spec, but the controller doesn't roll it out (`InvalidSpec`).
 * The list contains only rules that all versions since 1.2 share.
 */
export function specFlaws(spec: JsonObject): readonly SpecFlaw[] {
  const strategy = at(spec, "strategy");
  const [canary, blueGreen] = ["canary", "blueGreen"].map((name) => at(strategy, name));
  return [
    ...ofSelector(spec),
    ...ofDeadline(spec),
    ...ofChoice(canary, blueGreen),
    ...(isObject(canary) ? ofCanary(canary) : []),
    ...(isObject(blueGreen) ? ofColours(blueGreen, spec) : []),
  ];
}

/** Checks the selector. With `workloadRef`, the selector is that of the referenced object. */
function ofSelector(spec: JsonObject): readonly SpecFlaw[] {
  if (isObject(spec.workloadRef)) return [];
  const selector = at(spec, "selector");
  const labels = Object.entries((at(selector, "matchLabels") ?? {}) as JsonObject);
  const path = ["spec", "selector"];
  if (labels.length + listAt(selector, "matchExpressions").length === 0) {
    return [{ path, why: "it has no selector", fix: "Give it the labels of its Pods as selector" }];
  }
  const own = at(spec, "template", "metadata", "labels") ?? null;
  const other = labels.find(([name, value]) => at(own, name) !== value);
  if (other === undefined) return [];
  return [
    {
      path: [...path, "matchLabels", other[0]],
      why: `its selector asks for the label ${other[0]}, which its Pods don't have with this value`,
      fix: "Give the selector and the template the same labels",
    },
  ];
}

function ofDeadline(spec: JsonObject): readonly SpecFlaw[] {
  const ready = numberAt(spec, "minReadySeconds") ?? 0;
  const deadline = numberAt(spec, "progressDeadlineSeconds") ?? 600;
  if (deadline > ready) return [];
  return [
    {
      path: [
        "spec",
        "progressDeadlineSeconds" in spec ? "progressDeadlineSeconds" : "minReadySeconds",
      ],
      why: `progressDeadlineSeconds, ${deadline}, is not more than minReadySeconds, ${ready}`,
      fix: "Set progressDeadlineSeconds to more than minReadySeconds",
    },
  ];
}

function ofChoice(canary: Json | undefined, blueGreen: Json | undefined): readonly SpecFlaw[] {
  const [hasCanary, hasColours] = [isObject(canary), isObject(blueGreen)];
  if (hasCanary !== hasColours) return [];
  return [
    {
      path: ["spec", "strategy"],
      why: hasCanary ? "it has two strategies" : "it has no strategy",
      fix: "Give it either canary or blueGreen as strategy",
    },
  ];
}

function ofColours(blueGreen: JsonObject, spec: JsonObject): readonly SpecFlaw[] {
  const path = ["spec", "strategy", "blueGreen"];
  const active = textAt(blueGreen, "activeService") ?? "";
  const kept = numberAt(blueGreen, "scaleDownDelayRevisionLimit");
  const history = numberAt(spec, "revisionHistoryLimit") ?? 10;
  return [
    ...(active === (textAt(blueGreen, "previewService") ?? "")
      ? [sameService(path, "activeService", "previewService")]
      : []),
    ...(kept !== undefined && kept > history
      ? [
          {
            path: [...path, "scaleDownDelayRevisionLimit"],
            why: `scaleDownDelayRevisionLimit, ${kept}, is more than revisionHistoryLimit, ${history}`,
            fix: "Raise revisionHistoryLimit, or lower scaleDownDelayRevisionLimit",
          },
        ]
      : []),
    ...ofAntiAffinity(blueGreen, path),
  ];
}

function sameService(path: readonly string[], one: string, other: string): SpecFlaw {
  return {
    path: [...path, one],
    why: `${one} and ${other} name the same Service`,
    fix: "Name two Services",
  };
}

function ofAntiAffinity(strategy: JsonObject, path: readonly string[]): readonly SpecFlaw[] {
  const term = at(strategy, "antiAffinity");
  if (!isObject(term)) return [];
  const kinds = ["required", "preferred"].map((name) =>
    isObject(at(term, `${name}DuringSchedulingIgnoredDuringExecution`)),
  );
  if (kinds.filter(Boolean).length === 1) return [];
  return [
    {
      path: [...path, "antiAffinity"],
      why: "its antiAffinity is not one of required and preferred",
      fix: "Give antiAffinity one of the two",
    },
  ];
}

function ofCanary(canary: JsonObject): readonly SpecFlaw[] {
  const path = ["spec", "strategy", "canary"];
  const [stable, next] = ["stableService", "canaryService"].map(
    (name) => textAt(canary, name) ?? "",
  );
  const [surge, fewer] = ["maxSurge", "maxUnavailable"].map(
    (name) => fieldOf(canary, name) ?? "25%",
  );
  return [
    ...(isNothing(surge) && isNothing(fewer)
      ? [
          {
            path: [...path, "maxSurge"],
            why: "maxSurge and maxUnavailable are both 0",
            fix: "Set one of maxSurge and maxUnavailable to 1 or more",
          },
        ]
      : []),
    ...(stable !== "" && stable === next
      ? [sameService(path, "stableService", "canaryService")]
      : []),
    ...ofRouting(canary, path),
    ...listAt(canary, "steps").flatMap((step, index) =>
      ofStep(step, canary, [...path, "steps", String(index)]),
    ),
    ...ofAntiAffinity(canary, path),
  ];
}

function isNothing(share: Json | undefined): boolean {
  return share === 0 || share === "0" || share === "0%";
}

/** Checks the fields that need a traffic router, and the fields that a traffic router needs. */
function ofRouting(canary: JsonObject, path: readonly string[]): readonly SpecFlaw[] {
  const routing = canary.trafficRouting;
  const isDynamic = canary.dynamicStableScale === true;
  const isDelayed = numberAt(canary, "scaleDownDelaySeconds") !== undefined;
  if (!isObject(routing)) {
    const named = [
      ...(isDelayed ? ["scaleDownDelaySeconds"] : []),
      ...(isDynamic ? ["dynamicStableScale"] : []),
    ];
    return named.map((name) => ({
      path: [...path, name],
      why: `${name} is for canaries with trafficRouting`,
      fix: `Take ${name} away, or route traffic`,
    }));
  }
  const missing = ["stableService", "canaryService"].filter(
    (name) => (textAt(canary, name) ?? "") === "",
  );
  return [
    ...(isDynamic && isDelayed
      ? [
          {
            path: [...path, "dynamicStableScale"],
            why: "dynamicStableScale and scaleDownDelaySeconds exclude each other",
            fix: "Take one of them away",
          },
        ]
      : []),
    ...(needsServices(routing, canary)
      ? missing.map((name) => ({
          path: [...path, name],
          why: `its trafficRouting asks for a ${name}`,
          fix: "Name the stable Service and that of the canary",
        }))
      : []),
  ];
}

const servicePairs = ["smi", "apisix", "ambassador", "nginx", "appMesh", "traefik"];

function needsServices(routing: JsonObject, { pingPong }: JsonObject): boolean {
  const isAlternating = isObject(pingPong);
  const byWeight = isObject(routing.istio) && !isObject(at(routing.istio, "destinationRule"));
  return (
    servicePairs.some((name) => isObject(fieldOf(routing, name))) ||
    (!isAlternating && (isObject(routing.alb) || byWeight))
  );
}

const exclusive = ["setWeight", "pause", "experiment", "analysis"];

function ofStep(step: Json, canary: JsonObject, path: readonly string[]): readonly SpecFlaw[] {
  const fields = isObject(step)
    ? Object.keys(step).filter((name) => fieldOf(step, name) !== null)
    : [];
  const kinds = fields.filter((name) => exclusive.includes(name));
  const weight = numberAt(step, "setWeight");
  const most = numberAt(canary, "trafficRouting", "maxTrafficWeight") ?? 100;
  const duration = at(step, "pause", "duration");
  return [
    ...(fields.length === 0 || kinds.length > 1
      ? [
          {
            path,
            why:
              fields.length === 0
                ? "one of its steps does nothing"
                : `one of its steps is ${kinds.join(" and ")} in one`,
            fix: "Give each step one of setWeight, pause, setCanaryScale, analysis and experiment",
          },
        ]
      : []),
    ...(weight !== undefined && (weight < 0 || weight > most)
      ? [
          {
            path: [...path, "setWeight"],
            why: `setWeight is ${weight}, and weights are from 0 to ${most}`,
            fix: "Set a weight within these",
          },
        ]
      : []),
    ...(duration !== undefined && !isDuration(duration)
      ? [
          {
            path: [...path, "pause", "duration"],
            why: `${JSON.stringify(duration)} is no duration`,
            fix: "Pause for a number of seconds, or a time such as 10m",
          },
        ]
      : []),
    ...(fields.includes("setCanaryScale") && !isObject(canary.trafficRouting)
      ? [
          {
            path: [...path, "setCanaryScale"],
            why: "setCanaryScale is for canaries with trafficRouting",
            fix: "Set a weight instead, or route traffic",
          },
        ]
      : []),
  ];
}

/** Reports whether the value is a number of seconds or a Go duration, and isn't negative. */
function isDuration(value: Json): boolean {
  if (typeof value === "number") return value >= 0;
  return (
    typeof value === "string" && /^\+?(\d+|((\d+(\.\d*)?|\.\d+)(ns|us|µs|ms|s|m|h))+)$/.test(value)
  );
}
