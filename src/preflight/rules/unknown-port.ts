import { isKnownAfterDeploy } from "../../model/apply-time-reference.ts";
import { podSpecOf } from "../../model/cluster/pods.ts";
import { at, isObject, type Json, listAt, numberAt, textAt } from "../../model/json.ts";
import { isCoreKind } from "../../model/kinds.ts";
import { nameOf } from "../../model/object.ts";
import type { Change, Plan } from "../../model/plan.ts";
import type { Finding } from "../../model/problems/finding.ts";
import { summarizeList } from "../../model/text/suggest.ts";
import { matchSelector } from "../match-selector.ts";
import { asPlanned, concurrentContainers, plannedPods, samplePodSpec } from "../planned-pods.ts";
import { awaitsPodsOnNodes } from "../rollouts/daemon-set-controller.ts";
import { changeFinding, type PreflightInput } from "../rule.ts";
import { unknownBackendPort } from "./unknown-backend-port.ts";

/**
 * Reports named ports that don't exist.
 * The API server accepts them. The kubelet then discards the result of each such probe
 * (`ResolveContainerPort`), and a Service has endpoints without a port.
 */
export function unknownPort(input: PreflightInput): readonly Finding[] {
  return [...probePortFindings(input), ...servicePortFindings(input), ...unknownBackendPort(input)];
}

/** The fields of a container that name a port, and the effect if the port doesn't exist. */
const portFields = [
  { path: ["startupProbe"], effect: "never-ready" },
  { path: ["readinessProbe"], effect: "never-ready" },
  { path: ["livenessProbe"], effect: "not-asked" },
  { path: ["lifecycle", "postStart"], effect: "killed" },
] as const;

type MissingPortEffect = (typeof portFields)[number]["effect"];

const consequences: Readonly<Record<MissingPortEffect, string>> = {
  "never-ready": "Its Pods never become ready",
  "not-asked": "The probe never runs",
  killed: "The container is killed after each start",
};

function probePortFindings({ plan, facts, placeOf }: PreflightInput): readonly Finding[] {
  return plannedPods(plan.changes).flatMap(({ change, spec }) =>
    concurrentContainers(spec).flatMap(({ container, path }) =>
      portFields.flatMap((portField): readonly Finding[] => {
        const found = missingPort(container, portField.path);
        if (found === undefined) return [];
        const { port, handler } = found;
        const ports = portNames([container]);
        const isFatal = portField.effect !== "not-asked" && awaitsPodsOnNodes(change, facts);
        return [
          changeFinding(change, placeOf, {
            code: "unknown-port",
            severity: isFatal ? "error" : "warning",
            what: `${nameOf(change.id)}: ${portField.path.join(".")} of container ${textAt(container, "name")} refers to missing port "${port}"`,
            why: `${consequences[portField.effect]}. ${namedPortsText("the container", ports)}`,
            fix: `Set a port of the container, or name one of its ports "${port}"`,
            path: [
              ...(podSpecOf(change.desired)?.path ?? []),
              ...path,
              ...portField.path,
              handler,
              "port",
            ],
          }),
        ];
      }),
    ),
  );
}

function missingPort(
  container: Json,
  path: readonly string[],
): { readonly port: string; readonly handler: string } | undefined {
  for (const handler of ["httpGet", "tcpSocket"]) {
    const port = textAt(container, ...path, handler, "port");
    if (port !== undefined && !isKnownAfterDeploy(port) && !portNames([container]).includes(port))
      return { port, handler };
  }
  return undefined;
}

function portNames(containers: readonly Json[]): readonly string[] {
  return containers.flatMap((container) =>
    listAt(container, "ports").flatMap((port) => textAt(port, "name") ?? []),
  );
}

function namedPortsText(owner: string, names: readonly string[]): string {
  const shown = names.length === 0 ? "none" : summarizeList([...new Set(names)], maxNames);
  return `Named ports of ${owner}: ${shown}`;
}

const maxNames = 5;

/**
 * Reports Services of the plan whose target port no Pod of the plan has.
 * At least one of the objects must change.
 */
function servicePortFindings({ plan, placeOf, facts }: PreflightInput): readonly Finding[] {
  return plan.changes.filter(isService).flatMap((service) => {
    const selected = selectedWorkloads(service, plan);
    const isWritten = [service, ...selected].some(({ action }) => action !== "unchanged");
    if (selected.length === 0 || !isWritten) return [];
    const specs = selected.map((change) => samplePodSpec(change, facts) ?? {});
    const names = portNames(specs.flatMap(concurrentContainers).map(({ container }) => container));
    return listAt(asPlanned(service), "spec", "ports").flatMap(
      (port, index): readonly Finding[] => {
        const target = textAt(port, "targetPort");
        if (target === undefined || isKnownAfterDeploy(target) || names.includes(target)) return [];
        const workloads = summarizeList(
          selected.map(({ id }) => nameOf(id)),
          maxNames,
        );
        return [
          changeFinding(service, placeOf, {
            code: "unknown-port",
            severity: "warning",
            what: `${nameOf(service.id)}: port ${portText(port)} refers to missing target port "${target}"`,
            why: `Requests to this port don't reach the Pods. ${namedPortsText(workloads, names)}`,
            fix: `Set a port of the Pods, or name one of their ports "${target}"`,
            path: ["spec", "ports", String(index), "targetPort"],
          }),
        ];
      },
    );
  });
}

function portText(port: Json): string {
  return String(numberAt(port, "port") ?? textAt(port, "name") ?? "");
}

function isService({ id }: Change): boolean {
  return isCoreKind(id, "Service");
}

function selectedWorkloads(service: Change, { changes }: Plan): readonly Change[] {
  const selector = at(asPlanned(service), "spec", "selector");
  if (!isObject(selector) || Object.keys(selector).length === 0) return [];
  return changes.filter((change) => {
    const maker = asPlanned(change);
    return (
      podSpecOf(maker) !== undefined &&
      change.id.namespace === service.id.namespace &&
      matchSelector(selector, maker) === "yes"
    );
  });
}
