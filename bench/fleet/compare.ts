import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startFakeGitHub } from "../../test/support/fake-github/server.ts";
import { inTurn } from "../in-turn.ts";
import type { Section } from "../section.ts";
import { type Cost, timed } from "../timed.ts";
import { recordBytes } from "./record.ts";
import { prepareFleet } from "./repository.ts";

/**
 * The number of deployments, and of those that the pull request changes. deployments.yaml can have
 * at most 1,000.
 */
const sizes = {
  "1 of 100": [100, 1],
  "1 of 1,000": [1000, 1],
  "300 of 1,000": [1000, 300],
} as const;

type Size = keyof typeof sizes;

/**
 * Measures the Action on a pull request of a repository with very many deployments, without a
 * cluster: it lists, compares and comments.
 */
export async function compareFleet(rounds: number, largest: number): Promise<Section> {
  const measured = (Object.keys(sizes) as Size[]).filter((size) => sizes[size][0] <= largest);
  const rows = [];
  const record = await sizeOfRecord();
  for (const size of measured) {
    const [deployments, changed] = sizes[size];
    const fleet = prepareFleet(deployments, changed);
    try {
      const work = {
        preview: () => runAction(fleet, "diff"),
        list: () => runAction(fleet, "list"),
      };
      const { preview, list } = await inTurn(rounds, work, false);
      rows.push(
        { subject: size, costs: preview },
        { subject: `${size}, only listed`, costs: list },
      );
    } finally {
      fleet.remove();
    }
  }
  return {
    title: "Fleets",
    command: `npm run bench -- fleet ${largest}`,
    rounds,
    versions: [],
    notes: [
      "The Action's process (`dist/index.js`) on a pull request that changes one param of some of the deployments, without a cluster: it reads the commits, compiles the necessary adapters, writes the page, the summary and the comment to a server that replaces GitHub.",
      "Each deployment makes a Deployment, a Service, an Ingress, a ConfigMap and a HorizontalPodAutoscaler by one of 20 adapters.",
      "Only listed is mode `list`, which finds the changed deployments, and compiles only those that can have changed.",
      `The record of one release of such a deployment is a Secret of ${record} bytes.`,
      "Requests are those to GitHub's API; then the length of the comment, of which GitHub takes 65,536 characters, and of the summary, of which it takes 1 MiB.",
    ],
    rows,
  };
}

async function sizeOfRecord(): Promise<number> {
  const fleet = prepareFleet(20, 1);
  try {
    return await recordBytes(fleet.directory);
  } finally {
    fleet.remove();
  }
}

/** Runs the Action once as a whole process. */
async function runAction(
  { directory, base, head }: ReturnType<typeof prepareFleet>,
  mode: "diff" | "list",
): Promise<Cost> {
  const github = await startFakeGitHub();
  const folder = mkdtempSync(join(tmpdir(), "qvs-fleet-step-"));
  const file = (name: string, text = "") => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  const repo = { full_name: "acme/fleet" };
  const pull_request = { number: 7, base: { sha: base, repo }, head: { sha: head, repo } };
  const env = {
    GITHUB_EVENT_NAME: "pull_request",
    GITHUB_EVENT_PATH: file("event.json", JSON.stringify({ action: "synchronize", pull_request })),
    GITHUB_REPOSITORY: "acme/fleet",
    GITHUB_WORKSPACE: directory,
    GITHUB_API_URL: github.apiUrl,
    GITHUB_OUTPUT: file("output.txt"),
    GITHUB_STEP_SUMMARY: file("summary.md"),
    RUNNER_TEMP: folder,
    INPUT_TOKEN: "token",
    INPUT_MODE: mode,
    KUBECONFIG: "",
  };
  try {
    const program = join(import.meta.dirname, "../../dist/index.js");
    const { cost } = await timed({
      program: "env",
      args: [
        ...Object.entries(env).map(([name, value]) => `${name}=${value}`),
        process.execPath,
        program,
      ],
      directory,
    });
    const comment = github.state.comments[0]?.body.length ?? 0;
    const summary = readFileSync(join(folder, "summary.md")).length;
    const counts = `${github.requests.length} requests, comment ${comment}, summary ${summary}`;
    return { ...cost, requests: counts };
  } finally {
    rmSync(folder, { recursive: true });
    await github.close();
  }
}
