import { userError } from "../../../src/model/problems/errors.ts";

/** The version of the usual control plane; etcd, kwok and kubectl come from its build. */
export const defaultKubernetes = "1.36.4";

/** The other supported versions, each with the release that its go.mod builds. */
export const otherKubernetes = {
  "1.32": "1.32.13",
  "1.33": "1.33.13",
  "1.34": "1.34.5",
  "1.35": "1.35.4",
  "1.37": "1.37.2",
} as const;

export type OtherVersion = keyof typeof otherKubernetes;

/** The usual version, without its patch number. */
export const usualKubernetes = minorOf(defaultKubernetes);
const others = Object.keys(otherKubernetes) as readonly OtherVersion[];

/**
 * Reads the version that `QVS_KUBERNETES` selects for tests, the demo and `npm run cluster`.
 * Returns undefined for the usual version, and throws a UserError for an unknown one.
 */
export function selectedKubernetes(
  environment: NodeJS.ProcessEnv = process.env,
): OtherVersion | undefined {
  const selected = environment.QVS_KUBERNETES;
  if (selected === undefined || selected === "" || selected === usualKubernetes) return undefined;
  const known = others.find((version) => version === selected);
  if (known !== undefined) return known;
  throw userError(
    "invalid-input",
    `QVS_KUBERNETES is ${JSON.stringify(selected)}, which no recipe builds`,
    `Set QVS_KUBERNETES to one of ${[...others, usualKubernetes].toSorted().join(", ")}`,
  );
}

/** Returns the version without its patch number: `1.36` for `1.36.4`. */
function minorOf(version: string): string {
  return version.split(".").slice(0, 2).join(".");
}
