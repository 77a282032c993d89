import { join } from "node:path";
import type { Binaries } from "./build.ts";
import type { User } from "./users.ts";

/** One program of the control plane and how it is run. */
export interface Component {
  readonly name: string;
  readonly program: string;
  readonly args: readonly string[];
}

export interface Place {
  readonly directory: string;
  readonly binaries: Binaries;
  readonly ports: Ports;
  /** As in `Feature=true,Other=false`; none by default. */
  readonly featureGates?: string | undefined;
}

interface Ports {
  readonly etcd: number;
  readonly etcdPeer: number;
  /** Where whoever uses the control plane connects to: the API server, or what spreads connections over several. */
  readonly server: number;
  /** Of each API server. */
  readonly servers: readonly number[];
}

/** Without syncing to disk: what a crash would lose is thrown away at the end in any case. */
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

/** The first makes a certificate in `certificates/`, which is also its authority, for all of them. */
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
      // Read again whenever it changes.
      `--authentication-config=${authenticationPath(directory)}`,
      "--authorization-mode=Node,RBAC",
      "--service-account-issuer=https://kubernetes.default.svc.cluster.local",
      `--service-account-key-file=${join(directory, "service-accounts.pem")}`,
      `--service-account-signing-key-file=${join(directory, "service-accounts.pem")}`,
      // Addresses and node ports that tests choose are among those that the server gives to nobody by itself.
      "--service-cluster-ip-range=10.0.0.0/16",
      "--allow-privileged=true",
      "--endpoint-reconciler-type=none",
      ...(auditLog === false ? [] : audit),
      ...gates(featureGates),
    ],
  };
}

/** What a load balancer does before several API servers. */
export function balancer({ directory, ports }: Place): Component {
  const program = join(import.meta.dirname, "balancer.ts");
  return {
    name: "balancer",
    program: process.execPath,
    args: [program, directory, String(ports.server), ...ports.servers.map(String)],
  };
}

/** Without the controllers that need machines, disks or a certificate authority. */
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
      // An autoscaler that looks every 15 s would have every test of it wait.
      "--horizontal-pod-autoscaler-sync-period=1s",
      // It may have counted before it had seen the latest Pod, and would leave it at that for five minutes.
      "--resource-quota-sync-period=30s",
      "--kube-api-burst=1000",
      // Nodes only play: none is taken for lost because a busy machine was late.
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

/** Plays the kubelets, and the controllers of custom resources: the stages say what happens to each object. */
export function kwok({ directory, binaries }: Place, stages: readonly string[]): Component {
  return {
    name: "kwok",
    program: binaries.path("kwok"),
    args: [
      kubeconfigFlag(directory, "kwok"),
      "--manage-all-nodes=true",
      // With leases, a node whose own is not yet in kwok's cache when it is looked at is never looked at again.
      "--node-lease-duration-seconds=0",
      ...stages.map((file) => `--config=${file}`),
    ],
  };
}

/** The only one that listens on all interfaces, with its metrics and its health: it has no flag for the address. */
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

/** Where the issuers of ID tokens are listed; none at the start. */
export function authenticationPath(directory: string): string {
  return join(directory, "authentication.yaml");
}

export function kubeconfigPath(directory: string, user: User): string {
  return join(directory, "kubeconfigs", `${user}.yaml`);
}
