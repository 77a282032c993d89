import type {
  DeployedObject,
  DeploymentState,
  KeptObjectDetails,
} from "../../model/deployments/deployment-state.ts";
import type { JsonObject } from "../../model/json.ts";
import { nameOf } from "../../model/object.ts";
import { formatAge } from "../../model/text/times.ts";
import type { TerminalText } from "../../redaction/shown.ts";
import { exactLine, terminal } from "../../redaction/terminal.ts";
import { plural } from "../text/counts.ts";
import type { Looks } from "../text/text-lines.ts";
import { type AnswerCell, type AnswerRow, renderColumns } from "./columns.ts";

interface InstancesContext {
  /** The kept objects by key. */
  readonly kept: ReadonlyMap<string, KeptObjectDetails>;
  /** The current time in ISO 8601. */
  readonly now: string;
}

/** Renders the selected objects of all deployments with their sources. */
export function renderInstances(
  deployments: readonly DeploymentState[],
  known: InstancesContext,
  looks: Looks = {},
): TerminalText {
  const rows = deployments.flatMap((deployment) =>
    deployment.instances.map((instance) => instanceRow(instance, deployment, known)),
  );
  const titles = ["OBJECT", "DEPLOYMENT", "RELEASE", "STATE"];
  const places = new Set(deployments.map(({ name, namespace }) => `${namespace}/${name}`)).size;
  const total = `${plural(rows.length, "object")} of ${plural(places, "deployment")}`;
  return terminal`${renderColumns(titles, rows, looks)}\n${exactLine(total)}\n`;
}

function instanceRow(
  instance: DeployedObject,
  { name, namespace }: DeploymentState,
  known: InstancesContext,
): AnswerRow {
  const { id, release, state, isHealthy } = instance;
  const isMissing = state === "missing" && isHealthy;
  return {
    cells: [
      { text: nameOf(id) },
      { text: `${namespace}/${name}` },
      { text: release === undefined ? "none" : `${release}` },
      { text: state, tone: isMissing ? "quiet" : isHealthy ? "added" : "removed" },
    ],
    details: instanceDetails(instance, known),
  };
}

function instanceDetails(
  { key, paths, resource, why, isHealthy, release }: DeployedObject,
  { kept, now }: InstancesContext,
): readonly AnswerCell[] {
  const keeping = kept.get(key);
  const undeclared = release === undefined && keeping === undefined;
  return [
    ...(why === "" ? [] : [{ text: why, tone: isHealthy ? undefined : ("removed" as const) }]),
    ...paths.map((path) => ({ text: `${path.join(" › ")} › ${resource ?? ""}` })),
    ...(undeclared ? [{ text: "not declared by the current release" }] : []),
    ...(keeping === undefined ? [] : [{ text: keepingText(keeping, release, now) }]),
  ];
}

const maxUsers = 3;

/**
 * Returns text such as `kept: key app-config, revision 1, created 3 days ago, used by ReplicaSet
 * shop/web-1`.
 */
function keepingText(
  { key, revision, created, users }: KeptObjectDetails,
  release: number | undefined,
  now: string,
): string {
  const more = (users?.length ?? 0) - maxUsers;
  const names = users?.slice(0, maxUsers).join(", ");
  return [
    `${release === undefined ? "kept" : "keepOnDelete"}: key ${key}`,
    `revision ${revision}`,
    ...(created === undefined ? [] : [`created ${formatAge(created, now) ?? created}`]),
    ...(names === undefined ? [] : [names === "" ? "not used" : `used by ${names}`]),
  ]
    .join(", ")
    .concat(more > 0 ? ` and ${more} more` : "");
}

/** Returns the objects of all deployments as JSON. */
export function instancesJson(
  deployments: readonly DeploymentState[],
  { kept }: InstancesContext,
): JsonObject {
  return {
    instances: deployments.flatMap(({ name, namespace, instances }) =>
      instances.map((instance) => ({
        deployment: name,
        releaseNamespace: namespace,
        ...instanceJson(instance),
        keepOnDelete: keepingJson(kept.get(instance.key)),
      })),
    ),
  };
}

function instanceJson(instance: DeployedObject): JsonObject {
  const { key, id, apiVersion, stage, release, resource, paths, state, why, isHealthy } = instance;
  return {
    object: key,
    ...{ apiVersion, kind: id.kind, namespace: id.namespace, name: id.name },
    ...{ stage, state, why, isHealthy },
    release: release ?? null,
    resource: resource ?? null,
    paths: paths.map((path) => [...path]),
  };
}

function keepingJson(keeping: KeptObjectDetails | undefined): JsonObject | null {
  if (keeping === undefined) return null;
  const { key, revision, created, users } = keeping;
  return {
    key,
    revision,
    created: created ?? null,
    users: users === undefined ? null : [...users],
  };
}

/** Renders the kinds in use, with the numbers of objects and deployments. */
export function renderTypes(
  deployments: readonly DeploymentState[],
  looks: Looks = {},
): TerminalText {
  const rows = countTypes(deployments).map(
    ({ kind, group, objects, deployments, unhealthy }): AnswerRow => ({
      cells: [
        { text: kind },
        { text: group === "" ? "core" : group },
        { text: `${objects}` },
        { text: `${deployments}` },
        { text: `${unhealthy}`, tone: unhealthy > 0 ? "removed" : "quiet" },
      ],
    }),
  );
  const titles = ["KIND", "GROUP", "OBJECTS", "DEPLOYMENTS", "UNHEALTHY"];
  return terminal`${renderColumns(titles, rows, looks)}\n${exactLine(plural(rows.length, "kind"))}\n`;
}

interface TypeCount {
  readonly kind: string;
  readonly group: string;
  readonly objects: number;
  readonly deployments: number;
  readonly unhealthy: number;
}

/** Counts the objects in the cluster by kind. It ignores old objects that a user has deleted. */
function countTypes(deployments: readonly DeploymentState[]): readonly TypeCount[] {
  const all = deployments.flatMap(({ name, namespace, instances }) =>
    instances
      .filter(({ state, isHealthy }) => state !== "missing" || !isHealthy)
      .map((instance) => ({ ...instance, deployment: `${namespace}/${name}` })),
  );
  const groups = Map.groupBy(all, ({ id }) => `${id.kind} ${id.group}`);
  return [...groups.keys()].toSorted().map((type) => {
    const objects = groups.get(type) ?? [];
    return {
      kind: objects[0]?.id.kind ?? "",
      group: objects[0]?.id.group ?? "",
      objects: objects.length,
      deployments: new Set(objects.map(({ deployment }) => deployment)).size,
      unhealthy: objects.filter(({ isHealthy }) => !isHealthy).length,
    };
  });
}

export function typesJson(deployments: readonly DeploymentState[]): JsonObject {
  return { types: countTypes(deployments).map((type) => ({ ...type })) };
}
