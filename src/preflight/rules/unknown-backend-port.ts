import { isKnownAfterDeploy, valueAt } from "../../model/apply-time-reference.ts";
import { objectReferences } from "../../model/cluster/object-references.ts";
import { at, type Json, listAt, numberAt, textAt } from "../../model/json.ts";
import { isCoreKind } from "../../model/kinds.ts";
import { type KubeObject, keyOf, nameOf, type ObjectId } from "../../model/object.ts";
import type { Finding } from "../../model/problems/finding.ts";
import { summarizeList } from "../../model/text/suggest.ts";
import { asPlanned } from "../planned-pods.ts";
import { changeFinding, type PreflightInput } from "../rule.ts";

/**
 * Reports ports of an Ingress, a route or a webhook that a Service of the plan doesn't have.
 * At least one of the two objects must change. A Service outside the plan isn't checked, because
 * its owner might change it in the same minute.
 */
export function unknownBackendPort({ plan, placeOf }: PreflightInput): readonly Finding[] {
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
        const has = summarizeList(ports.map(portText), maxPorts);
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

function portText(port: Json): string {
  const [number, name] = [String(numberAt(port, "port")), textAt(port, "name")];
  return name === undefined ? number : `${number} (${name})`;
}
