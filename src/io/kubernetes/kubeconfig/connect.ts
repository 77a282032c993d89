import { readFileSync } from "node:fs";
import { closest, distance } from "fastest-levenshtein";
import { fieldOf } from "../../../model/json.ts";
import { UserError, userError } from "../../../model/problems/errors.ts";
import { isPermissionError } from "../../../model/problems/file-problems.ts";
import { summarizeList } from "../../../model/text/suggest.ts";
import {
  addRequestSecrets,
  type SentSecrets,
  sentSecrets,
} from "../../../redaction/sent-secrets.ts";
import type { Environment } from "../../environment.ts";
import type { Connection, ProxyVariables } from "../transport/connection.ts";
import { openCredentials } from "./credentials.ts";
import { type IdTokenServer, idTokenCredentials } from "./id-token-credentials.ts";
import { inClusterConnection, requestedInClusterConnection } from "./in-cluster.ts";
import {
  type Kubeconfig,
  type KubeconfigCluster,
  type KubeconfigSource,
  type KubeconfigUser,
  readKubeconfig,
} from "./read-kubeconfig.ts";
import { addProxyLogins, addUserSecrets } from "./secrets.ts";

export interface ConnectOptions {
  /**
   * Default: as kubectl (KUBECONFIG, ~/.kube/config), then the service account of the Pod that runs
   * qvs.
   */
  readonly kubeconfig?: KubeconfigSource | "in-cluster" | undefined;
  /** The login with ID tokens, which replaces a kubeconfig. */
  readonly idTokens?: IdTokenServer | undefined;
  /** Default: the current context. */
  readonly context?: string | undefined;
  readonly env: Environment;
  /** The directory of relative paths and of plugins. Default: the directory of this process. */
  readonly directory?: string | undefined;
  /** Collects the credentials, so that outputs can hide them. */
  readonly sent?: SentSecrets | undefined;
}

/**
 * Resolves one kubeconfig context and gets its first credential, so that any error in them appears
 * before other work. Throws UserErrors, which never quote a credential.
 */
export async function connect(options: ConnectOptions): Promise<Connection> {
  const { env, sent = sentSecrets() } = options;
  const connection = options.idTokens
    ? withIdTokens(options.idTokens, options.context, env)
    : await withKubeconfig(options, env, sent);
  addProxyLogins(sent, connection.proxy);
  addRequestSecrets(sent, await connection.credentials());
  return { ...connection, sent };
}

async function withKubeconfig(
  options: ConnectOptions,
  env: Environment,
  sent: SentSecrets,
): Promise<Connection> {
  if (options.kubeconfig === "in-cluster")
    return withoutKubeconfig(options.context, env, requestedInClusterConnection);
  const kubeconfig = await readKubeconfig(options.kubeconfig, env, options.directory);
  return kubeconfig === undefined
    ? withoutKubeconfig(options.context, env)
    : fromKubeconfig(kubeconfig, options, sent);
}

/**
 * Returns a connection to the address of the input `server`. A requested context must be the
 * context of the login, because the address can belong to another cluster.
 */
function withIdTokens(
  login: IdTokenServer,
  requested: string | undefined,
  env: Environment,
): Connection {
  if (requested && requested !== login.context) {
    throw new UserError([
      {
        code: "unknown-context",
        where: [],
        what: `The context "${requested}" isn't the context of the input server`,
        why: "The input server is one address, without a kubeconfig's contexts",
        facts: [{ label: "server", value: login.server }],
        fix: `Set the input context to ${requested}, if the server is the cluster of this context`,
        otherwise: ["choose other deployments", "set a kubeconfig instead of the input server"],
      },
    ]);
  }
  const { certificateAuthority } = login;
  return {
    context: login.context ?? login.server,
    server: login.server,
    namespace: undefined,
    tls: {
      ca: certificateAuthority === undefined ? undefined : Buffer.from(certificateAuthority),
      rejectUnauthorized: true,
      servername: undefined,
    },
    impersonation: {},
    proxy: environmentProxy(env),
    ...idTokenCredentials(login),
  };
}

/**
 * Returns the in-cluster connection. Throws if the user requested a context: it names a certain
 * cluster, which might not be this one.
 */
function withoutKubeconfig(
  context: string | undefined,
  env: Environment,
  connection: (env: Environment) => Connection = inClusterConnection,
): Connection {
  if (!context) return connection(env);
  throw userError(
    "kubeconfig-not-found",
    `There is no kubeconfig for the context "${context}"`,
    "Set KUBECONFIG to the path of a kubeconfig",
  );
}

function fromKubeconfig(
  kubeconfig: Kubeconfig,
  { context: requested, env, directory }: ConnectOptions,
  sent: SentSecrets,
): Connection {
  const { name, context } = chooseContext(kubeconfig, requested);
  const cluster = kubeconfig.clusters.find((entry) => entry.name === context.cluster)?.cluster;
  const user = kubeconfig.users.find((entry) => entry.name === context.user)?.user;
  if (cluster === undefined) throw missingPart(name, "cluster", context.cluster);
  if (user === undefined && context.user !== "") throw missingPart(name, "user", context.user);
  if (user !== undefined) addUserSecrets(sent, user);
  return {
    context: name,
    server: serverAddress(cluster, name),
    namespace: context.namespace || undefined,
    tls: {
      ca: certificateAuthority(cluster, name),
      rejectUnauthorized: !cluster["insecure-skip-tls-verify"],
      servername: cluster["tls-server-name"] || undefined,
    },
    impersonation: user === undefined ? {} : impersonationHeaders(user),
    proxy: proxyVariables(cluster, name, env),
    ...openCredentials({ context: name, user, cluster, env, directory, sent }),
  };
}

