import type { LiveObjects } from "../../model/deployments/release.ts";
import { at, type Json, sameJson } from "../../model/json.ts";
import type { KubeObject } from "../../model/object.ts";
import {
  type ApplyTimeReference,
  assemblePieces,
  type IgnoredSecretField,
  knownAfterDeploy,
  type LiveReference,
  readLiveValue,
  referencesSecret,
  type SecretValues,
  scalarTexts,
  selectReferences,
  setValue,
} from "../../model/plan/apply-time-reference.ts";
import { deploymentFields } from "../../ssa/managed-fields.ts";
import type { DeclaredObject, PreparedObject, ResolvedObject } from "./objects.ts";
import type { PendingText } from "./references.ts";
import { tokenPlaces } from "./tokens.ts";

/** The limits for reading live objects. */
interface ReadLimits {
  /** Live objects outside this deployment, by key. */
  readonly foreign: ReadonlyMap<string, unknown>;
  /** The keys of objects that contain values of Secrets from earlier releases. */
  readonly secretPlaces: ReadonlyMap<string, unknown>;
  /**
   * A preview resolves no value of a Secret (docs/concepts/previews.md#secret-values).
   * Otherwise, dry runs would reveal it to anyone who can open a pull request.
   */
  readonly purpose: "preview" | "deploy";
  readonly deployment: string;
}

const noLimits: ReadLimits = {
  foreign: new Map(),
  secretPlaces: new Map(),
  purpose: "deploy",
  deployment: "",
};

/**
 * Replaces every late reference by its declared value, its live value, or "(known after deploy)".
 * It runs after everything else that changes the objects, because it records their places.
 */
export function substituteKnownValues(
  objects: readonly PreparedObject[],
  allLive: LiveObjects,
  readable = noLimits,
): readonly ResolvedObject[] {
  const live = new Map([...allLive].filter(([key]) => !readable.foreign.has(key)));
  const byResource = new Map(objects.map((each) => [`${each.stage}/${each.resource}`, each]));
  const holders = new Set([...readable.secretPlaces.keys(), ...objectsWithSecrets(objects)]);
  const source: ValueSource = {
    live,
    find(resource) {
      const found = byResource.get(resource);
      if (found === undefined) throw new Error(`no object of the resource ${resource}`);
      return found;
    },
    holdsSecrets: ({ key }) => holders.has(key),
    hidesSecrets: readable.purpose === "preview",
    deployment: readable.deployment,
  };
  return objects.map((desired) => resolve(desired, source));
}

function resolve(desired: PreparedObject, source: ValueSource): ResolvedObject {
  const { references, ignoring } = desired;
  // Each object has its own places: a recreated object can contain more of the ignored fields.
  const resolveObject = (object: KubeObject) =>
    resolveValues(placeReferences(object, references, source), object, source);
  const sent = resolveObject(desired.object);
  if (ignoring === undefined) {
    return { ...desired, ...sent, ignoredSecretFields: [], recreated: sent };
  }
  const placed = new Set(tokenPlaces(desired.object, references).map(({ text }) => text));
  const unsent = references.filter((text) => !placed.has(text));
  return {
    ...desired,
    ...sent,
    ignoredSecretFields: keptSecretFields(
      placeReferences(ignoring.declared, unsent, source),
      source,
    ),
    recreated: resolveObject(ignoring.recreated),
  };
}

/** The objects from which values are read. */
interface ValueSource {
  /** The live objects of this deployment. qvs reads no other objects. */
  readonly live: LiveObjects;
  readonly find: (resource: string) => DeclaredObject;
  readonly holdsSecrets: (object: DeclaredObject) => boolean;
  readonly hidesSecrets: boolean;
  readonly deployment: string;
}

/**
 * Lists the objects with references to Secrets.
 * A field that is declared differently now can still have a Secret's live value.
 */
function objectsWithSecrets(objects: readonly DeclaredObject[]): readonly string[] {
  return objects.filter(({ references }) => referencesSecret(references)).map(({ key }) => key);
}

function placeReferences(
  object: KubeObject,
  references: readonly PendingText[],
  source: ValueSource,
): readonly PlacedText[] {
  return tokenPlaces(object, references).map(({ path, text, base64 }) => {
    const pieces = text.pieces.map((piece) => {
      if (typeof piece === "string") return piece;
      const { stage, resource, ...rest } = piece;
      const target = source.find(`${stage}/${resource}`);
      return {
        ...rest,
        on: target.key,
        secret: piece.secret || canBeSecret(rest, target, source),
      };
    });
    return { path, pieces, base64 };
  });
}

