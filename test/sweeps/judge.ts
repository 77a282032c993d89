import { keyOf } from "../../src/model/object.ts";
import type { ClusterState } from "./cluster-state.ts";
import type { RunEnd } from "./run-deploy.ts";

/**
 * Returns the flaws of the state after a successful run. `reference` contains the objects of an
 * undisturbed run.
 */
export function flawsOfSuccess(state: ClusterState, reference: string): readonly string[] {
  const [newest] = state.releases;
  const inventory = newest?.inventory.map(({ id }) => keyOf(id)).toSorted() ?? [];
  return [
    ...state.leaks,
    ...flaw(
      newest?.status !== "succeeded",
      `the newest release is ${newest?.status ?? "not there"}`,
    ),
    ...flaw(
      state.objects !== reference,
      `the objects differ:\n${difference(reference, state.objects)}`,
    ),
    ...flaw(
      inventory.join() !== state.ours.join(),
      `the inventory has ${inventory.join(", ")}; the cluster has ${state.ours.join(", ")}`,
    ),
    ...flaw(state.holder !== "", `the lock is still held by ${state.holder}`),
  ];
}

/**
 * Returns the flaws after a successful run that couldn't check whether an object is still in use,
 * and left it for the next run.
 */
export function flawsOfPostponing(state: ClusterState, kept: readonly string[]): readonly string[] {
  const [newest] = state.releases;
  const inventory = newest?.inventory.map(({ id }) => keyOf(id)).toSorted() ?? [];
  return [
    ...state.leaks,
    ...flaw(
      newest?.status !== "succeeded",
      `the newest release is ${newest?.status ?? "not there"}`,
    ),
    ...flaw(inventory.join() !== state.ours.join(), `the inventory has ${inventory.join(", ")}`),
    ...flaw(!kept.every((key) => inventory.includes(key)), "what was kept is not in the inventory"),
    ...flaw(state.holder !== "", `the lock is still held by ${state.holder}`),
  ];
}

/** Returns the flaws of the output of a failed run. */
export function flawsOfWords({ code, text }: RunEnd): readonly string[] {
  return [
    ...flaw(code === -1, text),
    ...flaw(code !== 1 && code !== -1, `it ended with ${code}:\n${text}`),
    ...flaw(/^\s+at .+:\d+:\d+/m.test(text), `it shows a stack:\n${text}`),
    ...flaw(
      !/help: \S|→ \S|Next steps:\n {2}\S/.test(text),
      `it does not say what to do:\n${text}`,
    ),
  ];
}

/**
 * Returns the flaws of the state after a failed run that could reach the API server until its end.
 */
export function flawsOfFailure(
  state: ClusterState,
  { text }: Pick<RunEnd, "text">,
  began: { readonly revision: number; readonly wrote: boolean },
): readonly string[] {
  const [newest] = state.releases;
  const recorded = (newest?.revision ?? 0) > began.revision;
  return [
    ...flaw(state.holder !== "", `the lock is still held by ${state.holder}`),
    ...flaw(began.wrote && !recorded, "it changed objects without a record"),
    ...flaw(recorded && newest?.status !== "failed", `its record says ${newest?.status}`),
    ...flaw(
      !recorded && !text.includes("Nothing was changed."),
      `it does not say that nothing was changed:\n${text}`,
    ),
  ];
}

export function flaw(wrong: boolean, text: string): readonly string[] {
  return wrong ? [text] : [];
}

function difference(expected: string, actual: string): string {
  const [left, right] = [expected.split("\n"), actual.split("\n")];
  return [
    ...left.filter((line) => !right.includes(line)).map((line) => `- ${line}`),
    ...right.filter((line) => !left.includes(line)).map((line) => `+ ${line}`),
  ]
    .slice(0, 20)
    .join("\n");
}
