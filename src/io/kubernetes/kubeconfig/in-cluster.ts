import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { isIPv6 } from "node:net";
import { UserError } from "../../../model/problems/errors.ts";
import type { Environment } from "../../environment.ts";
import type { Connection, Credentials } from "../transport/connection.ts";

/**
 * The directory with a Pod's service account
 * (https://kubernetes.io/docs/tasks/run-application/access-api-from-pod/).
 */
const serviceAccount = "/var/run/secrets/kubernetes.io/serviceaccount";

/** Returns the connection to the cluster that runs qvs, as the service account of qvs's Pod. */
export function inClusterConnection(
  env: Environment,
  folder = serviceAccount,
  absent: () => Error = noKubeconfig,
): Connection {
  const host = env.KUBERNETES_SERVICE_HOST;
  const port = env.KUBERNETES_SERVICE_PORT;
  if (!host || !port) throw absent();
  const mounted = (name: string) => readMounted(`${folder}/${name}`, absent);
  const token = () => readToken(`${folder}/token`);
  return {
    context: "in-cluster",
    server: `https://${isIPv6(host) ? `[${host}]` : host}:${port}`,
    namespace: mounted("namespace").toString("utf8").trim() || undefined,
    tls: {
      ca: mounted("ca.crt"),
      rejectUnauthorized: true,
      servername: undefined,
    },
    impersonation: {},
    // The in-cluster API server is never behind a proxy, even if proxy variables are set.
    proxy: {},
    credentials: token,
    renewedCredentials: token,
  };
}

/** Reads the file for every request: the kubelet replaces it long before the token expires. */
async function readToken(path: string): Promise<Credentials> {
  const token = (await readFile(path, "utf8")).trim();
  const headers = { Authorization: `Bearer ${token}` };
  return { generation: 0, headers, cert: undefined, key: undefined };
}

function readMounted(path: string, absent: () => Error): Buffer {
  try {
    return readFileSync(path);
  } catch {
    throw absent();
  }
}

/** Returns the in-cluster connection for a user who requested it explicitly. */
export function requestedInClusterConnection(env: Environment): Connection {
  return inClusterConnection(env, serviceAccount, noServiceAccount);
}

function noServiceAccount(): Error {
  return new UserError([
    {
      code: "kubeconfig-not-found",
      where: [],
      what: "qvs doesn't run in a Pod with a ServiceAccount",
      fix: "Run the job in a Pod with a mounted ServiceAccount",
      otherwise: ["set a kubeconfig"],
    },
  ]);
}

function noKubeconfig(): Error {
  return new UserError([
    {
      code: "kubeconfig-not-found",
      where: [],
      what: "There is no kubeconfig",
      why: "KUBECONFIG isn't set, ~/.kube/config doesn't exist, and qvs doesn't run in a Pod with a ServiceAccount",
      fix: "Set KUBECONFIG to the path of a kubeconfig",
    },
  ]);
}
