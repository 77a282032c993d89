import { isList, isObject, type Json } from "../model/json.ts";
import { isCommonWord } from "./sensitive-name.ts";

/** Shorter strings hide only names that equal them. */
const minLength = 4;
/** From this length on, a string is also found inside words. */
const minLengthInsideWords = 6;

/**
 * Reports whether the name of a field contains a secret, as if an adapter makes a key of a
 * ConfigMap or a label from a parameter. Names that most manifests have aren't hidden.
 */
export function isHiddenKey(hides: readonly string[], key: string): boolean {
  if (hides.length === 0 || ordinaryNames.has(key) || isCommonWord(key)) return false;
  return hides.some((each) => key === each || (each.length >= minLength && contains(key, each)));
}

function contains(key: string, secret: string): boolean {
  if (secret.length >= minLengthInsideWords) return key.includes(secret);
  return key.split(/[^\w-]+/).includes(secret);
}

/** Returns the names of fields of a path, without secrets. */
export function hideSteps<Step>(
  hides: readonly string[],
  steps: readonly Step[],
): readonly (Step | string)[] {
  return steps.map((step) =>
    typeof step === "string" && isHiddenKey(hides, step) ? "(hidden)" : step,
  );
}

/** Returns a value whose fields have no secret as their name. */
export function hideKeys(hides: readonly string[], value: Json | undefined): Json | undefined {
  if (hides.length === 0 || value === undefined) return value;
  if (isList(value)) return value.map((item) => hideKeys(hides, item) ?? null);
  if (!isObject(value)) return value;
  const names = shownNames(Object.keys(value), hides, () => "(hidden)");
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [
      names.get(key) ?? key,
      hideKeys(hides, item) ?? null,
    ]),
  );
}

/**
 * Returns the shown name of each key. `wordFor` returns the word that replaces a secret. Further
 * keys with the same word have a number.
 */
export function shownNames(
  keys: readonly string[],
  hides: readonly string[],
  wordFor: (key: string) => string,
): ReadonlyMap<string, string> {
  const taken = new Set(keys);
  return new Map(
    keys.map((key) => {
      if (!isHiddenKey(hides, key)) return [key, key];
      const word = wordFor(key);
      let name = word;
      for (let number = 2; taken.has(name); number += 1) name = `${word} ${number}`;
      taken.add(name);
      return [key, name];
    }),
  );
}

/** The fields of most objects. A secret that equals one of them would be easy to guess. */
const ordinaryNames: ReadonlySet<string> = new Set([
  ...[
    "apiVersion",
    "kind",
    "metadata",
    "name",
    "namespace",
    "labels",
    "annotations",
    "generateName",
  ],
  ...["spec", "status", "data", "binaryData", "stringData", "type", "immutable", "template"],
  ...["replicas", "selector", "matchLabels", "matchExpressions", "strategy", "containers"],
  ...["initContainers", "volumes", "volumeMounts", "image", "command", "args", "env", "envFrom"],
  ...[
    "value",
    "valueFrom",
    "ports",
    "port",
    "protocol",
    "containerPort",
    "targetPort",
    "resources",
  ],
  ...["limits", "requests", "cpu", "memory", "storage", "rules", "host", "path", "paths", "http"],
  ...["backend", "subjects", "roleRef", "verbs", "apiGroups", "resourceNames", "key", "items"],
  ...["properties", "values", "config", "options", "params", "parameters", "provider", "content"],
]);
