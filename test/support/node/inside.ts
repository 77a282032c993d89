import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import { constants } from "node:os";
import { join } from "node:path";
import { delegateV2, hasOnlyV2, v1Hierarchies } from "./cgroups.ts";
import { nodeAddress, nodeDirectory, nodeName, serviceRange } from "./place.ts";

/** `inside.ts COMMAND…` prepares the namespaces that `enter.ts` has created, and runs a command. */
const work = nodeDirectory();
const files = join(work, "files");
mkdirSync(files);
mountSys();
mountDirectories();
mountSysctls();
mountNames();
setUpNetwork();
const [program = "", ...args] = process.argv.slice(2);
const child = spawn(program, args, { stdio: "inherit" });
// The terminal sends Ctrl-C to the child too.
process.on("SIGINT", () => undefined);
const [code, signal] = await once(child, "exit");
process.exitCode = code ?? 128 + constants.signals[signal as NodeJS.Signals];

/** Shows only the devices and cgroups of these namespaces. */
function mountSys(): void {
  const onlyV2 = hasOnlyV2();
  const hierarchies = onlyV2 ? [] : v1Hierarchies();
  run("umount", "--recursive", "--lazy", "/sys");
  // Volumes of containers see later mounts. The new mount namespace is already a slave of none.
  run("mount", "--make-rshared", "/");
  run("mount", "-t", "sysfs", "sysfs", "/sys");
  if (onlyV2) {
    run("mount", "-t", "cgroup2", "cgroup2", "/sys/fs/cgroup");
    delegateV2();
    return;
  }
  run("mount", "-t", "tmpfs", "-o", "mode=755", "tmpfs", "/sys/fs/cgroup");
  for (const hierarchy of hierarchies) mountV1(hierarchy);
}

function mountV1(hierarchy: string): void {
  const directory = `/sys/fs/cgroup/${hierarchy}`;
  mkdirSync(directory);
  run("mount", "-t", "cgroup", "-o", hierarchy, "cgroup", directory);
  const names = hierarchy.split(",");
  if (names.length > 1) for (const one of names) symlinkSync(hierarchy, `/sys/fs/cgroup/${one}`);
}

/** The places where containerd, the kubelet and network plugins write, whatever their flags are. */
function mountDirectories(): void {
  for (const directory of ["/run", "/var/lib", "/var/log"])
    run("mount", "-t", "tmpfs", "-o", "mode=755,size=4g", "tmpfs", directory);
  // The lock of nft and iptables.
  mkdirSync("/run/lock");
}

/**
 * Shows the kubelet the kernel parameters that it wants. Otherwise it would set them, and they
 * belong to the whole machine.
 */
function mountSysctls(): void {
  const wanted = {
    "vm/overcommit_memory": 1,
    "vm/panic_on_oom": 0,
    "kernel/panic": 10,
    "kernel/panic_on_oops": 1,
    "kernel/keys/root_maxkeys": 1_000_000,
    "kernel/keys/root_maxbytes": 25_000_000,
  };
  for (const [name, value] of Object.entries(wanted)) mountFile(`/proc/sys/${name}`, `${value}\n`);
}

/** No name server answers here. The API server finds the kubelet by the name of its node. */
function mountNames(): void {
  mountFile("/etc/hosts", `127.0.0.1 localhost\n${nodeAddress} ${nodeName}\n`);
  mountFile(resolverFile(), "nameserver 127.0.0.1\noptions timeout:1 attempts:1\n");
}

/** Returns the actual file, which can be in the hidden `/run`, where it is created again. */
function resolverFile(): string {
  try {
    return realpathSync("/etc/resolv.conf");
  } catch {
    mkdirSync("/run/systemd/resolve", { recursive: true });
    for (const name of ["resolv.conf", "stub-resolv.conf"])
      writeFileSync(`/run/systemd/resolve/${name}`, "");
    return realpathSync("/etc/resolv.conf");
  }
}

function mountFile(path: string, content: string): void {
  const own = join(files, path.replaceAll("/", "_"));
  writeFileSync(own, content);
  run("mount", "--bind", own, path);
}

/**
 * The node needs an address that isn't loopback, and a route for Services, whose addresses
 * kube-proxy rewrites. Not every kernel has dummy devices, so the address is on one end of a pair.
 */
function setUpNetwork(): void {
  writeFileSync("/proc/sys/kernel/hostname", nodeName);
  run("ip", "link", "set", "lo", "up");
  run("ip", "link", "add", "node0", "type", "veth", "peer", "name", "node1");
  run("ip", "address", "add", `${nodeAddress}/24`, "dev", "node0");
  for (const device of ["node0", "node1"]) run("ip", "link", "set", device, "up");
  run("ip", "route", "add", serviceRange, "dev", "node0");
  writeFileSync("/proc/sys/net/ipv4/ip_forward", "1");
}

function run(command: string, ...parameters: readonly string[]): void {
  execFileSync(command, parameters, { stdio: ["ignore", "inherit", "inherit"] });
}
