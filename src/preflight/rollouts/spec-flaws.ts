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
    ...selectorFlaws(spec),
    ...deadlineFlaws(spec),
    ...strategyFlaws(canary, blueGreen),
    ...(isObject(canary) ? canaryFlaws(canary) : []),
    ...(isObject(blueGreen) ? blueGreenFlaws(blueGreen, spec) : []),
  ];
}

/** Checks the selector. With `workloadRef`, the selector is that of the referenced object. */
function selectorFlaws(spec: JsonObject): readonly SpecFlaw[] {
  if (isObject(spec.workloadRef)) return [];
  const selector = at(spec, "selector");
  const labels = Object.entries((at(selector, "matchLabels") ?? {}) as JsonObject);
  const path = ["spec", "selector"];
  if (labels.length + listAt(selector, "matchExpressions").length === 0) {
    return [
      { path, why: "It has no selector", fix: "Set spec.selector to the labels of its Pods" },
    ];
  }
  const own = at(spec, "template", "metadata", "labels") ?? null;
  const other = labels.find(([name, value]) => at(own, name) !== value);
  if (other === undefined) return [];
  return [
    {
      path: [...path, "matchLabels", other[0]],
      why: `Its selector requires the label ${other[0]}, which its Pods don't have with this value`,
      fix: "Set the same labels in the selector and in the Pod template",
    },
  ];
}

function deadlineFlaws(spec: JsonObject): readonly SpecFlaw[] {
  const ready = numberAt(spec, "minReadySeconds") ?? 0;
  const deadline = numberAt(spec, "progressDeadlineSeconds") ?? 600;
  if (deadline > ready) return [];
  return [
    {
      path: [
        "spec",
        "progressDeadlineSeconds" in spec ? "progressDeadlineSeconds" : "minReadySeconds",
      ],
      why: `progressDeadlineSeconds is ${deadline}, which isn't more than minReadySeconds, ${ready}`,
      fix: "Set progressDeadlineSeconds to more than minReadySeconds",
    },
  ];
}

function strategyFlaws(canary: Json | undefined, blueGreen: Json | undefined): readonly SpecFlaw[] {
  const [hasCanary, hasBlueGreen] = [isObject(canary), isObject(blueGreen)];
  if (hasCanary !== hasBlueGreen) return [];
  return [
    {
      path: ["spec", "strategy"],
      why: hasCanary ? "It has two strategies" : "It has no strategy",
      fix: "Set either canary or blueGreen in spec.strategy",
    },
  ];
}

function blueGreenFlaws(blueGreen: JsonObject, spec: JsonObject): readonly SpecFlaw[] {
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
            why: `scaleDownDelayRevisionLimit is ${kept}, which is more than revisionHistoryLimit, ${history}`,
            fix: "Raise revisionHistoryLimit, or lower scaleDownDelayRevisionLimit",
          },
        ]
      : []),
    ...antiAffinityFlaws(blueGreen, path),
  ];
}

function sameService(path: readonly string[], one: string, other: string): SpecFlaw {
  return {
    path: [...path, one],
    why: `${one} and ${other} name the same Service`,
    fix: "Set two different Services",
  };
}

function antiAffinityFlaws(strategy: JsonObject, path: readonly string[]): readonly SpecFlaw[] {
  const term = at(strategy, "antiAffinity");
  if (!isObject(term)) return [];
  const kinds = ["required", "preferred"].map((name) =>
    isObject(at(term, `${name}DuringSchedulingIgnoredDuringExecution`)),
  );
  if (kinds.filter(Boolean).length === 1) return [];
  return [
    {
      path: [...path, "antiAffinity"],
      why: "Its antiAffinity must have either a required or a preferred term",
      fix: "Set exactly one of the two terms in antiAffinity",
    },
  ];
}

function canaryFlaws(canary: JsonObject): readonly SpecFlaw[] {
  const path = ["spec", "strategy", "canary"];
  const [stable, next] = ["stableService", "canaryService"].map(
    (name) => textAt(canary, name) ?? "",
  );
  const [surge, fewer] = ["maxSurge", "maxUnavailable"].map(
    (name) => fieldOf(canary, name) ?? "25%",
  );
  return [
    ...(isZeroShare(surge) && isZeroShare(fewer)
      ? [
          {
            path: [...path, "maxSurge"],
            why: "maxSurge and maxUnavailable are both 0",
            fix: "Set maxSurge or maxUnavailable to 1 or more",
          },
        ]
      : []),
    ...(stable !== "" && stable === next
      ? [sameService(path, "stableService", "canaryService")]
      : []),
    ...routingFlaws(canary, path),
    ...listAt(canary, "steps").flatMap((step, index) =>
      stepFlaws(step, canary, [...path, "steps", String(index)]),
    ),
    ...antiAffinityFlaws(canary, path),
  ];
}

function isZeroShare(share: Json | undefined): boolean {
  return share === 0 || share === "0" || share === "0%";
}

/** Checks the fields that need a traffic router, and the fields that a traffic router needs. */
function routingFlaws(canary: JsonObject, path: readonly string[]): readonly SpecFlaw[] {
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
      why: `${name} requires trafficRouting`,
      fix: `Remove ${name}, or set trafficRouting`,
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
            fix: "Remove one of them",
          },
        ]
      : []),
    ...(needsServices(routing, canary)
      ? missing.map((name) => ({
          path: [...path, name],
          why: `Its trafficRouting requires ${name}`,
          fix: "Set stableService and canaryService",
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

const exclusiveFields = ["setWeight", "pause", "experiment", "analysis"];

function stepFlaws(step: Json, canary: JsonObject, path: readonly string[]): readonly SpecFlaw[] {
  const fields = isObject(step)
    ? Object.keys(step).filter((name) => fieldOf(step, name) !== null)
    : [];
  const kinds = fields.filter((name) => exclusiveFields.includes(name));
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
                ? "One of its steps does nothing"
                : `One of its steps combines ${kinds.join(" and ")}`,
            fix: "Set one of setWeight, pause, setCanaryScale, analysis and experiment in each step",
          },
        ]
      : []),
    ...(weight !== undefined && (weight < 0 || weight > most)
      ? [
          {
            path: [...path, "setWeight"],
            why: `setWeight is ${weight}, but weights are from 0 to ${most}`,
            fix: `Set a weight from 0 to ${most}`,
          },
        ]
      : []),
    ...(duration !== undefined && !isDuration(duration)
      ? [
          {
            path: [...path, "pause", "duration"],
            why: `${JSON.stringify(duration)} isn't a duration`,
            fix: "Set a number of seconds, or a time such as 10m",
          },
        ]
      : []),
    ...(fields.includes("setCanaryScale") && !isObject(canary.trafficRouting)
      ? [
          {
            path: [...path, "setCanaryScale"],
            why: "setCanaryScale requires trafficRouting",
            fix: "Set a weight instead, or set trafficRouting",
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
