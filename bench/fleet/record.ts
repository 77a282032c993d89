import { gzipSync } from "node:zlib";
import { idOf, type KubeObject } from "../../src/model/object.ts";
import type { Stage } from "../../src/model/sources/compilation.ts";
import { encodeRelease } from "../../src/releases/encode.ts";
import { qvs } from "../qvs.ts";
import { timed } from "../timed.ts";

type Compiled = Readonly<
  Record<string, { readonly stages: Readonly<Record<Stage, Readonly<Record<string, KubeObject>>>> }>
>;

/** Returns the average size of the record of one release in the cluster, in bytes. */
export async function recordBytes(directory: string): Promise<number> {
  const { stdout } = await timed(
    qvs(directory, "compile", "--all", "--quiet", "--format", "json", "--no-cache"),
  );
  const sizes = Object.entries(JSON.parse(stdout) as Compiled).map(([deployment, { stages }]) =>
    bytesOf(deployment, stages),
  );
  return Math.round(sizes.reduce((sum, size) => sum + size, 0) / sizes.length);
}

function bytesOf(deployment: string, stages: Compiled[string]["stages"]): number {
  const manifests = (Object.keys(stages) as Stage[]).flatMap((stage) =>
    Object.entries(stages[stage]).map(([resource, object]) => ({ stage, resource, object })),
  );
  const release = {
    format: 1,
    deployment,
    revision: 1,
    status: "succeeded",
    rollbackOf: undefined,
    inputConfig: { config: JSON.stringify(stages), params: {}, modules: [] },
    expandedConfig: manifests.map((each) => ({ ...each, dependsOn: [] })),
    layout: {
      pattern: deployment,
      name: deployment,
      file: "qvs.yaml",
      line: 1,
      group: undefined,
      params: {},
      resources: [],
      composites: [],
    },
    source: { commit: "0".repeat(40), actor: "octocat", run: "https://github.com/acme/fleet" },
    startedAt: "2026-01-02T03:04:05.000Z",
    finishedAt: "2026-01-02T03:05:05.000Z",
    inventory: manifests.map(({ stage, object }) => ({
      id: { ...idOf(object) },
      apiVersion: object.apiVersion,
      stage,
      after: [],
    })),
    results: [],
  } as const;
  const compress = (text: string) => gzipSync(text, { level: 6 });
  const secrets = encodeRelease(release, { namespace: "fleet", compress });
  return secrets.reduce((sum, secret) => sum + JSON.stringify(secret).length, 0);
}
