import { isList, isObject, type Json } from "../model/json.ts";

/**
 * Splits a name such as `dbPassword`, `db-password`, `DB_PASSWORD` or `APIKey` into lowercase
 * words.
 */
export function splitNameWords(name: string): readonly string[] {
  return name
    .replaceAll(/([a-z\d])([A-Z])/g, "$1 $2")
    .replaceAll(/([A-Z])([A-Z][a-z])/g, "$1 $2")
    .toLowerCase()
    .replaceAll(/p12/g, "pfx")
    .split(/[^a-z]+/)
    .filter((word) => word !== "");
}

/**
 * Reports whether both the name and the value of a field show that it is a setting: `tag: 1.10`.
 */
export function isPlainSetting(name: string, value: Json): boolean {
  if (isList(value)) return value.every((item) => isPlainSetting(name, item));
  if (isObject(value) || !settingWords.has(splitNameWords(name).at(-1) ?? "")) return false;
  return typeof value === "boolean" || value === null || isPlainValue(String(value));
}

const settingWords: ReadonlySet<string> = new Set([
  ...["tag", "tags", "image", "images", "repository", "registry", "version", "policy", "replicas"],
  ...["enabled", "disabled", "required", "optional", "type", "kind", "mode", "level", "class"],
  ...["port", "ports", "protocol", "cpu", "memory", "storage", "size", "count", "length", "limit"],
  ...["interval", "timeout", "ttl", "schedule", "retries", "seconds", "minutes", "hours", "days"],
  ...["resource", "resources", "verb", "verbs", "groups", "scope", "strategy"],
]);

function isPlainValue(text: string): boolean {
  return isCommonWord(text) || plainPatterns.some((form) => form.test(text));
}

const plainPatterns: readonly RegExp[] = [
  // A version, a quantity or a duration.
  /^v?\d{1,4}(?:\.\d{1,4}){1,3}(?:[-+.][a-z]{1,8}\.?\d{0,3})?$/,
  /^\d{1,5}(?:\.\d{1,3})?(?:m|ms|s|h|d|k|M|G|Ki|Mi|Gi|Ti|%)?$/,
  // An image with its registry or owner.
  /^(?:[a-z\d.-]+(?::\d{1,5})?\/)?[a-z\d._-]+\/[a-z\d._-]+(?::v?[\d.]{1,20}|@sha256:[\da-f]{64})?$/,
];

/**
 * Reports whether a string is a word of Kubernetes itself. Many objects contain such a word, and it
 * isn't a secret. If qvs hid it everywhere, reviewers couldn't see important changes.
 */
export function isCommonWord(text: string): boolean {
  return commonWords.has(text.toLowerCase());
}

const commonWords: ReadonlySet<string> = new Set([
  ...[
    "true",
    "false",
    "null",
    "none",
    "latest",
    "stable",
    "default",
    "auto",
    "enabled",
    "disabled",
  ],
  ...["always", "ifnotpresent", "never", "onfailure", "rollingupdate", "recreate", "ondelete"],
  ...["clusterip", "nodeport", "loadbalancer", "externalname", "tcp", "udp", "sctp", "http"],
  ...["https", "grpc", "cluster", "local", "namespaced", "namespace", "retain", "delete"],
  ...["readwriteonce", "readonlymany", "readwritemany", "opaque", "fail", "ignore", "strict"],
  ...["get", "list", "watch", "create", "update", "patch", "deletecollection", "bind", "escalate"],
  ...["impersonate", "approve", "sign", "use", "secrets", "secret", "configmaps", "configmap"],
  ...["pods", "pod", "services", "service", "endpoints", "events", "namespaces", "nodes"],
  ...["serviceaccounts", "serviceaccount", "persistentvolumeclaims", "persistentvolumes"],
  ...["deployments", "deployment", "statefulsets", "statefulset", "daemonsets", "daemonset"],
  ...["replicasets", "jobs", "job", "cronjobs", "cronjob", "ingresses", "ingress", "roles", "role"],
  ...[
    "rolebindings",
    "clusterroles",
    "clusterrole",
    "clusterrolebindings",
    "leases",
    "networkpolicies",
  ],
  ...["customresourcedefinitions", "horizontalpodautoscalers", "poddisruptionbudgets"],
  ...["externalsecrets", "secretstores", "clustersecretstores", "sealedsecrets", "certificates"],
  ...["debug", "info", "warn", "warning", "error", "production", "staging", "development"],
]);
