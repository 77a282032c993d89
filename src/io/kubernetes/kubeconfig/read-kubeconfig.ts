import { readFile } from "node:fs/promises";
import { homedir } from "node:os";
import { delimiter, dirname, join, resolve } from "node:path";
import * as v from "valibot";
import { LineCounter, parseDocument } from "yaml";
import { UserError, userError } from "../../../model/problems/errors.ts";
import { fileErrorFix } from "../../../model/problems/file-problems.ts";
import type { Environment } from "../../environment.ts";

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

const kubeconfigSchema = v.object({
  clusters: v.nullish(v.array(v.object({ name: v.string(), cluster })), []),
  users: v.nullish(v.array(v.object({ name: v.string(), user: v.nullish(user, {}) })), []),
  contexts: v.nullish(v.array(v.object({ name: v.string(), context })), []),
  "current-context": text,
});

export type Kubeconfig = v.InferOutput<typeof kubeconfigSchema>;
export type KubeconfigCluster = v.InferOutput<typeof cluster>;
export type KubeconfigUser = v.InferOutput<typeof user>;
export type KubeconfigExec = v.InferOutput<typeof exec>;

export type KubeconfigSource = { readonly path: string } | { readonly content: string };

/**
 * Reads the kubeconfig and merges its files as kubectl does. The first file that names a cluster,
 * user, context or current context wins. Relative paths are relative to their file. Undefined if no
 * default location has a file. Relative paths in KUBECONFIG are relative to `directory`.
 */
export async function readKubeconfig(
  source: KubeconfigSource | undefined,
  env: Environment,
  directory = ".",
): Promise<Kubeconfig | undefined> {
  if (source === undefined) return readDefault(env, directory);
  if ("content" in source) return parse(source.content, "The given kubeconfig");
  const file = await readOne(resolve(source.path));
  if (file === undefined) {
    throw userError(
      "kubeconfig-not-found",
      `The kubeconfig ${source.path} doesn't exist`,
      "Correct the path of the kubeconfig",
    );
  }
  return file;
}

async function readDefault(env: Environment, directory: string): Promise<Kubeconfig | undefined> {
  const listed = (env.KUBECONFIG ?? "").split(delimiter).filter((path) => path !== "");
  const paths = listed.length > 0 ? listed : [join(env.HOME ?? homedir(), ".kube", "config")];
  const files = await Promise.all(paths.map((path) => readOne(resolve(directory, path))));
  const found = files.filter((file) => file !== undefined);
  if (found.length === 0 && listed.length > 0) {
    throw new UserError([
      {
        code: "kubeconfig-not-found",
        where: [],
        what: "No file in KUBECONFIG exists",
        facts: [{ label: "found", value: listed.join(", ") }],
        fix: "Correct KUBECONFIG",
        otherwise: ["unset it to use ~/.kube/config"],
      },
    ]);
  }
  return found.length === 0 ? undefined : merge(found);
}

async function readOne(path: string): Promise<Kubeconfig | undefined> {
  try {
    return withAbsolutePaths(parse(await readFile(path, "utf8"), path), dirname(path));
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    if (code === undefined) throw error;
    throw new UserError([
      {
        code: "invalid-kubeconfig",
        where: [],
        what: `The kubeconfig ${path} can't be read`,
        facts: [{ label: "error", value: code }],
        fix: fileErrorFix(code, "Make it a readable file"),
      },
    ]);
  }
}

/**
 * Parses a kubeconfig. Errors contain only the place, because messages of the parser and of the
 * schema quote their input, including credentials.
 */
function parse(text: string, name: string): Kubeconfig {
  const lines = new LineCounter();
  const document = parseDocument(text, { prettyErrors: false, lineCounter: lines });
  const [problem] = document.errors;
  if (problem !== undefined) {
    const { line, col } = lines.linePos(problem.pos[0]);
    throw notAKubeconfig(`${name} isn't valid YAML at line ${line}, column ${col}`);
  }
  const result = v.safeParse(kubeconfigSchema, document.toJS() ?? {});
  if (result.success) return result.output;
  const path = v.getDotPath(result.issues[0]);
  throw notAKubeconfig(
    path === null
      ? `${name} isn't a kubeconfig`
      : `${name}: ${path} is missing or has the wrong type`,
  );
}

function notAKubeconfig(what: string): UserError {
  return userError(
    "invalid-kubeconfig",
    what,
    "Use the whole kubeconfig as YAML or JSON, not encoded, as `kubectl config view --raw` prints it",
  );
}

function withAbsolutePaths(file: Kubeconfig, folder: string): Kubeconfig {
  const absolute = (path: string | null | undefined) => (path ? resolve(folder, path) : path);
  const inCluster = (cluster: KubeconfigCluster): KubeconfigCluster => ({
    ...cluster,
    "certificate-authority": absolute(cluster["certificate-authority"]),
  });
  const inUser = (user: KubeconfigUser): KubeconfigUser => ({
    ...user,
    tokenFile: absolute(user.tokenFile),
    "client-certificate": absolute(user["client-certificate"]),
    "client-key": absolute(user["client-key"]),
    // A command without a slash is looked up in PATH. With a slash, it is a path.
    exec: user.exec?.command.includes("/")
      ? { ...user.exec, command: resolve(folder, user.exec.command) }
      : user.exec,
  });
  return {
    ...file,
    clusters: file.clusters.map(({ name, cluster }) => ({ name, cluster: inCluster(cluster) })),
    users: file.users.map(({ name, user }) => ({ name, user: inUser(user) })),
  };
}

function merge(files: readonly Kubeconfig[]): Kubeconfig {
  return {
    clusters: files.flatMap((file) => file.clusters),
    users: files.flatMap((file) => file.users),
    contexts: files.flatMap((file) => file.contexts),
    "current-context": files.map((file) => file["current-context"]).find((name) => name),
  };
}
