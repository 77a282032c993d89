import {
  type ApplyTimeReference,
  assemble,
  holdsSecrets,
  type IgnoredSecretField,
  knownLater,
  type LiveReference,
  leavesOf,
  liveValueAt,
  referencesAmong,
  type SecretTexts,
  withValueAt,
} from "../../model/apply-time-reference.ts";
import { at, type Json, sameJson } from "../../model/json.ts";
import type { KubeObject } from "../../model/object.ts";
import type { LiveObjects } from "../../model/release.ts";
import { ownFields } from "../../ssa/managed-fields.ts";
import type { DeclaredObject, PreparedObject, ResolvedObject } from "./objects.ts";
import type { UnsettledText } from "./references.ts";
import { placesOf } from "./tokens.ts";

/** What may be read of live objects. */
interface Readable {
  /** Live objects that are not this deployment's, by key. */
  readonly foreign: ReadonlyMap<string, unknown>;
  /** Keys of objects that earlier releases put values of Secrets into. */
  readonly secretPlaces: ReadonlyMap<string, unknown>;
  /**
   * A preview resolves no value of a Secret (docs/concepts/previews.md#secret-values): who may open a pull request would be told
   * about it by dry-runs.
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
 * The objects with a value in place of every reference that was left for later: what is declared, what is live already,
 * or the words that it is known after deploy. After everything else that changes the objects, since it keeps the places.
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
  // What is to stay has its places to itself, and an object that is made again may keep more of it.
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

/** Where the values come from. */
interface Source {
  /** Without what is not ours: nothing of it is read. */
  readonly live: LiveObjects;
  readonly find: (resource: string) => DeclaredObject;
  readonly holdsSecrets: (object: DeclaredObject) => boolean;
  readonly hidesSecrets: boolean;
  readonly deployment: string;
}

/** Also what is declared otherwise now may be live with a Secret's value still. */
function holdersAmong(objects: readonly DeclaredObject[]): readonly string[] {
  return objects.filter(({ references }) => holdsSecrets(references)).map(({ key }) => key);
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

/** What a manifest does not say of a Secret, or of what holds or held the value of one, may be such a value. */
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

/** Tools repeat the whole object in annotations, and a set of texts is repeated by the record of owners. */
const holdsCopies: ReadonlySet<string | number> = new Set(["annotations", "managedFields"]);

function settled(
  placed: readonly Placed[],
  object: KubeObject,
  source: Source,
): Pick<ResolvedObject, "object" | "late" | "provable"> {
  const withValues = (lookUp: (reference: LiveReference) => Json | undefined) =>
    placed.reduce((part, text) => {
      const value = assemble(text, (reference) => lookUp(reference) ?? knownLater);
      return withValueAt(part, text.path, value ?? knownLater);
    }, object);
  const known = (reference: LiveReference) => knownValue(reference, source);
  const late = placed.map((text) => lateText(text, source));
  const isDeclared = source.hidesSecrets && placed.every((text) => isProvable(text, source));
  const provable = isDeclared
    ? withValues(({ declared, ...rest }) => declared ?? known(rest))
    : undefined;
  return { object: withValues(known), late, provable };
}

/**
 * Whether it may be told if the object is as it should be: all values of Secrets in it are declared, and are those that we have put
 * into these Secrets. Whoever wrote the manifest knows them then.
 */
function isProvable({ pieces }: Placed, source: Source): boolean {
  return referencesAmong(pieces).every((reference) => {
    const { on, path, declared, secret } = reference;
    if (!secret) return knownValue(reference, source) !== undefined;
    const object = source.live.get(on);
    if (declared === undefined || object === undefined) return false;
    const key = path.slice(1).map((step) => `f:${step}`);
    const isOurs = at(ownFields(object, source.deployment), "f:data", ...key) !== undefined;
    return isOurs && sameJson(declared, liveValueAt(object, path));
  });
}

function keptSecretsAmong(
  unsent: readonly Placed[],
  { live }: Source,
): readonly IgnoredSecretField[] {
  return unsent
    .filter((text) => holdsSecrets([text]))
    .map((text) => ({ path: text.path, hides: valuesToHide(text, live) }));
}

type Placed = Pick<ApplyTimeReference, "path" | "pieces" | "base64">;

function lateText(text: Placed, source: Source): ApplyTimeReference {
  const unknown = referencesAmong(text.pieces).find(
    (reference) => knownValue(reference, source) === undefined,
  );
  return { ...text, awaits: unknown?.on, hides: valuesToHide(text, source.live) };
}

function knownValue(
  { on, path, declared, secret }: LiveReference,
  { live, hidesSecrets }: Source,
): Json | undefined {
  if (secret && hidesSecrets) return undefined;
  return declared ?? liveValueAt(live.get(on), path);
}

/** The old value too: it is live where it was used until now. */
function valuesToHide({ pieces }: Placed, live: LiveObjects): SecretTexts {
  const secrets = referencesAmong(pieces).filter(({ secret }) => secret);
  return {
    declared: textsOf(secrets.map(({ declared }) => declared)),
    live: textsOf(secrets.map(({ on, path }) => liveValueAt(live.get(on), path))),
  };
}

function textsOf(values: readonly (Json | undefined)[]): readonly string[] {
  const texts = values.flatMap((value) => (value === undefined ? [] : leavesOf(value)));
  return [...new Set(texts)].filter((text) => text !== "");
}
