import type { ReleaseHistory } from "../../model/deployments/release-history.ts";
import { idOf, type KubeObject, keyOf, nameOf, type ObjectId } from "../../model/object.ts";
import { UserError } from "../../model/problems/errors.ts";
import { suggestClosest, summarizeList } from "../../model/text/suggest.ts";
import {
  findRecordedManifests,
  type RecordedManifest,
} from "../../releases/queries/field-history.ts";

/** An object of a deployment, as the user names it. */
export interface ObjectQuestion {
  /** Reports whether the user's word means this kind. */
  isKind(kind: { readonly kind: string; readonly group: string }): boolean;
  readonly name: string;
  /** Undefined for any namespace. */
  readonly namespace: string | undefined;
  /** The object as the user wrote it. */
  readonly text: string;
}

/** Reports whether the user means this object. */
export function isMeant(question: ObjectQuestion, object: KubeObject): boolean {
  const { name, namespace, ...kind } = idOf(object);
  return (
    name === question.name &&
    (question.namespace === undefined || namespace === question.namespace) &&
    question.isKind(kind)
  );
}

/**
 * Returns the newest recorded manifest of the object. Throws a UserError if no release declares it,
 * or if the name can mean several objects.
 */
export function findRecorded(
  history: ReleaseHistory,
  deployment: string,
  question: ObjectQuestion,
): RecordedManifest {
  const found = findRecordedManifests(history, (object) => isMeant(question, object));
  return onlyOne(found, question, () => {
    const all = findRecordedManifests(history, () => true);
    return noSuchObject(
      deployment,
      question,
      all.map(({ object }) => object),
    );
  });
}

/** Returns the only element. Throws a UserError for none or several objects. */
export function onlyOne<T extends { readonly object: KubeObject }>(
  found: readonly T[],
  { text }: ObjectQuestion,
  missing: () => UserError,
): T {
  const [first] = found;
  if (first === undefined) throw missing();
  const objects = new Map(found.map(({ object }) => [keyOf(idOf(object)), idOf(object)]));
  if (objects.size === 1) return first;
  const names = [...objects.values()].map(argumentFor);
  throw new UserError([
    {
      code: "ambiguous-selection",
      where: [],
      what: `"${text}" can mean ${objects.size} objects`,
      fix: `Choose one of ${summarizeList(names, maxListed)}`,
    },
  ]);
}

const maxListed = 20;

/** Returns the error for an object that the deployment doesn't declare. */
export function noSuchObject(
  deployment: string,
  { text }: ObjectQuestion,
  declared: readonly KubeObject[],
): UserError {
  const names = declared.map((object) => argumentFor(idOf(object)));
  const short = declared.map((object) => `${object.kind}/${idOf(object).name}`);
  const fix = `Choose one of ${summarizeList(names, maxListed)}`;
  return new UserError([
    {
      code: "object-not-found",
      where: [],
      what: `Deployment "${deployment}" declares no object "${text}"`,
      ...(names.length === 0
        ? { fix: "Deploy the object first" }
        : suggestClosest(text, [...short, ...names], fix)),
    },
  ]);
}

/** Returns the argument that names exactly this object: `Deployment.apps/shop/web`. */
function argumentFor({ group, kind, namespace, name }: ObjectId): string {
  const word = group === "" ? kind : `${kind}.${group}`;
  return namespace === "" ? `${word}/${name}` : `${word}/${namespace}/${name}`;
}

/** Returns the name for messages. */
export function objectName(object: KubeObject): string {
  return nameOf(idOf(object));
}
