import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inTurn } from "./in-turn.ts";
import { qvs } from "./qvs.ts";
import { writeRepository } from "./scale/repository.ts";
import type { Row, Section } from "./section.ts";
import { timed } from "./timed.ts";

const counts = [100, 1_000, 5_000] as const;
const entries = 500;

/**
 * Compares compiling with and without traces of each field, which a preview of a pull request
 * needs.
 */
export async function compareTracing(rounds: number): Promise<Section> {
  process.env.QVS_EVALUATION_TIMEOUT ??= "900";
  const repository = mkdtempSync(join(tmpdir(), "qvs-trace-"));
  try {
    writeRepository(repository, "application", entries);
    const rows: Row[] = [];
    for (const count of counts) {
      const maps = join(import.meta.dirname, "config-maps");
      const given = [
        ["count", count],
        ["value", "v"],
        ["namespace", "any"],
      ] as const;
      rows.push(
        ...(await compareTraced(`${count} of one comprehension`, maps, given, "config0", rounds)),
      );
    }
    const given = [
      ["value", "v"],
      ["mark", "m"],
      ["namespace", "any"],
    ] as const;
    const subject = `${entries} entries with ten each`;
    rows.push(...(await compareTraced(subject, repository, given, "app-0-settings", rounds)));
    return {
      title: "Tracing",
      command: "npm run bench -- trace",
      rounds,
      versions: ["CUE v0.17.1"],
      notes: [
        "ConfigMaps of one comprehension (`bench/config-maps`), and objects of an adapter that the config uses once for each ten of them (`bench/scale`).",
        "Compiled: `qvs compile`, as a whole process. Traced: with `--explain` of one field, for which all of them are traced. Both without the cache.",
        "Ratios are those to compiling.",
      ],
      rows,
    };
  } finally {
    rmSync(repository, { recursive: true });
  }
}

async function compareTraced(
  subject: string,
  repository: string,
  given: readonly (readonly [string, string | number])[],
  resource: string,
  rounds: number,
): Promise<Row[]> {
  const params = given.flatMap(([name, value]) => ["--param", `${name}=${value}`]);
  const compile =
    (...flags: readonly string[]) =>
    async () => {
      const config = ["--config", ".valuestream/qvs.yaml", "--no-cache"];
      return (await timed(qvs(repository, "compile", ...config, ...flags, ...params))).cost;
    };
  const costs = await inTurn(rounds, {
    compiled: compile(),
    traced: compile("--explain", `app/${resource}:data.value`),
  });
  return [
    { subject: `${subject}: compiled`, costs: costs.compiled },
    { subject: `${subject}: traced`, costs: costs.traced, against: costs.compiled },
  ];
}
