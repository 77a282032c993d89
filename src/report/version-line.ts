import type { VersionCheck } from "../model/kubernetes-versions.ts";
import { plural } from "./text/counts.ts";

/**
 * Describes the check against another version of Kubernetes, such as `Kubernetes 1.37 (this server:
 * 1.36): 2 findings in release 7 (deployed) and this change`.
 */
export function versionLine({
  version,
  server,
  release,
  isReleaseUnread,
  findings,
}: VersionCheck): string {
  const unread = isReleaseUnread === true ? " (release unread)" : "";
  const checked =
    release === undefined
      ? `this change${unread}`
      : `release ${release} (deployed) and this change`;
  const count = findings === 0 ? "no findings" : plural(findings, "finding");
  const result = `${count} in ${checked}`;
  if (server === version) {
    const line = `This server already has Kubernetes ${version}`;
    return findings === 0 && unread === "" ? line : `${line}: ${result}`;
  }
  return `Kubernetes ${version} (this server: ${server ?? "unknown, not compared"}): ${result}`;
}
