import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { previewRollback } from "../src/planning/rollback/preview-rollback.ts";
import { type RunningCluster, startCluster } from "../test/support/cluster/start.ts";
import { prepareNamespaces } from "./deploy.ts";
import { inTurn } from "./in-turn.ts";
import { qvs, qvsOf, shippedProgram } from "./qvs.ts";
import { writeRepository } from "./scale/repository.ts";
import type { Row, Section } from "./section.ts";
import { timed } from "./timed.ts";

const root = join(import.meta.dirname, "..");
const mapCount = 300;
const applicationCount = 100;

/**
 * Compares previews with those of a program that doesn't predict the rollback of the previewed
 * deployment ("Can this be undone?"). The programs differ in nothing else.
 */
export async function compareUndo(rounds: number): Promise<Section> {
  const directory = mkdtempSync(join(tmpdir(), "qvs-undo-"));
  // The copy has no native engine.
  process.env.QVS_ENGINE = "wasm";
  const cluster = await startCluster({ auditLog: false });
  try {
    const without = buildWithoutUndo(directory);
    const rows: Row[] = [];
    for (const change of changes(directory))
      rows.push(...(await compareChange(cluster, change, without, rounds)));
    return {
      title: "Predicting a rollback",
      command: "npm run bench -- undo",
      rounds,
      versions: ["Kubernetes v1.36.4"],
      ratio: "cpuMs",
      notes: [
        `\`qvs diff --no-cache\` of ${mapCount} ConfigMaps, and of ${applicationCount} applications with ten objects each, on a real control plane on the same machine.`,
        "Without: the same program, built without the prediction of the rollback.",
        "Ratios are those of the CPU time (user and system) to that without.",
      ],
      rows,
    };
  } finally {
    await cluster.stop();
    rmSync(directory, { recursive: true });
  }
}

/** A deployment, and the change that is previewed on top of it. */
interface Change {
  readonly name: string;
  readonly namespace: string;
  readonly repository: string;
  readonly before: Readonly<Record<string, string>>;
  readonly after: Readonly<Record<string, string>>;
}

function changes(directory: string): readonly Change[] {
  const maps = { namespace: "maps", repository: join(import.meta.dirname, "config-maps") };
  const applications = { namespace: "applications", repository: join(directory, "applications") };
  writeRepository(applications.repository, "application", applicationCount);
  const [few, many] = [String(mapCount / 2), String(mapCount)];
  const before = { count: many, value: "first" };
  const life = { value: "first", mark: "first" };
  return [
    { ...maps, name: "ConfigMaps, all changed", before, after: { count: many, value: "second" } },
    { ...maps, name: "ConfigMaps, half removed", before, after: { count: few, value: "first" } },
    {
      ...{ ...applications, name: "applications, all changed", before: life },
      after: { value: "first", mark: "second" },
    },
  ];
}

async function compareChange(
  cluster: RunningCluster,
  { name, namespace, repository, before, after }: Change,
  without: string,
  rounds: number,
): Promise<readonly Row[]> {
  const flags = (values: Change["before"]) => [
    ...["--kubeconfig", cluster.kubeconfig, "--namespace", `${namespace}-0`],
    ...["--config", ".valuestream/qvs.yaml", "--param", `namespace=${namespace}-0`],
    ...Object.entries(values).flatMap(([param, value]) => ["--param", `${param}=${value}`]),
  ];
  await prepareNamespaces(cluster, [namespace], 0).catch(() => {});
  await timed(qvs(repository, "deploy", "--quiet", ...flags(before)));
  const preview = (program: string) => async () =>
    (await timed(qvsOf(program, repository, "diff", "--no-cache", ...flags(after)))).cost;
  const costs = await inTurn(rounds, {
    without: preview(without),
    with: preview(shippedProgram),
  });
  return [
    { subject: `${name}: without`, costs: costs.without },
    { subject: name, costs: costs.with, against: costs.without },
  ];
}

const prediction = "src/planning/rollback/preview-rollback.ts";

/**
 * The module of the prediction without the prediction. The imported function names the replaced
 * export, so that a renamed one is an error.
 */
const withoutPrediction = `export * from "./predicting.ts";
export const ${previewRollback.name} = async () => undefined;
`;

/** Builds the program without the prediction in a directory. Returns its path. */
function buildWithoutUndo(directory: string): string {
  const copy = join(directory, "copy");
  for (const part of ["src", "scripts", "engine", "workflows", "dist", "package.json"])
    cpSync(join(root, part), join(copy, part), { recursive: true });
  symlinkSync(join(root, "node_modules"), join(copy, "node_modules"));
  const replaced = join(copy, prediction);
  renameSync(replaced, join(dirname(replaced), "predicting.ts"));
  writeFileSync(replaced, withoutPrediction);
  execFileSync(process.execPath, ["scripts/build.ts"], { cwd: copy, stdio: "pipe" });
  return join(copy, "dist/cli.js");
}
