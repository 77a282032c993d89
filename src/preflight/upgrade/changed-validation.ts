import { isDnsLabel, isDnsSubdomain } from "../../model/cluster/object-names.ts";
import { podSpecOf } from "../../model/cluster/pods.ts";
import { fieldPath } from "../../model/fields/field-path.ts";
import { at, isList, isObject, type Json, sameJson, textAt } from "../../model/json.ts";
import { kindKey } from "../../model/kinds.ts";
import { idOf, type KubeObject } from "../../model/object.ts";
import { strictAddressViolation } from "./strict-addresses.ts";
import {
  isAdded,
  isLost,
  podsPart,
  sinceText,
  type UpgradeContext,
  type UpgradeProblem,
} from "./upgrade.ts";

/** A value that only some of the supported versions accept. */
interface ValueRule {
  readonly kinds: readonly string[] | "pods";
  /** Reports whether the rule is in effect for an object; by default, always. */
  readonly appliesTo?: (object: KubeObject) => boolean;
  /** The paths from the object, or from the spec of its Pods; `*` stands for each list item. */
  readonly paths: readonly (string | readonly string[])[];
  /** The first minor version that accepts or rejects the value by default. */
  readonly since: number;
  /** The versions that reject the value: those since that version, or the older ones. */
  readonly rejects: "newer" | "older";
  /** Returns the reason for the rejection; undefined for a value that all versions accept. */
  readonly violation: (value: Json) => string | undefined;
  readonly fix: string;
  /** True if an update of an object can keep such a value. */
  readonly ratchets?: boolean;
}

type AddressRule = Pick<ValueRule, "since" | "rejects" | "violation" | "fix">;

/** The checks of addresses and ranges by `StrictIPCIDRValidation`. */
function strictReason(text: string): string | undefined {
  const reason = strictAddressViolation(text);
  if (reason === undefined) return undefined;
  return `the API server rejects an address or range if ${reason} (StrictIPCIDRValidation)`;
}

const strictAddresses: AddressRule = {
  since: 36,
  rejects: "newer",
  violation: (value) => (typeof value === "string" ? strictReason(value) : undefined),
  fix: "Write the address in its usual form, such as 10.0.0.1",
};
const strictRanges: AddressRule = {
  ...strictAddresses,
  fix: "Write the range in its usual form, such as 10.0.0.0/8",
};
/** The API server trims the ranges of a load balancer. Its annotation separates them by commas. */
const sourceRanges: AddressRule = {
  ...strictRanges,
  violation: (value) =>
    typeof value === "string"
      ? value
          .split(",")
          .map((each) => strictReason(each.trim()))
          .find((each) => each !== undefined)
      : undefined,
};

const containers = ["containers", "initContainers"];

/**
 * The values whose validation differs by version, from the feature gates in
 * pkg/features/kube_features.go and their uses in pkg/apis and pkg/registry.
 */
const rules: readonly ValueRule[] = [
  {
    kinds: ["/Service"],
    paths: ["metadata.name"],
    since: 36,
    rejects: "older",
    violation: digitViolation,
    fix: "Give it a name that starts with a letter",
    ratchets: true,
  },
  {
    kinds: ["/Service"],
    paths: ["spec.trafficDistribution"],
    since: 34,
    rejects: "older",
    violation: (value) =>
      value === "PreferSameZone" || value === "PreferSameNode"
        ? "only PreferClose is allowed (PreferSameTrafficDistribution)"
        : undefined,
    fix: "Declare PreferClose",
  },
  {
    kinds: ["autoscaling/HorizontalPodAutoscaler"],
    paths: ["spec.minReplicas"],
    since: 37,
    rejects: "older",
    violation: (value) => (value === 0 ? "it must be at least 1 (HPAScaleToZero)" : undefined),
    fix: "Declare at least 1",
    ratchets: true,
  },
  {
    kinds: ["networking.k8s.io/Ingress"],
    paths: ["spec.defaultBackend.service.name", "spec.rules.*.http.paths.*.backend.service.name"],
    since: 36,
    rejects: "older",
    violation: digitViolation,
    fix: "Give the Service a name that starts with a letter",
    ratchets: true,
  },
  {
    // ValidateAPIVersion in pkg/apis/autoscaling/validation.
    kinds: ["autoscaling/HorizontalPodAutoscaler"],
    paths: ["spec.scaleTargetRef"],
    since: 34,
    rejects: "newer",
    violation: (value) =>
      textAt(value, "apiVersion")?.includes("/") === true ||
      textAt(value, "kind") === "ReplicationController"
        ? undefined
        : "its apiVersion must contain an API group",
    fix: "Declare the whole apiVersion of the target, such as apps/v1",
    ratchets: true,
  },
  {
    kinds: "pods",
    paths: containers.flatMap((list) =>
      ["postStart", "preStop"].map((hook) => `${list}.*.lifecycle.${hook}.sleep.seconds`),
    ),
    since: 33,
    rejects: "older",
    violation: (value) =>
      value === 0 ? "it must be at least 1 (PodLifecycleSleepActionAllowZero)" : undefined,
    fix: "Remove the hook, or declare at least 1",
  },
  {
    kinds: "pods",
    paths: ["dnsConfig.searches.*"],
    since: 33,
    rejects: "older",
    violation: (value) =>
      typeof value === "string" && !isDnsSubdomain(value.replace(/\.$/, ""))
        ? "a search domain must be a DNS subdomain (RelaxedDNSSearchValidation)"
        : undefined,
    fix: "Remove the search domain, or rename it",
  },
  {
    kinds: "pods",
    paths: containers.map((list) => `${list}.*.restartPolicyRules.*.action`),
    since: 36,
    rejects: "older",
    violation: (value) =>
      value === "RestartAllContainers"
        ? "the action doesn't exist (RestartAllContainersOnContainerExits)"
        : undefined,
    fix: "Declare the action Restart",
  },
  {
    // IsStandardResourceQuotaScope in pkg/apis/core/helper.
    kinds: ["/ResourceQuota"],
    paths: ["spec.scopes.*", "spec.scopeSelector.matchExpressions.*.scopeName"],
    since: 33,
    rejects: "older",
    violation: (value) =>
      value === "VolumeAttributesClass" ? "the scope doesn't exist" : undefined,
    fix: "Remove the scope",
  },
  {
    ...strictAddresses,
    kinds: ["/Service"],
    paths: ["spec.clusterIP", "spec.clusterIPs.*", "spec.externalIPs.*"],
    ratchets: true,
  },
  {
    ...sourceRanges,
    kinds: ["/Service"],
    paths: [
      "spec.loadBalancerSourceRanges.*",
      ["metadata", "annotations", "service.beta.kubernetes.io/load-balancer-source-ranges"],
    ],
    ratchets: true,
  },
  {
    ...strictRanges,
    kinds: ["networking.k8s.io/NetworkPolicy"],
    ratchets: true,
    paths: ["ingress.*.from", "egress.*.to"].flatMap((peers) => [
      `spec.${peers}.*.ipBlock.cidr`,
      `spec.${peers}.*.ipBlock.except.*`,
    ]),
  },
  {
    ...strictAddresses,
    kinds: ["/Endpoints"],
    paths: ["subsets.*.addresses.*.ip", "subsets.*.notReadyAddresses.*.ip"],
  },
  {
    // All versions require the strict form of IPv6 addresses.
    ...strictAddresses,
    kinds: ["discovery.k8s.io/EndpointSlice"],
    appliesTo: (object) => textAt(object, "addressType") === "IPv4",
    paths: ["endpoints.*.addresses.*"],
  },
  { ...strictAddresses, kinds: "pods", paths: ["hostAliases.*.ip", "dnsConfig.nameservers.*"] },
];

