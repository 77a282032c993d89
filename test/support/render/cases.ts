import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { HelmRequest, KustomizeRequest, RenderedChart } from "../../../src/ports/render.ts";

/** The directory with inputs and the outputs of the real tools; undefined if there is none. */
export const inputs = process.env["QVS_INPUTS"];

/** One output of the real tool, and the request that must give the same. */
export type RenderCase = HelmCase | KustomizeCase;

interface HelmCase {
  readonly title: string;
  readonly request: HelmRequest;
  readonly includeCrds: boolean;
  readonly expected: string | RegExp;
  /** The places that differ by chance: `<template> <kind>: <key>`. */
  readonly differs: readonly string[];
}

interface KustomizeCase {
  readonly title: string;
  readonly overlay: KustomizeRequest;
  readonly expected: string;
}

export function readCases(): readonly RenderCase[] {
  if (inputs === undefined) return [];
  const directory = join(inputs, "cases");
  return readdirSync(directory).flatMap((name) => casesOf(join(directory, name), name));
}

function casesOf(folder: string, name: string): readonly RenderCase[] {
  const about = JSON.parse(readFileSync(join(folder, "case.json"), "utf8"));
  if (about.kind === "kustomize") {
    const files = { in: "directory", directory: join(folder, "files") } as const;
    const expected = readFileSync(join(folder, "expected.yaml"), "utf8");
    return [{ title: name, overlay: { files, directory: about.directory, bases: [] }, expected }];
  }
  return ["default", "values"].flatMap((result): readonly HelmCase[] => {
    const file = result === "default" ? "expected-default" : "expected";
    const expected = expectedOf(join(folder, file));
    if (expected === undefined) return [];
    const values = readFileSync(join(folder, "values.yaml"), "utf8");
    const request: HelmRequest = {
      files: { in: "directory", directory: folder },
      chart: "chart",
      release: about.release,
      namespace: about.namespace,
      values: result === "default" ? [] : [{ name: "values.yaml", text: values }],
      set: [],
      capabilities: {
        kubeVersion: about.kubeVersion,
        apiVersions: about.apiVersions,
        complete: false,
      },
      isUpgrade: false,
      seed: "a",
      clock: Date.UTC(2026, 0),
      compare: { seed: "b", clock: Date.UTC(2027, 0) },
    };
    const { differs = [] } = about.results[result];
    const title = `${name} with ${result}`;
    return [{ title, request, includeCrds: about.includeCrds, expected, differs }];
  });
}

/** Returns the output, or a pattern for the last line of the error. */
function expectedOf(path: string): string | RegExp | undefined {
  if (existsSync(`${path}.yaml`)) return readFileSync(`${path}.yaml`, "utf8");
  if (!existsSync(`${path}.error`)) return undefined;
  const lines = readFileSync(`${path}.error`, "utf8").trim().split("\n");
  return new RegExp(RegExp.escape(lines.at(-1)?.trim() ?? ""));
}

/** Returns the text that `helm template` prints for a result. */
export function printChart(
  { manifests, crds, hooks }: RenderedChart,
  includeCrds: boolean,
): string {
  const print = (name: string, text: string) => `---\n# Source: ${name}\n${text}\n`;
  const first = [
    ...(includeCrds ? crds.map(({ path, text }) => print(path, text)) : []),
    ...manifests.map(({ template, text }) => print(template, text)),
  ];
  const last = hooks.map(({ template, text }) => print(template, text));
  return `${first.join("").trim()}\n${last.join("")}`;
}
