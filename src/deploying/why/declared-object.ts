import type { Deployment } from "../../model/deployments/deployment.ts";
import {
  type Release,
  type ReleasedManifest,
  releaseFormat,
} from "../../model/deployments/release.ts";
import {
  createReleaseHistory,
  type ReleaseHistory,
} from "../../model/deployments/release-history.ts";
import type { FieldStep } from "../../model/fields/field-differences.ts";
import { fieldOf, isList, isObject, type Json, sameJson } from "../../model/json.ts";
import { idOf, isKubeObject, type KubeObject } from "../../model/object.ts";
import { UserError } from "../../model/problems/errors.ts";
import type { Problem } from "../../model/problems/problem.ts";
import type { DeclaredField, ReleaseOfField } from "../../model/sources/field-explanation.ts";
import { toBase64 } from "../../model/text/base64.ts";
import type { World } from "../../ports/world.ts";
import {
  type FirstRelease,
  firstReleaseWithValue,
  type RecordedManifest,
  recordedValue,
} from "../../releases/queries/field-history.ts";
import { chartCapabilities } from "../chart-capabilities.ts";
import {
  findRecorded,
  isMeant,
  noSuchObject,
  type ObjectQuestion,
  onlyOne,
} from "./find-object.ts";
import {
  compiledRelease,
  type ReadSources,
  sourcesOfRelease,
  withHistory,
} from "./read-sources.ts";
import { compileTraced, type TracedCompilation } from "./trace-sources.ts";

/** The manifest of an object, with the ways to find out about its fields. */
export interface ObjectDeclaration {
  readonly object: KubeObject;
  readonly details: Omit<DeclaredField, "value">;
  /** The releases whose secrets no answer shows. */
  readonly secretsIn: ReleaseHistory;
  readonly notices: readonly Problem[];
  sources(path: readonly FieldStep[]): Promise<ReadSources>;
  /** Returns the first release with the value; undefined if the releases can't be read. */
  first(path: readonly FieldStep[]): ReleaseOfField | undefined;
  /** Reports whether the manifest has this value, with references as written. */
  hasValue(path: readonly FieldStep[], value: Json): boolean;
}

interface Records {
  readonly deployment: Deployment;
  readonly history: ReleaseHistory;
  /** The reasons why the releases can't be read. */
  readonly unreadable: readonly Problem[];
}

/**
 * Returns the manifest of an object from the releases. If this identity can't read them, it
 * compiles the working tree.
 */
export async function readDeclared(
  world: World,
  { deployment, history, unreadable }: Records,
  question: ObjectQuestion,
): Promise<ObjectDeclaration> {
  if (unreadable.length > 0) return readFromTree(world, deployment, unreadable, question);
  const recorded = findRecorded(history, deployment.name, question);
  return fromRelease(world, { deployment, history, unreadable }, recorded);
}

function fromRelease(
  world: World,
  { deployment, history }: Records,
  recorded: RecordedManifest,
): ObjectDeclaration {
  const { release, manifest, object } = recorded;
  const resource = `${manifest.stage}/${manifest.resource}`;
  const { commit, uncommitted } = release.source;
  return {
    object,
    notices: [],
    secretsIn: history,
    details: {
      resource,
      release: release.revision,
      isCurrent: release === history.current,
      rollbackOf: release.rollbackOf,
      commit,
      uncommitted: uncommitted === true,
    },
    sources: (path) =>
      sourcesOfRelease(world, deployment, compiledRelease(history, release), { resource, path }),
    first: (path) => toReleaseOfField(firstReleaseWithValue(history, recorded, path)),
    hasValue: (path, value) => isSameValue(recordedValue(object, path), value),
  };
}

function toReleaseOfField({ release, isOldest }: FirstRelease): ReleaseOfField {
  const { revision, startedAt, source } = release;
  const { commit, actor, run, approvedIn = [] } = source;
  return { revision, startedAt, commit, actor, run, approvedIn, orEarlier: isOldest };
}

/**
 * Compares a recorded and a compiled value. A record also has fields that qvs adds, such as labels
 * and defaults, and a reference can have another form in it.
 */
function isSameValue(recorded: Json | undefined, compiled: Json): boolean {
  if (isObject(recorded) && isObject(compiled))
    return Object.entries(compiled).every(([name, value]) =>
      isSameValue(fieldOf(recorded, name), value),
    );
  if (isList(recorded) && isList(compiled))
    return (
      recorded.length === compiled.length &&
      compiled.every((item, index) => isSameValue(recorded[index], item))
    );
  if (typeof recorded !== "string" || typeof compiled !== "string")
    return sameJson(recorded ?? null, compiled);
  const isReference = recorded.includes("$(ref.") || compiled.includes("$(ref.");
  return recorded === compiled || isReference || recorded === toBase64(compiled);
}

async function readFromTree(
  world: World,
  deployment: Deployment,
  unreadable: readonly Problem[],
  question: ObjectQuestion,
): Promise<ObjectDeclaration> {
  if (deployment.config === "") throw new UserError(unreadable);
  const cluster = chartCapabilities(world, deployment, () => world.target(deployment));
  const traced = await compileTraced(world.source, deployment, [], cluster);
  if (!traced.ok) throw new UserError([...unreadable, ...traced.problems]);
  const all = traced.value.compilation.resources.flatMap((resource) => {
    const object = resource.type === "manifest" ? placed(resource.object, deployment) : undefined;
    return object === undefined ? [] : [{ object, resource: `${resource.stage}/${resource.id}` }];
  });
  const found = all.filter(({ object }) => isMeant(question, object));
  const { object, resource } = onlyOne(found, question, () =>
    noSuchObject(
      deployment.name,
      question,
      all.map((each) => each.object),
    ),
  );
  const commit = await world.repository?.resolve("HEAD");
  const uncommitted = (await world.repository?.hasUncommittedChanges()) === true;
  return {
    object,
    notices: unreadable,
    secretsIn: createReleaseHistory([asRelease(traced.value, deployment)]),
    details: {
      ...{ resource, release: undefined, isCurrent: false, rollbackOf: undefined },
      ...{ commit, uncommitted },
    },
    sources: (path) => withHistory(world, commit, traced.value, { resource, path }),
    first: () => undefined,
    hasValue: () => true,
  };
}

/**
 * Returns the compilation as if a release had recorded it, so that its secrets are hidden by the
 * same rules.
 */
function asRelease({ compilation, input }: TracedCompilation, deployment: Deployment): Release {
  const manifests = compilation.resources.flatMap((resource): readonly ReleasedManifest[] => {
    if (resource.type !== "manifest") return [];
    const { stage, id, object, dependsOn, isLiteral } = resource;
    const references = isLiteral === true ? {} : { references: true as const };
    const normalized = placed(object, deployment) ?? object;
    return [{ stage, resource: id, object: normalized, dependsOn, ...references }];
  });
  return {
    ...{ format: releaseFormat, deployment: deployment.name, revision: 1, status: "pending" },
    ...{ rollbackOf: undefined, inputConfig: input, expandedConfig: manifests },
    ...{ layout: compilation.layout, inventory: [], results: [] },
    source: { commit: undefined, actor: undefined, run: undefined },
    ...{ startedAt: "", finishedAt: undefined },
  };
}

/** Returns a compiled object with the namespace that qvs adds. */
function placed(object: Json, { namespace }: Deployment): KubeObject | undefined {
  if (!isKubeObject(object)) return undefined;
  const given = idOf(object).namespace;
  return { ...object, metadata: { ...object.metadata, namespace: given || namespace } };
}
