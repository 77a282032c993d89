import { objectReferences } from "../../model/cluster/object-references.ts";
import { podSpecOf } from "../../model/cluster/pods.ts";
import { at, isObject, type Json, listAt, numberAt, textAt } from "../../model/json.ts";
import { isCoreKind } from "../../model/kinds.ts";
import { type KubeObject, keyOf, nameOf, type ObjectId } from "../../model/object.ts";
import { isKnownAfterDeploy, valueAt } from "../../model/plan/apply-time-reference.ts";
import type { Change, Plan } from "../../model/plan/plan.ts";
import type { Finding } from "../../model/problems/finding.ts";
import { summarizeList } from "../../model/text/suggest.ts";
import { matchSelector } from "../match-selector.ts";
import { asPlanned, concurrentContainers, plannedPods, samplePodSpec } from "../planned-pods.ts";
import { awaitsPodsOnNodes } from "../rollouts/daemon-set-controller.ts";
import { changeFinding, type PreflightInput } from "../rule.ts";

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

/**
 * Reports ports of an Ingress, a route or a webhook that a Service of the plan doesn't have.
 * At least one of the two objects must change. A Service outside the plan isn't checked, because
 * its owner might change it in the same minute.
 */
function unknownBackendPort({ plan, placeOf }: PreflightInput): readonly Finding[] {
  const services = new Map(plan.changes.map((change) => [change.key, change]));
  const found = plan.changes.flatMap((change) =>
    serviceBackends(asPlanned(change)).flatMap(
      ({ service: id, port, path }): readonly Finding[] => {
        const service = services.get(keyOf(id));
        if (service === undefined) return [];
        const isWritten = [change, service].some(({ action }) => action !== "unchanged");
        const ports = listAt(asPlanned(service), "spec", "ports");
        if (!isWritten || ports.length === 0 || ports.some((each) => matchesPort(each, port))) {
          return [];
        }
        const has = summarizeList(ports.map(backendPortText), maxPorts);
        return [
          changeFinding(change, placeOf, {
            code: "unknown-port",
            severity: "warning",
            what: `${nameOf(change.id)} refers to port ${JSON.stringify(port)} of ${nameOf(id)}, which doesn't exist`,
            why: `${nameOf(id)} has the port${ports.length === 1 ? "" : "s"} ${has}. Requests don't reach its Pods this way`,
            fix: "Set a port of the Service, or add this port to the Service",
            path,
          }),
        ];
      },
    ),
  );
  // Several hosts of an Ingress can name the same port.
  return [
    ...new Map(found.toReversed().map((finding) => [finding.what, finding])).values(),
  ].toReversed();
}

const maxPorts = 5;

interface Backend {
  readonly service: ObjectId;
  readonly port: string | number;
  /** The path of the port. */
  readonly path: readonly string[];
}

/**
 * Lists the Services that an object references, with their ports.
 * The port is next to the Service name: `port: 80`, or `port: {name: http}` in an Ingress.
 */
function serviceBackends(object: KubeObject): readonly Backend[] {
  return objectReferences(object)
    .filter(({ id }) => isCoreKind(id, "Service"))
    .flatMap(({ id: service, path }): readonly Backend[] => {
      const place = path.slice(0, -1);
      const asked = at(valueAt(object, place.map(toPathStep)), "port");
      const named: readonly (readonly [Json | undefined, readonly string[]])[] = [
        [asked, ["port"]],
        [textAt(asked, "name"), ["port", "name"]],
        [numberAt(asked, "number"), ["port", "number"]],
      ];
      return named.flatMap(([port, steps]) =>
        isPort(port) ? [{ service, port, path: [...place, ...steps] }] : [],
      );
    });
}

function toPathStep(step: string): string | number {
  return /^\d+$/.test(step) ? Number(step) : step;
}

function isPort(value: Json | undefined): value is string | number {
  return typeof value === "number" || (typeof value === "string" && !isKnownAfterDeploy(value));
}

/**
 * Reports whether a Service port matches.
 * Some controllers, such as ingress-nginx, also accept the target port.
 */
function matchesPort(port: Json, wanted: string | number): boolean {
  return ["name", "port", "targetPort"].some((field) => at(port, field) === wanted);
}

function backendPortText(port: Json): string {
  const [number, name] = [String(numberAt(port, "port")), textAt(port, "name")];
  return name === undefined ? number : `${number} (${name})`;
}
