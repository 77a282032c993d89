import { mkdirSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { LoadResult } from "../../test/support/node/load.ts";
import { loadDuring } from "../../test/support/node/roll-out.ts";
import { runOnNode } from "../../test/support/node/run-on-node.ts";
import { startNode } from "../../test/support/node/start-node.ts";
import { nodeAt, type TestNode } from "../../test/support/node/use-node.ts";
import { first, images, type Version } from "./application.ts";
import { buildComparedTools, comparedTools, type Tool } from "./tools.ts";

/** A change of the running application. */
interface Scenario {
  readonly name: string;
  readonly before: Version;
  readonly after: Version;
  /** True if the change is bad, and the tool must return to the version before. */
  readonly fails?: boolean;
}

const next: Version = { ...first, greeting: "new", image: images[1] };
const unhashed: Version = { ...first, hashed: false };
const crash = { CRASH: "the settings are wrong" };

const scenarios: readonly Scenario[] = [
  { name: "image and settings, ConfigMap with a hash", before: first, after: next },
  {
    name: "settings, ConfigMap without a hash",
    before: unhashed,
    after: { ...unhashed, greeting: "new" },
  },
  {
    name: "an image that doesn't exist",
    before: first,
    after: { ...next, image: "none.example/web:1" },
  },
  { name: "a crash at the start", before: first, after: { ...next, environment: crash } },
  {
    name: "a crash, and back to the version before",
    before: first,
    after: { ...first, environment: crash },
    fails: true,
  },
  { name: "another name of the Service", before: first, after: { ...first, service: "shop" } },
];

interface Measured {
  readonly tool: string;
  readonly loads: readonly LoadResult[];
  /**
   * Seconds until the last answer of the version before, per round. Undefined if it still answers
   * at the end.
   */
  readonly seconds: readonly (number | undefined)[];
}

/** Runs this benchmark again in the namespaces of a real node. Returns its exit code. */
export async function enterNode(argv: readonly string[]): Promise<number> {
  // The namespaces have no network.
  await buildComparedTools();
  return runOnNode(join(import.meta.dirname, "../main.ts"), argv);
}

/** Measures the requests that each tool loses, and returns a table per change. */
export async function compareDowntime(rounds: number): Promise<readonly DowntimeTable[]> {
  const { cluster, stop } = await startNode();
  try {
    const node = nodeAt(cluster);
    for (const image of images) await node.image(image);
    const tools = await comparedTools(cluster);
    const tables: DowntimeTable[] = [];
    for (const scenario of scenarios)
      tables.push({ change: scenario.name, rows: await compare(node, tools, scenario, rounds) });
    return tables;
  } finally {
    await stop();
  }
}

export interface DowntimeTable {
  readonly change: string;
  readonly rows: readonly Measured[];
}

async function compare(
  node: TestNode,
  tools: readonly Tool[],
  scenario: Scenario,
  rounds: number,
): Promise<readonly Measured[]> {
  const rows = tools.map(({ name }) => ({
    tool: name,
    loads: [] as LoadResult[],
    seconds: [] as (number | undefined)[],
  }));
  for (let round = 0; round < rounds; round++) {
    for (const [index, tool] of tools.entries()) {
      const { load, seconds } = await measure(node, tool, scenario);
      rows[index]?.loads.push(load);
      rows[index]?.seconds.push(seconds);
      process.stderr.write(`${scenario.name}: ${tool.name}: ${load.failed} of ${load.requests}\n`);
    }
  }
  return rows;
}

async function measure(
  node: TestNode,
  tool: Tool,
  { before, after, fails }: Scenario,
): Promise<{ readonly load: LoadResult; readonly seconds: number | undefined }> {
  const namespace = await node.namespace("downtime");
  // qvs names the deployment after its directory.
  const place = { namespace, directory: join(mkdtempSync(join(tmpdir(), "downtime-")), "web") };
  mkdirSync(place.directory);
  if (!(await tool.deploy(place, before))) throw new Error(`${tool.name} can't deploy`);
  let started = 0;
  const { load } = await loadDuring(node, { namespace, service: before.service }, async () => {
    started = Date.now();
    await (fails ? tool.deployOrReturn(place, after) : tool.deploy(place, after));
  });
  const ended = Date.now();
  await node.kubectl("delete", "namespace", namespace, "--wait=false");
  const last = lastAnswer(load, (greeting) => greeting === before.greeting);
  const stays = last === lastAnswer(load) && ended - last < 2_000;
  return { load, seconds: stays ? undefined : (last - started) / 1000 };
}

/** Returns the time of the last answer with such a greeting to any client. */
function lastAnswer(load: LoadResult, isMeant: (greeting: string) => boolean = () => true): number {
  const answers = [load.newConnections, load.keptConnections].flatMap(({ lastAnswers }) =>
    Object.entries(lastAnswers),
  );
  return Math.max(0, ...answers.flatMap(([greeting, at]) => (isMeant(greeting) ? [at] : [])));
}
