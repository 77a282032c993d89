import { join } from "node:path";
import type { Binaries } from "./build.ts";
import type { User } from "./users.ts";

/** One program of the control plane, with its arguments. */
export interface Component {
  readonly name: string;
  readonly program: string;
  readonly args: readonly string[];
}

export interface Place {
  readonly directory: string;
  readonly binaries: Binaries;
  readonly ports: Ports;
  /** The feature gates, such as `Feature=true,Other=false`. Default: none. */
  readonly featureGates?: string | undefined;
}

interface Ports {
  readonly etcd: number;
  readonly etcdPeer: number;
  /** The port for clients: of the API server, or of the balancer in front of several. */
  readonly server: number;
  /** The port of each API server. */
  readonly servers: readonly number[];
}

/** Runs etcd without syncing to disk. Its data is deleted at the end anyway. */
export function etcd({ directory, binaries, ports }: Place): Component {
  const client = `http://127.0.0.1:${ports.etcd}`;
  const peer = `http://127.0.0.1:${ports.etcdPeer}`;
  return {
    name: "etcd",
    program: binaries.path("server"),
    args: [
      `--data-dir=${join(directory, "etcd")}`,
      `--listen-client-urls=${client}`,
      `--advertise-client-urls=${client}`,
      `--listen-peer-urls=${peer}`,
      `--initial-advertise-peer-urls=${peer}`,
      `--initial-cluster=default=${peer}`,
      "--unsafe-no-fsync",
    ],
  };
}

/**
 * Runs an API server. All of them use the certificate in `certificates/`, which is also its own
 * authority.
 */
export function apiServer(
  { directory, binaries, ports, featureGates }: Place,
  auditLog: boolean | { readonly policy: string },
  number: number,
): Component {
  const ownPolicy = join(import.meta.dirname, "audit-policy.yaml");
  const policy = typeof auditLog === "object" ? auditLog.policy : ownPolicy;
  const audit = [
    `--audit-policy-file=${policy}`,
    `--audit-log-path=${join(directory, "audit.log")}`,
  ];
  return {
    name: number === 0 ? "kube-apiserver" : `kube-apiserver-${number + 1}`,
    program: binaries.path("kube-apiserver"),
    args: [
      `--etcd-servers=http://127.0.0.1:${ports.etcd}`,
      "--bind-address=127.0.0.1",
      "--advertise-address=127.0.0.1",
      `--secure-port=${ports.servers[number]}`,
      `--cert-dir=${join(directory, "certificates")}`,
      `--token-auth-file=${join(directory, "tokens.csv")}`,
      // The API server reloads the file after each change.
      `--authentication-config=${authenticationPath(directory)}`,
      "--authorization-mode=Node,RBAC",
      "--service-account-issuer=https://kubernetes.default.svc.cluster.local",
      `--service-account-key-file=${join(directory, "service-accounts.pem")}`,
      `--service-account-signing-key-file=${join(directory, "service-accounts.pem")}`,
      // The API server doesn't assign the addresses and node ports that the tests use.
      "--service-cluster-ip-range=10.0.0.0/16",
      "--allow-privileged=true",
      "--endpoint-reconciler-type=none",
      ...(auditLog === false ? [] : audit),
      ...gates(featureGates),
    ],
  };
}

/** Plays the load balancer in front of several API servers. */
export function balancer({ directory, ports }: Place): Component {
  const program = join(import.meta.dirname, "balancer.ts");
  return {
    name: "balancer",
    program: process.execPath,
    args: [program, directory, String(ports.server), ...ports.servers.map(String)],
  };
}

/** Runs the controllers, except those that need machines, disks or a certificate authority. */
export function controllerManager({ directory, binaries, featureGates }: Place): Component {
  const without = [
    "node-ipam-controller",
    "persistentvolume-attach-detach-controller",
    "certificatesigningrequest-signing-controller",
  ];
  return {
    name: "kube-controller-manager",
    program: binaries.path("kube-controller-manager"),
    args: [
      kubeconfigFlag(directory, "controllers"),
      "--leader-elect=false",
      "--secure-port=0",
      `--controllers=${["*", ...without.map((name) => `-${name}`)].join(",")}`,
      `--service-account-private-key-file=${join(directory, "service-accounts.pem")}`,
      `--root-ca-file=${join(directory, "certificates", "apiserver.crt")}`,
      "--kube-api-qps=500",
      // With the default of 15 s, every test of autoscaling would wait.
      "--horizontal-pod-autoscaler-sync-period=1s",
      // The controller might count before its cache contains the latest Pod. By default, it then
      // counts again after five minutes.
      "--resource-quota-sync-period=30s",
      "--kube-api-burst=1000",
      // The nodes are simulated. On a busy machine, late heartbeats must not mark a node as lost.
      "--node-monitor-grace-period=24h",
      ...gates(featureGates),
    ],
  };
}

export function scheduler({ directory, binaries }: Place): Component {
  return {
    name: "kube-scheduler",
    program: binaries.path("kube-scheduler"),
    args: [kubeconfigFlag(directory, "scheduler"), "--leader-elect=false", "--secure-port=0"],
  };
}

/**
 * Simulates the kubelets and the controllers of custom resources. The stages define the behavior of
 * each object. Without simulated nodes, real kubelets own all nodes and their Pods.
 */
export function kwok(
  { directory, binaries }: Place,
  stages: readonly string[],
  simulatesNodes = true,
): Component {
  return {
    name: "kwok",
    program: binaries.path("kwok"),
    args: [
      kubeconfigFlag(directory, "kwok"),
      ...(simulatesNodes
        ? ["--manage-all-nodes=true"]
        : ["--manage-all-nodes=false", "--manage-nodes-with-label-selector=test.qvs/simulated"]),
      // With leases, kwok ignores a node forever if the node's Lease isn't in its cache yet at the
      // first check.
      "--node-lease-duration-seconds=0",
      ...stages.map((file) => `--config=${file}`),
    ],
  };
}

/**
 * Runs the controller of Argo Rollouts. It has no flag for the address, so its metrics and health
 * ports listen on all interfaces.
 */
export function rolloutsController(
  directory: string,
  binaries: Binaries,
  ports: { readonly metrics: number; readonly health: number },
): Component {
  return {
    name: "rollouts-controller",
    program: binaries.path("rollouts-controller"),
    args: [
      kubeconfigFlag(directory, "rollouts"),
      "--leader-elect=false",
      `--metricsport=${ports.metrics}`,
      `--healthzPort=${ports.health}`,
    ],
  };
}

function gates(featureGates: string | undefined): readonly string[] {
  return featureGates === undefined ? [] : [`--feature-gates=${featureGates}`];
}

function kubeconfigFlag(directory: string, user: User): string {
  return `--kubeconfig=${kubeconfigPath(directory, user)}`;
}

/** Returns the path of the list of ID token issuers. The list is empty at the start. */
export function authenticationPath(directory: string): string {
  return join(directory, "authentication.yaml");
}

export function kubeconfigPath(directory: string, user: User): string {
  return join(directory, "kubeconfigs", `${user}.yaml`);
}
