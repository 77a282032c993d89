import { isSensitiveName } from "../../../redaction/sensitive-name.ts";
import type { SentSecrets } from "../../../redaction/sent-secrets.ts";
import type { ProxyVariables } from "../transport/connection.ts";
import type { KubeconfigUser } from "./schema.ts";

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
