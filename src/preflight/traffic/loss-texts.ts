import { stringify } from "yaml";
import { allowAnnotation, allowedCodes } from "../../model/annotations.ts";
import { type JsonObject, textAt } from "../../model/json.ts";
import { annotation, type KubeObject } from "../../model/object.ts";
import { isKnownAfterDeploy } from "../../model/plan/apply-time-reference.ts";
import type { Finding } from "../../model/problems/finding.ts";
import { summarizeList } from "../../model/text/suggest.ts";
import type { PlacedContainer } from "../planned-pods.ts";
import type { Workload } from "../rollouts/workload.ts";
import { gracePeriod, type LossReason } from "./lost-requests.ts";
import type { RequestTarget } from "./request-targets.ts";

/* Parts of the finding about lost requests: the reasons, the fix and the lines to paste. */

const maxNames = 3;

/** The time in seconds that docs/deploy/zero-downtime.md recommends for kube-proxy. */
const hookSeconds = 5;

/** The time in seconds that a container gets after its hook; the default grace period. */
const secondsAfterHook = 30;

/** Returns the reason as one sentence without a period. */
export function reasonText(reason: LossReason, pod: JsonObject): string {
  switch (reason.type) {
    case "none-serves":
      return reason.cause;
    case "no-probe":
      return `${containersText(reason.targets)} no readiness probe, so a new Pod gets requests as soon as it starts`;
    case "killed":
      return "terminationGracePeriodSeconds is 0, so old Pods are killed without a signal, and no preStop hook runs";
    case "long-hook":
      return `The preStop hook of container ${nameOf(reason.container)} takes ${reason.seconds} s, and terminationGracePeriodSeconds is ${gracePeriod(pod)}. After the hook, open requests have 2 s to end`;
    case "no-hook":
      return `${containersText(reason.targets)} no preStop hook, so an old Pod still gets requests for a moment after its signal to stop. Its image might answer them, which qvs can't see`;
  }
}

function containersText(targets: readonly RequestTarget[]): string {
  const names = [...new Set(targets.flatMap(({ containers }) => containers.map(nameOf)))];
  const shown = summarizeList(names, maxNames);
  return names.length === 1 ? `Container ${shown} has` : `Containers ${shown} have`;
}

function nameOf({ container }: PlacedContainer): string {
  return textAt(container, "name") ?? "";
}

type Fix = Pick<Finding, "fix" | "paste">;

/** Returns the fix of all reasons, with lines to paste. */
export function lossFix(workload: Workload, pod: JsonObject, reasons: readonly LossReason[]): Fix {
  const permanent = reasons.find((each) => each.type === "none-serves" && !each.canSurge);
  if (permanent !== undefined) return acceptedGap(workload);
  const actions = [...new Set(reasons.map(({ type }) => actionTexts[type]))];
  const hint = reasons.some(({ type }) => type === "no-hook") ? `. ${allowHint}` : "";
  return {
    fix: `${joinActions(actions)}; ${page}${hint}`,
    paste: fixLines(fixedSpec(workload, pod, reasons)),
  };
}

const page = "see docs/deploy/zero-downtime.md";
const allowHint = `If the image answers requests after the signal, allow the finding: ${allowAnnotation}: requests-lost`;

const actionTexts: Readonly<Record<LossReason["type"], string>> = {
  "none-serves": "let a new Pod start before an old one ends",
  "no-probe": "add a readiness probe, if possible of an HTTP path",
  killed: "set a grace period",
  "long-hook": "set a longer grace period",
  "no-hook": "add a preStop hook",
};

function joinActions(actions: readonly string[]): string {
  const text = actions.join(", and ");
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}

/** Returns the lines that accept a gap, which only other Pods could close. */
function acceptedGap({ change: { desired }, kind, replicas }: Workload): Fix {
  const more =
    kind === "StatefulSet" && replicas === 1
      ? "Run at least two replicas if the application supports it"
      : "Let old and new Pods run next to each other if their volumes and ports allow it";
  return {
    fix: `${more}; ${page}. Or accept the gap with this annotation`,
    paste: allowLines(desired),
  };
}

