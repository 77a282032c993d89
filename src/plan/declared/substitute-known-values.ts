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
} from "../../model/apply-time-reference.ts";
import { at, type Json, sameJson } from "../../model/json.ts";
import type { KubeObject } from "../../model/object.ts";
import type { LiveObjects } from "../../model/release.ts";
import { ownFields } from "../../ssa/managed-fields.ts";
import type { DeclaredObject, PreparedObject, ResolvedObject } from "./objects.ts";
import type { UnsettledText } from "./references.ts";
import { placesOf } from "./tokens.ts";

/** The limits for reading live objects. */
interface Readable {
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

const everything: Readable = {
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
  readable = everything,
): readonly ResolvedObject[] {
  const live = new Map([...allLive].filter(([key]) => !readable.foreign.has(key)));
  const byResource = new Map(objects.map((each) => [`${each.stage}/${each.resource}`, each]));
  const holders = new Set([...readable.secretPlaces.keys(), ...holdersAmong(objects)]);
  const source: Source = {
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

function resolve(desired: PreparedObject, source: Source): ResolvedObject {
  const { references, ignoring } = desired;
  // Each object has its own places: a recreated object can contain more of the ignored fields.
  const settle = (object: KubeObject) =>
    settled(placedIn(object, references, source), object, source);
  const sent = settle(desired.object);
  if (ignoring === undefined) {
    return { ...desired, ...sent, ignoredSecretFields: [], recreated: sent };
  }
  const placed = new Set(placesOf(desired.object, references).map(({ text }) => text));
  const unsent = references.filter((text) => !placed.has(text));
  return {
    ...desired,
    ...sent,
    ignoredSecretFields: keptSecretsAmong(placedIn(ignoring.declared, unsent, source), source),
    recreated: settle(ignoring.recreated),
  };
}

/** The objects from which values are read. */
interface Source {
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
function holdersAmong(objects: readonly DeclaredObject[]): readonly string[] {
  return objects.filter(({ references }) => referencesSecret(references)).map(({ key }) => key);
}

function placedIn(
  object: KubeObject,
  references: readonly UnsettledText[],
  source: Source,
): readonly Placed[] {
  return placesOf(object, references).map(({ path, text, base64 }) => {
    const pieces = text.pieces.map((piece) => {
      if (typeof piece === "string") return piece;
      const { stage, resource, ...rest } = piece;
      const target = source.find(`${stage}/${resource}`);
      return {
        ...rest,
        on: target.key,
        secret: piece.secret || isSecretLive(rest, target, source),
      };
    });
    return { path, pieces, base64 };
  });
}

/**
 * Reports whether an undeclared value can be a Secret's value.
 * This is possible in Secrets, and in objects that have or had a Secret's value.
 */
function isSecretLive(
  { path, declared }: Pick<LiveReference, "path" | "declared">,
  target: DeclaredObject,
  { holdsSecrets }: Source,
): boolean {
  if (declared !== undefined) return false;
  const [part, field] = path;
  if (part === "metadata" && (field === undefined || holdsCopies.has(field))) return true;
  if (target.object.kind === "Secret") return part !== "metadata" || field !== "uid";
  return holdsSecrets(target);
}

/**
 * Metadata that repeats values.
 * Tools copy the whole object into annotations, and the record of field owners repeats a set of
 * strings.
 */
const holdsCopies: ReadonlySet<string | number> = new Set(["annotations", "managedFields"]);

function settled(
  placed: readonly Placed[],
  object: KubeObject,
  source: Source,
): Pick<ResolvedObject, "object" | "applyTimeReferences" | "provable"> {
  const withValues = (lookUp: (reference: LiveReference) => Json | undefined) =>
    placed.reduce((part, text) => {
      const value = assemblePieces(text, (reference) => lookUp(reference) ?? knownAfterDeploy);
      return setValue(part, text.path, value ?? knownAfterDeploy);
    }, object);
  const known = (reference: LiveReference) => knownValue(reference, source);
  const applyTimeReferences = placed.map((text) => lateText(text, source));
  const isDeclared = source.hidesSecrets && placed.every((text) => isProvable(text, source));
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
function isProvable({ pieces }: Placed, source: Source): boolean {
  return selectReferences(pieces).every((reference) => {
    const { on, path, declared, secret } = reference;
    if (!secret) return knownValue(reference, source) !== undefined;
    const object = source.live.get(on);
    if (declared === undefined || object === undefined) return false;
    const key = path.slice(1).map((step) => `f:${step}`);
    const isOurs = at(ownFields(object, source.deployment), "f:data", ...key) !== undefined;
    return isOurs && sameJson(declared, readLiveValue(object, path));
  });
}

function keptSecretsAmong(
  unsent: readonly Placed[],
  { live }: Source,
): readonly IgnoredSecretField[] {
  return unsent
    .filter((text) => referencesSecret([text]))
    .map((text) => ({ path: text.path, secretValues: valuesToHide(text, live) }));
}

type Placed = Pick<ApplyTimeReference, "path" | "pieces" | "base64">;

function lateText(text: Placed, source: Source): ApplyTimeReference {
  const unknown = selectReferences(text.pieces).find(
    (reference) => knownValue(reference, source) === undefined,
  );
  return { ...text, awaits: unknown?.on, secretValues: valuesToHide(text, source.live) };
}

function knownValue(
  { on, path, declared, secret }: LiveReference,
  { live, hidesSecrets }: Source,
): Json | undefined {
  if (secret && hidesSecrets) return undefined;
  return declared ?? readLiveValue(live.get(on), path);
}

/**
 * Returns the values to hide.
 * They include the old value, which is live where it was used until now.
 */
function valuesToHide({ pieces }: Placed, live: LiveObjects): SecretValues {
  const secrets = selectReferences(pieces).filter(({ secret }) => secret);
  return {
    declared: textsOf(secrets.map(({ declared }) => declared)),
    live: textsOf(secrets.map(({ on, path }) => readLiveValue(live.get(on), path))),
  };
}

function textsOf(values: readonly (Json | undefined)[]): readonly string[] {
  const texts = values.flatMap((value) => (value === undefined ? [] : scalarTexts(value)));
  return [...new Set(texts)].filter((text) => text !== "");
}
