import { InvalidArgumentError } from "commander";
import { parseAllDocuments } from "yaml";
import { fieldOf, isList, isObject, type Json, textAt } from "../model/json.ts";

/** The words for kinds on a command line. */

interface NamedKind {
  readonly group: string;
  readonly kind: string;
}

/**
 * Returns the kind that kubectl means by a word such as `deploy`; undefined for an unknown word.
 */
export function findKind(word: string): NamedKind | undefined {
  return kinds.find(({ words }) => words.includes(word.toLowerCase()));
}

/**
 * A kind on the command line: `deploy`, `Deployment`, or `Rollout.argoproj.io` for other API
 * groups.
 */
interface KindSelector {
  /** The kind in lower case. */
  readonly kind: string;
  /** The API group; undefined for any. */
  readonly group: string | undefined;
}

export function parseKind(text: string): KindSelector {
  const [, word = text, group] = /^([^.]+)\.(.+)$/.exec(text) ?? [];
  const known = group === undefined ? findKind(word) : undefined;
  if (known !== undefined) return { kind: known.kind.toLowerCase(), group: known.group };
  return { kind: word.toLowerCase(), group };
}

/**
 * Reports whether the word means this kind. It also accepts plurals by the English rules that
 * Kubernetes uses.
 */
export function matchesKind({ kind, group }: KindSelector, found: NamedKind): boolean {
  const name = found.kind.toLowerCase();
  const plurals = [name, `${name}s`, `${name}es`, name.replace(/y$/, "ies")];
  return plurals.includes(kind) && (group === undefined || group === found.group);
}

/** The common kinds with kubectl's words for them. */
const kinds: readonly (NamedKind & { readonly words: readonly string[] })[] = [
  ["", "ConfigMap", "configmap configmaps cm"],
  ["", "Namespace", "namespace namespaces ns"],
  ["", "PersistentVolumeClaim", "persistentvolumeclaim persistentvolumeclaims pvc"],
  ["", "Secret", "secret secrets"],
  ["", "Service", "service services svc"],
  ["", "ServiceAccount", "serviceaccount serviceaccounts sa"],
  ["apps", "DaemonSet", "daemonset daemonsets ds"],
  ["apps", "Deployment", "deployment deployments deploy"],
  ["apps", "StatefulSet", "statefulset statefulsets sts"],
  [
    "autoscaling",
    "HorizontalPodAutoscaler",
    "horizontalpodautoscaler horizontalpodautoscalers hpa",
  ],
  ["batch", "CronJob", "cronjob cronjobs cj"],
  ["batch", "Job", "job jobs"],
  ["networking.k8s.io", "Ingress", "ingress ingresses ing"],
  ["networking.k8s.io", "NetworkPolicy", "networkpolicy networkpolicies netpol"],
  ["policy", "PodDisruptionBudget", "poddisruptionbudget poddisruptionbudgets pdb"],
  ["rbac.authorization.k8s.io", "Role", "role roles"],
  ["rbac.authorization.k8s.io", "RoleBinding", "rolebinding rolebindings"],
].map(([group = "", kind = "", words = ""]) => ({ group, kind, words: words.split(" ") }));

export const kindWords: readonly string[] = kinds.flatMap(({ words }) => words);

/** The names of the common kinds. */
export const kindNames: readonly string[] = kinds.map(({ kind }) => kind);

/** One requirement of a label selector. */
interface LabelRequirement {
  readonly name: string;
  /** The label's value; undefined if the label only has to exist. */
  readonly value: string | undefined;
  /** True to negate the requirement. */
  readonly isNegated: boolean;
}

/**
 * Parses a selector such as `app=web,tier!=cache,!legacy`, like kubectl. Sets (`in`, `notin`)
 * aren't supported.
 */
export function parseLabelSelector(text: string): readonly LabelRequirement[] {
  return text
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "")
    .map(parseRequirement);
}

function parseRequirement(part: string): LabelRequirement {
  const [, not = "", name = "", operator = "", value = ""] =
    /^(!?)([\w./-]+)(?:\s*(==?|!=)\s*([\w.-]*))?$/.exec(part) ?? [];
  if (name === "" || (not !== "" && operator !== "")) {
    throw new InvalidArgumentError(
      "Write NAME=VALUE, NAME!=VALUE, NAME or !NAME, comma-separated.",
    );
  }
  if (operator === "") return { name, value: undefined, isNegated: not !== "" };
  return { name, value, isNegated: operator === "!=" };
}

export function matchesLabels(
  labels: Readonly<Record<string, unknown>>,
  rules: readonly LabelRequirement[],
): boolean {
  return rules.every(({ name, value, isNegated }) => {
    const has = Object.hasOwn(labels, name);
    const isMatch = value === undefined ? has : fieldOf(labels, name) === value;
    return isMatch !== isNegated;
  });
}

/**
 * Parses objects from JSON or from YAML with any number of documents, for example the output of
 * `kubectl get`. Lists become their items. Returns an error message if the text has errors.
 * Values that JSON can't express exactly become similar ones, because nothing is sent.
 */
export function parseObjects(text: string): readonly Json[] | string {
  const documents = parseJson(text) ?? parseYaml(text);
  return typeof documents === "string" ? documents : documents.flatMap(listItems);
}

/** Parses one JSON document, which is much faster than YAML. Undefined if it isn't one. */
function parseJson(text: string): readonly Json[] | undefined {
  if (!/^\s*[[{]/.test(text)) return undefined;
  try {
    return [JSON.parse(text)];
  } catch {
    return undefined;
  }
}

function parseYaml(text: string): readonly Json[] | string {
  const parsed: Json[] = [];
  const documents = parseAllDocuments(text, { uniqueKeys: false, prettyErrors: true });
  for (const document of "empty" in documents ? [] : documents) {
    const [error] = document.errors;
    if (error !== undefined) return error.message.split("\n")[0] ?? "";
    try {
      parsed.push(toJson(document.toJS({ maxAliasCount: 100 })));
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
  }
  return parsed;
}

/** Converts a value to plain JSON: dates become strings, and numbers beyond JSON become null. */
function toJson(value: unknown): Json {
  return JSON.parse(JSON.stringify(value ?? null));
}

/** Returns the objects in a document; none if it contains only comments. */
function listItems(document: Json): readonly Json[] {
  if (document === null) return [];
  if (isList(document)) return document.flatMap(listItems);
  const isListKind = isObject(document) && /List$/.test(textAt(document, "kind") ?? "");
  const items = isObject(document) ? document["items"] : undefined;
  return isListKind && isList(items) ? items.flatMap(listItems) : [document];
}
