import * as v from "valibot";

/**
 * The part of kubeconfig v1 that qvs uses
 * (https://kubernetes.io/docs/reference/config-api/kubeconfig.v1/).
 */

/**
 * Returns a test for objects whose values all pass `isValue`. Unlike valibot's own record, it drops
 * no names such as `constructor`.
 */
function createMapTest(isValue: (value: unknown) => boolean): (value: unknown) => boolean {
  return (value) =>
    typeof value === "object" &&
    value !== null &&
    !Array.isArray(value) &&
    Object.values(value).every(isValue);
}

function isText(value: unknown): boolean {
  return typeof value === "string";
}

function isTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every(isText);
}

const text = v.nullish(v.string());
const flag = v.nullish(v.boolean(), false);

const cluster = v.object({
  server: v.string(),
  "certificate-authority": text,
  "certificate-authority-data": text,
  "insecure-skip-tls-verify": flag,
  "tls-server-name": text,
  "proxy-url": text,
  extensions: v.nullish(v.array(v.object({ name: v.string(), extension: v.unknown() })), []),
});

const exec = v.object({
  apiVersion: v.nullish(v.string(), "client.authentication.k8s.io/v1"),
  command: v.string(),
  args: v.nullish(v.array(v.string()), []),
  env: v.nullish(v.array(v.object({ name: v.string(), value: v.string() })), []),
  installHint: text,
  provideClusterInfo: flag,
});

const user = v.object({
  token: text,
  tokenFile: text,
  username: text,
  password: text,
  "client-certificate": text,
  "client-certificate-data": text,
  "client-key": text,
  "client-key-data": text,
  as: text,
  "as-uid": text,
  "as-groups": v.nullish(v.array(v.string()), []),
  "as-user-extra": v.nullish(
    v.custom<Readonly<Record<string, readonly string[]>>>(createMapTest(isTexts)),
    {},
  ),
  exec: v.nullish(exec),
  "auth-provider": v.nullish(
    v.object({
      name: v.string(),
      config: v.nullish(v.custom<Readonly<Record<string, string>>>(createMapTest(isText)), {}),
    }),
  ),
});

const context = v.object({ cluster: v.string(), user: v.nullish(v.string(), ""), namespace: text });

export const kubeconfigSchema = v.object({
  clusters: v.nullish(v.array(v.object({ name: v.string(), cluster })), []),
  users: v.nullish(v.array(v.object({ name: v.string(), user: v.nullish(user, {}) })), []),
  contexts: v.nullish(v.array(v.object({ name: v.string(), context })), []),
  "current-context": text,
});

export type Kubeconfig = v.InferOutput<typeof kubeconfigSchema>;
export type KubeconfigCluster = v.InferOutput<typeof cluster>;
export type KubeconfigUser = v.InferOutput<typeof user>;
export type KubeconfigExec = v.InferOutput<typeof exec>;
