import { execFile } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { stringify } from "yaml";
import { buildTools } from "../cluster/build.ts";
import { kubeconfigPath } from "../cluster/components.ts";
import { runKubectl } from "../cluster/kubectl.ts";
import { type RunningCluster, startCluster } from "../cluster/start.ts";
import { type ProcessGroup, processGroup } from "../processes/process-group.ts";
import { until } from "../processes/until.ts";
import { containerdConfig, networkConfig } from "./containerd.ts";
import { importImage } from "./images.ts";
import { nodeAddress, nodeDirectory, nodeName } from "./place.ts";

/** A control plane with one real node. */
export interface RunningNode {
  readonly cluster: RunningCluster;
  stop(): Promise<void>;
}

/** The image of the containers that keep the namespaces of Pods. */
const pauseImage = "registry.example/pause:1";

/**
 * Starts a control plane, containerd, a kubelet and kube-proxy in the namespaces of `enter.ts`.
 * Resolves when the node is ready.
 */
export async function startNode(): Promise<RunningNode> {
  const directory = join(nodeDirectory(), "node");
  const clusterDirectory = join(nodeDirectory(), "cluster");
  await mkdir(directory);
  const group = processGroup({ directory });
  const [cluster] = await Promise.all([
    startCluster({ nodes: 0, directory: clusterDirectory }),
    startContainerd(group),
  ]);
  await startKubelet(group, cluster);
  await startKubeProxy(group, cluster);
  await untilReady(group, cluster);
  return {
    cluster,
    async stop() {
      await group.stop();
      await cluster.stop();
    },
  };
}

async function startContainerd(group: ProcessGroup): Promise<void> {
  const binaries = await buildTools("container-runtime");
  const network = join(group.directory, "network");
  await mkdir(network);
  await writeFile(join(network, "10-ptp.conflist"), networkConfig());
  const config = join(group.directory, "containerd.toml");
  await writeFile(config, containerdConfig({ network, pauseImage, binaries }));
  await group.start("containerd", binaries.path("containerd"), [`--config=${config}`]);
  const answers = () =>
    promisify(execFile)(binaries.path("ctr"), ["version"]).then(
      () => true,
      () => false,
    );
  await until("containerd was not ready", answers, group);
  await importImage(pauseImage, { program: "pause" });
}

/**
 * Anonymous requests are allowed, because only these namespaces reach the kubelet. It evicts
 * nothing: the file systems are those of the developer.
 */
async function startKubelet(group: ProcessGroup, cluster: RunningCluster): Promise<void> {
  const none = "0%";
  const config = {
    apiVersion: "kubelet.config.k8s.io/v1beta1",
    kind: "KubeletConfiguration",
    failCgroupV1: false,
    cgroupDriver: "cgroupfs",
    containerRuntimeEndpoint: "unix:///run/containerd/containerd.sock",
    authentication: { anonymous: { enabled: true }, webhook: { enabled: false } },
    authorization: { mode: "AlwaysAllow" },
    failSwapOn: false,
    // By default, a grown volume is expanded within a minute.
    syncFrequency: "10s",
    makeIPTablesUtilChains: false,
    clusterDNS: ["10.0.0.10"],
    clusterDomain: "cluster.local",
    volumePluginDir: join(group.directory, "volume-plugins"),
    // A process without CAP_SYS_RESOURCE can't lower its own value.
    oomScoreAdj: 0,
    evictionHard: {
      "memory.available": none,
      "nodefs.available": none,
      "nodefs.inodesFree": none,
      "imagefs.available": none,
      "imagefs.inodesFree": none,
      "pid.available": none,
    },
    imageGCHighThresholdPercent: 100,
    imageGCLowThresholdPercent: 99,
  };
  const path = join(group.directory, "kubelet.yaml");
  await writeFile(path, stringify(config));
  const binaries = await buildTools("kubelet");
  await group.start("kubelet", binaries.path("kubelet"), [
    `--config=${path}`,
    `--kubeconfig=${kubeconfigPath(cluster.directory, "kubelet")}`,
    `--hostname-override=${nodeName}`,
    `--node-ip=${nodeAddress}`,
  ]);
}

/** kube-proxy leaves the limits of connection tracking alone, which belong to the machine. */
async function startKubeProxy(group: ProcessGroup, cluster: RunningCluster): Promise<void> {
  const config = {
    apiVersion: "kubeproxy.config.k8s.io/v1alpha1",
    kind: "KubeProxyConfiguration",
    clientConnection: { kubeconfig: kubeconfigPath(cluster.directory, "kube-proxy") },
    mode: "nftables",
    hostnameOverride: nodeName,
    healthzBindAddress: "127.0.0.1:10256",
    conntrack: { maxPerCore: 0, min: 0, tcpEstablishedTimeout: "0s", tcpCloseWaitTimeout: "0s" },
  };
  const path = join(group.directory, "kube-proxy.yaml");
  await writeFile(path, stringify(config));
  const binaries = await buildTools("kubelet");
  await group.start("kube-proxy", binaries.path("kube-proxy"), [`--config=${path}`]);
}

async function untilReady(group: ProcessGroup, cluster: RunningCluster): Promise<void> {
  const conditions = async () => {
    const path = "jsonpath={.items[*].status.conditions[?(@.type=='Ready')].status}";
    return runKubectl(["get", "nodes", "-o", path], { ...cluster });
  };
  await until("the node was not ready", async () => (await conditions()) === "True", group);
}
