import { type Json, textAt } from "../json.ts";

/** The version of an API server, such as 1.36. */
export interface ServerVersion {
  readonly major: number;
  readonly minor: number;
  /** The whole version, such as `v1.36.4-gke.1`, which charts see; undefined if it isn't known. */
  readonly full?: string | undefined;
}

/** The version that qvs assumes if the API server doesn't show its version. */
export const assumedVersion: ServerVersion = { major: 1, minor: 36 };

/**
 * Reads the answer of `/version`; undefined if it contains no version. Providers add a suffix to
 * the minor number, such as `32+`.
 */
export function readServerVersion(answer: Json | undefined): ServerVersion | undefined {
  const given = textAt(answer, "gitVersion") ?? "";
  const [, major, minor] =
    /^v(\d+)\.(\d+)\b/.exec(given) ??
    /^(\d+)\.(\d+)\+?$/.exec(`${textAt(answer, "major")}.${textAt(answer, "minor")}`) ??
    [];
  if (minor === undefined) return undefined;
  return { major: Number(major), minor: Number(minor), full: given === "" ? undefined : given };
}

export function formatServerVersion({ major, minor }: ServerVersion): string {
  return `${major}.${minor}`;
}
