import { defaultLimits } from "../../apply/run.ts";

/** What `qvs reconcile --print-install` was given, of what the controller itself needs to know. */
export interface ControllerFlags {
  readonly deployment?: string;
  readonly resync: number;
  readonly workers: number;
  readonly leaseDuration: number;
  readonly allowDelete?: readonly string[];
  readonly allowOutsideNamespace?: boolean;
  readonly allowIrreversible?: boolean;
  readonly conflicts: "fail" | "force";
  readonly overrideFreeze?: string;
  readonly concurrency: number;
  readonly waitForLock: boolean;
}

interface Placed {
  /** undefined for all namespaces. */
  readonly namespaces: readonly string[] | undefined;
  readonly group: string;
  /** undefined where it was not given: then the controller has a default of its own. */
  readonly timeoutMs: number | undefined;
}

/** How the controller is called in the cluster, so that it does what this call has said. */
export function controllerArguments(
  flags: ControllerFlags,
  { namespaces, group, timeoutMs }: Placed,
): readonly string[] {
  const { deployment, resync, workers, leaseDuration } = flags;
  return [
    "reconcile",
    "--watch",
    ...(namespaces === undefined ? ["--all-namespaces"] : ["--namespaces", namespaces.join(",")]),
    ...(deployment === undefined ? [] : ["--deployment", deployment]),
    ...["--group", group],
    ...["--resync", seconds(resync), "--workers", String(workers)],
    ...["--lease-duration", seconds(leaseDuration)],
    ...unusual(flags),
    ...(timeoutMs === undefined ? [] : ["--timeout", seconds(timeoutMs)]),
  ];
}

function unusual(flags: ControllerFlags): readonly string[] {
  const { allowDelete = [], allowOutsideNamespace, allowIrreversible, conflicts } = flags;
  const { overrideFreeze, concurrency, waitForLock } = flags;
  return [
    ...(allowDelete.length === 0 ? [] : ["--allow-delete", allowDelete.join(",")]),
    ...(allowOutsideNamespace === true ? ["--allow-outside-namespace"] : []),
    ...(allowIrreversible === true ? ["--allow-irreversible"] : []),
    ...(conflicts === "fail" ? ["--conflicts", "fail"] : []),
    ...(overrideFreeze === undefined ? [] : ["--override-freeze", overrideFreeze]),
    ...(concurrency === defaultLimits.concurrency ? [] : ["--concurrency", String(concurrency)]),
    ...(waitForLock ? [] : ["--no-wait-for-lock"]),
  ];
}

function seconds(milliseconds: number): string {
  return `${milliseconds / 1000}s`;
}
