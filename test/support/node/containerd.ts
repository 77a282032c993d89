import type { Binaries } from "../cluster/build.ts";
import { podRange } from "./place.ts";

interface ContainerdOptions {
  /** The directory of the network configuration. */
  readonly network: string;
  readonly pauseImage: string;
  readonly binaries: Binaries;
}

/** Returns the configuration of containerd, in the default directories, which are private here. */
export function containerdConfig({ network, pauseImage, binaries }: ContainerdOptions): string {
  const runtime = `plugins."io.containerd.cri.v1.runtime"`;
  const images = `plugins."io.containerd.cri.v1.images"`;
  const text = JSON.stringify;
  return `version = 3

[${images}]
  snapshotter = "overlayfs"
[${images}.pinned_images]
  sandbox = ${text(pauseImage)}

[${runtime}]
  disable_apparmor = true
  # Without CAP_SYS_RESOURCE, no process can become less likely to be killed.
  restrict_oom_score_adj = true
[${runtime}.cni]
  bin_dirs = [${text(binaries.directory)}]
  conf_dir = ${text(network)}
[${runtime}.containerd.runtimes.runc]
  runtime_type = "io.containerd.runc.v2"
  runtime_path = ${text(binaries.path("containerd-shim-runc-v2"))}
[${runtime}.containerd.runtimes.runc.options]
  BinaryName = ${text(binaries.path("runc"))}
  SystemdCgroup = false
`;
}

/**
 * Returns the network of Pods: a pair of devices for each Pod, and a route. It needs neither a
 * bridge nor rules of the packet filter.
 */
export function networkConfig(): string {
  const ranges = [[{ subnet: podRange }]];
  const ipam = { type: "host-local", ranges, routes: [{ dst: "0.0.0.0/0" }] };
  return JSON.stringify({
    cniVersion: "1.0.0",
    name: "pods",
    plugins: [{ type: "ptp", ipMasq: false, ipam }],
  });
}
