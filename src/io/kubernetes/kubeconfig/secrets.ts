import { parseDocument } from "yaml";
import { fieldOf } from "../../../model/json.ts";
import { isSensitiveName } from "../../../redaction/sensitive-name.ts";
import type { SentSecrets } from "../../../redaction/sent-secrets.ts";
import type { ProxyVariables } from "../transport/connection.ts";
import type { KubeconfigUser } from "./read-kubeconfig.ts";

/**
 * Returns the credentials in a kubeconfig, for masking. Undefined if the text isn't a kubeconfig.
 * Short credentials are left out, because masking them would hide ordinary words everywhere.
 */
export function findSecrets(text: string): readonly string[] | undefined {
  const config = parse(text);
  if (!isObject(config) || !sections.some((name) => Array.isArray(fieldOf(config, name))))
    return undefined;
  const users = Array.isArray(config.users) ? config.users : [];
  const texts = users.flatMap((entry) => (isObject(entry) ? leaves(entry.user) : []));
  return [...new Set(texts)].filter((leaf) => leaf.trim().length >= shortest);
}

const sections = ["clusters", "users", "contexts"];
const shortest = 8;

/** Fields that messages name and that aren't secret. */
const harmless: ReadonlySet<string> = new Set([
  "apiVersion",
  "client-certificate",
  "client-key",
  "command",
  "installHint",
  "interactiveMode",
  "name",
  "tokenFile",
]);

function leaves(value: unknown): readonly string[] {
  if (typeof value === "string") return [value];
  if (Array.isArray(value)) return value.flatMap(leaves);
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([key, each]) => (harmless.has(key) ? [] : leaves(each)));
}

function parse(text: string): unknown {
  try {
    const document = parseDocument(text, { prettyErrors: false });
    return document.errors.length > 0 ? undefined : document.toJS();
  } catch {
    // The aliases expand to too much.
    return undefined;
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * Adds the credentials that a kubeconfig contains for a user, including those that only a plugin
 * receives.
 */
export function addUserSecrets(sent: SentSecrets, user: KubeconfigUser): void {
  const key = user["client-key-data"];
  const secrets = [
    user.token,
    user.password,
    key,
    key && Buffer.from(key, "base64").toString(),
    ...(user.exec?.env ?? []).flatMap(({ name, value }) => (isSensitiveName(name) ? value : [])),
    ...Object.entries(user["auth-provider"]?.config ?? {}).flatMap(([name, value]) =>
      isSensitiveName(name) || name.endsWith("-token") ? String(value) : [],
    ),
  ];
  for (const secret of secrets) if (secret) sent.add(secret);
}

/** Adds the passwords in proxy addresses, because proxies receive them with each connection. */
export function addProxyLogins(sent: SentSecrets, proxy: ProxyVariables): void {
  for (const address of Object.values(proxy)) {
    const url = address === undefined ? undefined : URL.parse(address);
    if (!url?.password) continue;
    for (const [username, password] of [
      [url.username, url.password],
      [unescaped(url.username), unescaped(url.password)],
    ]) {
      sent.add(`${username}:${password}`);
      sent.add(password ?? "");
    }
  }
}

function unescaped(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