function allowLines(object: KubeObject): readonly string[] {
  const codes = allowedCodes(annotation(object, allowAnnotation) ?? "");
  const value = [...codes, "requests-lost"].join(", ");
  return pasteLines({ metadata: { annotations: { [allowAnnotation]: value } } });
}

/** Returns the lines of a spec; undefined if no field has a value that fits every application. */
function fixLines(spec: JsonObject): readonly string[] | undefined {
  return Object.keys(spec).length === 0 ? undefined : pasteLines({ spec });
}

function pasteLines(manifest: JsonObject): readonly string[] {
  return stringify(manifest, { lineWidth: 0 }).trimEnd().split("\n");
}

function fixedSpec(
  workload: Workload,
  pod: JsonObject,
  reasons: readonly LossReason[],
): JsonObject {
  const grace = fixedGrace(pod, reasons);
  const lists = Object.groupBy(fixedContainers(reasons), ({ list }) => list);
  const containers = Object.entries(lists).map(([list, fixed = []]) => [
    list,
    fixed.map(({ fields }) => fields),
  ]);
  const podSpec = {
    ...(grace === undefined ? {} : { terminationGracePeriodSeconds: grace }),
    ...Object.fromEntries(containers),
  };
  const hasGap = reasons.some(({ type }) => type === "none-serves");
  return {
    ...(hasGap ? fixedStrategy(workload) : {}),
    ...(Object.keys(podSpec).length === 0 ? {} : { template: { spec: podSpec } }),
  };
}

function fixedStrategy({ kind, spec }: Workload): JsonObject {
  const bounds = { maxSurge: 1, maxUnavailable: 0 };
  switch (kind) {
    case "Deployment": {
      const recreates = textAt(spec, "strategy", "type") === "Recreate";
      const type = recreates ? { type: "RollingUpdate" } : {};
      return { strategy: { ...type, rollingUpdate: bounds } };
    }
    case "Rollout":
      return { strategy: { canary: bounds } };
    default:
      return { updateStrategy: { rollingUpdate: bounds } };
  }
}

/** Returns the grace period that is longer than all hooks; undefined if it already is. */
function fixedGrace(pod: JsonObject, reasons: readonly LossReason[]): number | undefined {
  const hooks = reasons.flatMap((reason) => {
    if (reason.type === "long-hook") return [reason.seconds];
    return reason.type === "no-hook" ? [hookSeconds] : [];
  });
  if (reasons.some(({ type }) => type === "killed")) return secondsAfterHook;
  const longest = Math.ceil(Math.max(0, ...hooks));
  return longest > 0 && longest >= gracePeriod(pod) ? longest + secondsAfterHook : undefined;
}

interface FixedContainer {
  readonly list: string;
  readonly fields: JsonObject;
}

/** Returns the lines of each container that lacks a probe or a hook. */
function fixedContainers(reasons: readonly LossReason[]): readonly FixedContainer[] {
  const fixes = reasons.flatMap((reason) => {
    if (reason.type === "no-probe")
      return reason.targets.map((each) => [each, probe(each)] as const);
    return reason.type === "no-hook" ? reason.targets.map((each) => [each, hook] as const) : [];
  });
  const fixed = new Map<string, FixedContainer>();
  for (const [target, fields] of fixes) {
    const [placed] = target.containers;
    if (placed === undefined || Object.keys(fields).length === 0) continue;
    const name = nameOf(placed);
    const before = fixed.get(name)?.fields ?? { name };
    fixed.set(name, { list: placed.path[0] ?? "", fields: { ...before, ...fields } });
  }
  return [...fixed.values()];
}

const hook: JsonObject = { lifecycle: { preStop: { sleep: { seconds: hookSeconds } } } };

/** Returns a probe of the port; it works for every TCP server, whatever the application speaks. */
function probe({ port, protocol }: RequestTarget): JsonObject {
  return protocol === "TCP" && !isKnownAfterDeploy(String(port))
    ? { readinessProbe: { tcpSocket: { port } } }
    : {};
}
