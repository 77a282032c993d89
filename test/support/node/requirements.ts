import { execFileSync } from "node:child_process";
import { accessSync, constants } from "node:fs";
import { join } from "node:path";

/** Programs that a real node needs in PATH, and the Debian packages that contain them. */
const programs: readonly (readonly [string, string])[] = [
  ["ip", "iproute2"],
  ["mount", "mount"],
  ["nft", "nftables"],
  ["setpriv", "util-linux"],
  ["tar", "tar"],
  ["unshare", "util-linux"],
];

/** Programs that only the first build needs. */
const builders: readonly (readonly [string, string])[] = [
  ["gcc", "gcc"],
  ["pkg-config", "pkg-config"],
];

/** Returns the reasons why no real node can start here, each with its fix. Empty if it can. */
export function missingForNode(isBuilt: boolean): readonly string[] {
  if (process.platform !== "linux") return ["A real node needs Linux."];
  if (process.getuid?.() !== 0)
    return ["A real node needs root: sudo env PATH=$PATH npm run test:node"];
  const needed = isBuilt ? programs : [...programs, ...builders];
  const packages = needed.filter(([name]) => !isInPath(name)).map(([, name]) => name);
  if (!isBuilt && !packages.includes("pkg-config") && !hasSeccompHeaders())
    packages.push("libseccomp-dev");
  const problems: string[] = [];
  if (packages.length > 0) {
    const names = [...new Set(packages)].join(" ");
    problems.push(`Programs are missing: apt-get install --no-install-recommends ${names}`);
  }
  if (packages.length === 0 && !canUnshare())
    problems.push("This machine doesn't allow new namespaces, so no container can start here.");
  return problems;
}

function isInPath(program: string): boolean {
  const places = `${process.env["PATH"] ?? ""}:/usr/sbin:/sbin`.split(":");
  return places.some((place) => {
    try {
      accessSync(join(place, program), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

/** runc filters system calls with this library. */
function hasSeccompHeaders(): boolean {
  return succeeds("pkg-config", ["--exists", "libseccomp"]);
}

function canUnshare(): boolean {
  return succeeds("unshare", ["--mount", "--net", "--pid", "--ipc", "--uts", "--fork", "true"]);
}

function succeeds(program: string, args: readonly string[]): boolean {
  try {
    execFileSync(program, args, { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}