/**
 * Reports whether an undeclared value can be a Secret's value.
 * This is possible in Secrets, and in objects that have or had a Secret's value.
 */
function canBeSecret(
  { path, declared }: Pick<LiveReference, "path" | "declared">,
  target: DeclaredObject,
  { holdsSecrets }: ValueSource,
): boolean {
  if (declared !== undefined) return false;
  const [part, field] = path;
  if (part === "metadata" && (field === undefined || copyingMetadata.has(field))) return true;
  if (target.object.kind === "Secret") return part !== "metadata" || field !== "uid";
  return holdsSecrets(target);
}

/**
 * Metadata that repeats values.
 * Tools copy the whole object into annotations, and the record of field owners repeats a set of
 * strings.
 */
const copyingMetadata: ReadonlySet<string | number> = new Set(["annotations", "managedFields"]);

function resolveValues(
  texts: readonly PlacedText[],
  object: KubeObject,
  source: ValueSource,
): Pick<ResolvedObject, "object" | "applyTimeReferences" | "provable"> {
  const withValues = (lookUp: (reference: LiveReference) => Json | undefined) =>
    texts.reduce((part, text) => {
      const value = assemblePieces(text, (reference) => lookUp(reference) ?? knownAfterDeploy);
      return setValue(part, text.path, value ?? knownAfterDeploy);
    }, object);
  const known = (reference: LiveReference) => knownValue(reference, source);
  const applyTimeReferences = texts.map((text) => toApplyTimeReference(text, source));
  const isDeclared = source.hidesSecrets && texts.every((text) => isProvable(text, source));
  const provable = isDeclared
    ? withValues(({ declared, ...rest }) => declared ?? known(rest))
    : undefined;
  return { object: withValues(known), applyTimeReferences, provable };
}

/**
 * Reports whether the plan can show that the object is as declared.
 * All values of Secrets in it must be declared, and this deployment must have written them to the
 * Secrets. The author of the manifest then knows them.
 */
function isProvable({ pieces }: PlacedText, source: ValueSource): boolean {
  return selectReferences(pieces).every((reference) => {
    const { on, path, declared, secret } = reference;
    if (!secret) return knownValue(reference, source) !== undefined;
    const object = source.live.get(on);
    if (declared === undefined || object === undefined) return false;
    const key = path.slice(1).map((step) => `f:${step}`);
    const isOurs = at(deploymentFields(object, source.deployment), "f:data", ...key) !== undefined;
    return isOurs && sameJson(declared, readLiveValue(object, path));
  });
}

function keptSecretFields(
  unsent: readonly PlacedText[],
  { live }: ValueSource,
): readonly IgnoredSecretField[] {
  return unsent
    .filter((text) => referencesSecret([text]))
    .map((text) => ({ path: text.path, secretValues: valuesToHide(text, live) }));
}

type PlacedText = Pick<ApplyTimeReference, "path" | "pieces" | "base64">;

function toApplyTimeReference(text: PlacedText, source: ValueSource): ApplyTimeReference {
  const unknown = selectReferences(text.pieces).find(
    (reference) => knownValue(reference, source) === undefined,
  );
  return { ...text, awaits: unknown?.on, secretValues: valuesToHide(text, source.live) };
}

function knownValue(
  { on, path, declared, secret }: LiveReference,
  { live, hidesSecrets }: ValueSource,
): Json | undefined {
  if (secret && hidesSecrets) return undefined;
  return declared ?? readLiveValue(live.get(on), path);
}

/**
 * Returns the values to hide.
 * They include the old value, which is live where it was used until now.
 */
function valuesToHide({ pieces }: PlacedText, live: LiveObjects): SecretValues {
  const secrets = selectReferences(pieces).filter(({ secret }) => secret);
  return {
    declared: uniqueStrings(secrets.map(({ declared }) => declared)),
    live: uniqueStrings(secrets.map(({ on, path }) => readLiveValue(live.get(on), path))),
  };
}

function uniqueStrings(values: readonly (Json | undefined)[]): readonly string[] {
  const texts = values.flatMap((value) => (value === undefined ? [] : scalarTexts(value)));
  return [...new Set(texts)].filter((text) => text !== "");
}