function digitViolation(name: Json): string | undefined {
  return typeof name === "string" && isDnsLabel(name) && !/^[a-z]/.test(name)
    ? "the name of a Service must start with a letter (RelaxedServiceNameValidation)"
    : undefined;
}

/** Reports values that the other server rejects and this one accepts, or accepted before. */
export function changedValidation(
  object: KubeObject,
  context: UpgradeContext,
): readonly UpgradeProblem[] {
  const kind = kindKey(idOf(object));
  return rules
    .filter(({ since, rejects }) => (rejects === "newer" ? isAdded : isLost)(since, context))
    .filter(
      ({ kinds, appliesTo }) =>
        (kinds === "pods" || kinds.includes(kind)) && (appliesTo?.(object) ?? true),
    )
    .flatMap((rule) => violations(rule, object, context));
}

/** An adapter can declare any number of values. More results don't help a user. */
const maxResults = 10;

function violations(
  rule: ValueRule,
  object: KubeObject,
  context: UpgradeContext,
): readonly UpgradeProblem[] {
  const deployed = rule.ratchets === true ? context.deployedObject(object) : undefined;
  const kept = deployed === undefined ? [] : ruleValues(rule, deployed);
  const found = ruleValues(rule, object).flatMap(({ path, value }): readonly UpgradeProblem[] => {
    const why = rule.violation(value);
    if (why === undefined) return [];
    const field = `${fieldPath(path)}${rule.kinds === "pods" ? podsPart(object) : ""}`;
    const isKept = kept.some((each) => sameJson(each.value, value));
    const { version } = context.target;
    return [
      {
        code: "changed-validation",
        ...(isKept
          ? {
              severity: "note",
              what: `Kubernetes ${version} rejects new objects with the value of ${field}`,
              why: `By default, ${why}. An update keeps the value, because the deployed object has it`,
            }
          : {
              severity: "warning",
              what: `Kubernetes ${version} rejects the value of ${field}`,
              why: `By default, ${why}`,
            }),
        ...{ since: sinceText(rule.since), fix: rule.fix, path },
      },
    ];
  });
  return found.slice(0, maxResults);
}

/** Returns the values of an object that a rule checks. */
function ruleValues({ kinds, paths }: ValueRule, object: KubeObject): readonly FoundValue[] {
  const pods = podSpecOf(object);
  const root = kinds === "pods" ? pods?.spec : object;
  const prefix = kinds === "pods" ? (pods?.path ?? []) : [];
  if (root === undefined) return [];
  return paths.flatMap((path) => [
    ...valuesAt(root, typeof path === "string" ? path.split(".") : path, prefix),
  ]);
}

interface FoundValue {
  readonly path: readonly string[];
  readonly value: Json;
}

/** Finds the values at a path, in which `*` stands for each item of a list. */
function* valuesAt(
  value: Json,
  [step, ...rest]: readonly string[],
  path: readonly string[],
): Generator<FoundValue> {
  if (step === undefined) yield { path, value };
  else if (step !== "*") {
    const inner = isObject(value) ? at(value, step) : undefined;
    if (inner !== undefined) yield* valuesAt(inner, rest, [...path, step]);
  } else if (isList(value)) {
    for (const [index, item] of value.entries())
      yield* valuesAt(item, rest, [...path, String(index)]);
  }
}
