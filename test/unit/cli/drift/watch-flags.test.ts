import { expect, test } from "vitest";
import {
  type ControllerFlags,
  controllerArguments,
} from "../../../../src/cli/drift/watch-flags.ts";
import { buildProgram } from "../../../../src/cli/program/build-program.ts";
import type { Shell } from "../../../../src/cli/program/shell.ts";

const shell = { argv: [], env: {}, cwd: () => "/" } as unknown as Shell;
const usual: ControllerFlags = {
  resync: 600_000,
  workers: 4,
  leaseDuration: 15_000,
  conflicts: "force",
  concurrency: 16,
  waitForLock: true,
};

/** A value other than the default for each flag of the controller. */
const unusual: Required<ControllerFlags> = {
  deployment: "shop",
  resync: 60_000,
  workers: 2,
  leaseDuration: 20_000,
  allowDelete: ["Namespace", "PersistentVolumeClaim"],
  allowOutsideNamespace: true,
  allowIrreversible: true,
  conflicts: "fail",
  overrideFreeze: "bf",
  concurrency: 8,
  waitForLock: false,
  noProgressTimeout: 60_000,
};

test("default arguments are omitted, except those that users look for in a manifest", () => {
  const placed = { namespaces: undefined, group: "qvs-reconcile", timeoutMs: undefined };
  expect(controllerArguments(usual, placed).join(" ")).toBe(
    "reconcile --watch --all-namespaces --group qvs-reconcile --resync 600s --workers 4 --lease-duration 15s",
  );
});

test("every flag of --print-install is passed to the controller", () => {
  const placed = { namespaces: ["a", "b"], group: "mine", timeoutMs: 90_000 };
  expect(controllerArguments(unusual, placed).join(" ")).toBe(
    "reconcile --watch --namespaces a,b --deployment shop --group mine --resync 60s --workers 2 --lease-duration 20s --allow-delete Namespace,PersistentVolumeClaim --allow-outside-namespace --allow-irreversible --conflicts fail --override-freeze bf --concurrency 8 --no-progress-timeout 60s --no-wait-for-lock --timeout 90s",
  );
});

/** Flags that concern the call itself, or that the manifests contain in another form. */
const callFlags = [
  "--all",
  "--changed",
  "--context",
  "--group-namespace",
  "--image",
  "--kubeconfig",
  "--listen",
  "--namespace",
  "--parallel",
  "--print-install",
  "--quiet",
  "--wait-for-lock",
];

test("every flag of qvs reconcile is handled", async () => {
  const command = (await buildProgram(async () => {}, shell, new Set(["reconcile"]))).commands.find(
    (each) => each.name() === "reconcile",
  );
  const placed = { group: "mine", timeoutMs: 90_000 };
  const passed = [["a"], undefined].flatMap((namespaces) =>
    controllerArguments(unusual, { ...placed, namespaces }),
  );
  const all = command?.options.map(({ long }) => long) ?? [];
  expect(all.length).toBeGreaterThan(20);
  expect(all.filter((long) => !passed.includes(`${long}`)).toSorted()).toEqual(callFlags);
});
