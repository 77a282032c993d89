import { fieldOf, isList, isObject, type Json, type JsonObject } from "../model/json.ts";

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

/**
 * Reports whether the value of a field with this name can be a secret. All outputs use this rule:
 * previews, drift, releases, compiler messages and the cache.
 * It prefers to hide. A user can look up a value that was hidden unnecessarily, but no one can undo
 * the display of a secret.
 */
export function isSensitiveName(name: string): boolean {
  const words = splitNameWords(name);
  if (isSecretMetadata(words)) return false;
  return (
    sensitiveParts.test(name) ||
    connectionString.test(words.join("")) ||
    words.some((word, index) => isSensitiveWord(word, words[index - 1]))
  );
}

/**
 * Matches words that count within other words too: `dbpassword`, `MYSECRETS`. `tokenizer` and
 * `secretary` don't match.
 */
const sensitiveParts = /passw|passphrase|secret(?!ar(?:y|ies))|token(?!i[sz])|credential|apikey/i;

const sensitiveWords: ReadonlySet<string> = new Set([
  ...[
    "passwd",
    "pwd",
    "pw",
    "pass",
    "passcode",
    "pin",
    "pincode",
    "otp",
    "totp",
    "psk",
    "salt",
    "pepper",
  ],
  ...["cred", "creds", "key", "keys", "auth", "authorization", "bearer", "jwt", "hmac", "mnemonic"],
  ...["cert", "certs", "certificate", "certificates", "pem", "pfx", "keystore", "jks"],
  ...["dsn", "sas", "cookie", "kubeconfig"],
]);

/** Matches connection strings, which contain a password: `connStr`, `db_connection_string`. */
const connectionString = /conn(?:ection)?str(?:ing)?/;

/** Words before `key` for keys that aren't secret, such as a public key or a sort key. */
const publicKeyPrefixes: ReadonlySet<string> = new Set([
  ...["public", "pub", "topology", "sort", "partition", "label", "annotation", "foreign"],
]);

/**
 * Matches words that are written together: `privatekey`, `dbpass`, `rootpwd`. `monkey`, `compass`
 * and `bypass` don't match.
 */
const joinedWords =
  /^(?:private|sign(?:ing|ature)?|access|(?:en|de)crypt(?:ion)?|ssh|gpg|pgp|tls|ssl|master|auth|license|shared|session|account|storage|hmac|aes|rsa|jwt|crypto|host|deploy|app|service|server|client)keys?$|pwd$|^(?:db|user|admin|root|my|sql|mysql|pg|postgres|redis|smtp|mail|mongo|ftp|ldap|app|auth|basic)pass$/;

function isSensitiveWord(word: string, before: string | undefined): boolean {
  if (/^keys?$/.test(word) && before !== undefined) return !publicKeyPrefixes.has(before);
  return sensitiveWords.has(word) || joinedWords.test(word);
}

/**
 * Last words of names for the place, name or handling of a secret: `keyName`, `passwordSecretRef`,
 * `tokenTtl`.
 */
const metadataSuffixes: ReadonlySet<string> = new Set([
  ...[
    "name",
    "names",
    "ref",
    "refs",
    "id",
    "ids",
    "arn",
    "arns",
    "path",
    "paths",
    "dir",
    "namespace",
  ],
  ...["length", "size", "bits", "count", "ttl", "days", "hours", "minutes", "seconds", "expiry"],
  ...["enabled", "disabled", "required", "type", "algorithm", "policy", "mode", "method"],
  ...["issuer", "provider", "manager", "rotation", "host", "hostname", "port", "image", "version"],
  ...["tag", "tags", "replicas"],
]);

/**
 * Reports whether a name describes the place or handling of a secret. `secretId` doesn't count,
 * because the ID is one half of some credentials.
 */
function isSecretMetadata(words: readonly string[]): boolean {
  const last = words.at(-1);
  if (last === undefined || !metadataSuffixes.has(last)) return false;
  return !(/^ids?$/.test(last) && words.at(-2) === "secret");
}

/**
 * Reports whether a field contains a secret, such as `password: …` or
 * `{name: DB_PASSWORD, value: …}`.
 */
export function isSensitiveField(object: JsonObject, field: string, holder: string): boolean {
  if (field === "value")
    return ["name", "key"].some((each) => hasSensitiveName(fieldOf(object, each)));
  return isSensitiveName(field) && !(/^keys?$/i.test(field) && isSelector(object, holder));
}

function hasSensitiveName(name: Json | undefined): boolean {
  return typeof name === "string" && isSensitiveName(name);
}

/**
 * Reports whether `key` only selects something: in a toleration, a selector, a reference to a
 * ConfigMap key, or a pair of `key` and `value`.
 */
function isSelector(object: JsonObject, holder: string): boolean {
  return (
    /(?:ref|selector)s?$/i.test(holder) ||
    Object.keys(object).some((field) => selectorFields.has(field))
  );
}

const selectorFields: ReadonlySet<string> = new Set([
  ...["operator", "effect", "values", "value", "optional", "path", "version"],
]);

/** Reports whether a string is almost certainly a secret, independent of its name. */
export function isLikelySecretValue(text: string): boolean {
  return secretValuePatterns.some((shape) => shape.test(text));
}

/**
 * Private keys, addresses with a password, connection strings, signed tokens, and tokens of
 * well-known services.
 */
const secretValuePatterns: readonly RegExp[] = [
  /-----BEGIN [A-Z ]{0,40}PRIVATE KEY(?: BLOCK)?-----/,
  // The same in Base64, but not a certificate or a public key.
  /\bLS0tLS1CRUdJTi(?!BDRVJUSUZJQ0FUR|BQVUJMSUMg|BYNTA5IENSTC)/,
  /\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s/:@]{0,200}:[^\s/@$]{1,200}@/i,
  /\b(?:password|passwd|pwd|accountkey|sharedaccesskey)\s{0,9}=\s{0,9}[^\s;$]/i,
  /\beyJ[\w-]{8,}\.eyJ[\w-]{8,}\./,
  /\b(?:gh[opsur]_\w{20,}|github_pat_\w{20,}|glpat-[\w-]{16,}|xox[abeprs]-[\w-]{10,}|[sr]k_(?:live|test)_\w{10,}|AGE-SECRET-KEY-1\w{20,}|npm_\w{30,}|AIza[\w-]{35}|hv[sb]\.[\w-]{20,}|SG\.[\w-]{16,}\.\w)/,
  /\bhooks\.slack\.com\/services\/\w/i,
];