/** The maximum number of contexts in a message. A cloud's kubeconfig can have hundreds. */
const mostListed = 20;

function chooseContext(kubeconfig: Kubeconfig, requested: string | undefined) {
  const name = requested || kubeconfig["current-context"];
  const names = kubeconfig.contexts.map((context) => context.name);
  if (names.length === 0) {
    throw userError(
      "invalid-kubeconfig",
      "The kubeconfig has no contexts",
      "Use the whole kubeconfig of a cluster, which `kubectl config view --raw` prints",
    );
  }
  if (!name) throw noSuchContext("The kubeconfig has no current context", names);
  const found = kubeconfig.contexts.find((context) => context.name === name);
  if (found !== undefined) return found;
  const near = closest(name, names);
  const meant = distance(name, near) <= 3 ? near : undefined;
  throw noSuchContext(`The kubeconfig has no context "${name}"`, names, meant);
}

function noSuchContext(what: string, names: readonly string[], meant?: string): UserError {
  const hint = meant === undefined ? "" : `Did you mean "${meant}"? `;
  return new UserError([
    {
      code: "unknown-context",
      where: [],
      what,
      facts: [{ label: "contexts", value: summarizeList(names, mostListed) }],
      fix: `${hint}Choose a context with --context=${meant ?? "NAME"}`,
      inputs: [`context: ${meant ?? (names.length === 1 ? names[0] : "NAME")}`],
    },
  ]);
}

function missingPart(context: string, part: "cluster" | "user", name: string): Error {
  return userError(
    "invalid-kubeconfig",
    `Context "${context}": the ${part} "${name}" doesn't exist in the kubeconfig`,
    `Add the ${part} to the kubeconfig, or use another context`,
  );
}

function serverAddress(cluster: KubeconfigCluster, context: string): string {
  const url = URL.canParse(cluster.server) ? new URL(cluster.server) : undefined;
  const isHttp = url?.protocol === "https:" || url?.protocol === "http:";
  if (url?.password || url?.username) {
    throw userError(
      "credentials-in-address",
      `Context "${context}": the address of the server contains a password`,
      "Move the password to `username` and `password` of the user in the kubeconfig",
    );
  }
  if (url !== undefined && isHttp) return url.href.replace(/(?<!\/)\/+$/, "");
  throw userError(
    "invalid-kubeconfig",
    `Context "${context}": the server isn't an http or https address`,
    "Correct `server` in the kubeconfig, for example to https://203.0.113.7:6443",
  );
}

function certificateAuthority(cluster: KubeconfigCluster, context: string): Buffer | undefined {
  const data = cluster["certificate-authority-data"];
  if (data) return Buffer.from(data, "base64");
  const path = cluster["certificate-authority"];
  if (!path) return undefined;
  try {
    return readFileSync(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    throw new UserError([
      {
        code: "invalid-kubeconfig",
        where: [],
        what: `Context "${context}": the certificate authority can't be read`,
        facts: [
          { label: "file", value: path },
          { label: "error", value: code },
        ],
        fix: isPermissionError(code)
          ? "Make the file readable"
          : "Correct `certificate-authority` in the kubeconfig",
      },
    ]);
  }
}

function impersonationHeaders(user: KubeconfigUser): Connection["impersonation"] {
  if (!user.as) return {};
  return {
    "Impersonate-User": user.as,
    ...(user["as-uid"] ? { "Impersonate-Uid": user["as-uid"] } : {}),
    ...(user["as-groups"].length > 0 ? { "Impersonate-Group": user["as-groups"] } : {}),
    ...Object.fromEntries(
      Object.entries(user["as-user-extra"]).map(([key, values]) => [
        `Impersonate-Extra-${encodeURIComponent(key)}`,
        values,
      ]),
    ),
  };
}

function proxyVariables(
  cluster: KubeconfigCluster,
  context: string,
  env: Environment,
): ProxyVariables {
  const proxy = cluster["proxy-url"];
  if (!proxy) return environmentProxy(env);
  if (!/^https?:\/\//.test(proxy)) {
    throw userError(
      "invalid-kubeconfig",
      `Context "${context}": proxy-url isn't an http or https address`,
      "Use an HTTP proxy, because qvs doesn't support SOCKS",
    );
  }
  return { HTTP_PROXY: proxy, HTTPS_PROXY: proxy };
}

function environmentProxy(env: Environment): ProxyVariables {
  const names = ["HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY"];
  return Object.fromEntries(
    names.flatMap((name) => [name, name.toLowerCase()]).map((name) => [name, fieldOf(env, name)]),
  );
}
