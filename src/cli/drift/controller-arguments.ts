import { defaultLimits } from "../../model/deploy-request.ts";

/** The flags of `qvs reconcile --print-install` that the controller needs. */
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
  readonly noProgressTimeout?: number;
}

interface ControllerScope {
  /** The namespaces to watch; undefined for all. */
  readonly namespaces: readonly string[] | undefined;
  readonly group: string;
  /** The timeout; undefined for the controller's own default. */
  readonly timeoutMs: number | undefined;
}

/** Returns the arguments of the controller's container, which repeat the flags of this call. */
export function controllerArguments(
  flags: ControllerFlags,
  { namespaces, group, timeoutMs }: ControllerScope,
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
    ...nonDefaultFlags(flags),
    ...(timeoutMs === undefined ? [] : ["--timeout", seconds(timeoutMs)]),
  ];
}

function nonDefaultFlags(flags: ControllerFlags): readonly string[] {
  const { allowDelete = [], allowOutsideNamespace, allowIrreversible, conflicts } = flags;
  const { overrideFreeze, concurrency, waitForLock, noProgressTimeout } = flags;
  return [
    ...(allowDelete.length === 0 ? [] : ["--allow-delete", allowDelete.join(",")]),
    ...(allowOutsideNamespace === true ? ["--allow-outside-namespace"] : []),
    ...(allowIrreversible === true ? ["--allow-irreversible"] : []),
    ...(conflicts === "fail" ? ["--conflicts", "fail"] : []),
    ...(overrideFreeze === undefined ? [] : ["--override-freeze", overrideFreeze]),
    ...(concurrency === defaultLimits.concurrency ? [] : ["--concurrency", String(concurrency)]),
    ...(noProgressTimeout === undefined
      ? []
      : ["--no-progress-timeout", seconds(noProgressTimeout)]),
    ...(waitForLock ? [] : ["--no-wait-for-lock"]),
  ];
}

function seconds(milliseconds: number): string {
  return `${milliseconds / 1000}s`;
}
