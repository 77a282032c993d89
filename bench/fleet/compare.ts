import { actionProgram, pullRequestEvent, runActionStep } from "../action-step.ts";
import { inTurn } from "../in-turn.ts";
import type { Section } from "../section.ts";
import type { Cost } from "../timed.ts";
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

async function runAction(
  { directory, base, head }: ReturnType<typeof prepareFleet>,
  mode: "diff" | "list",
): Promise<Cost> {
  const event = pullRequestEvent(base, head);
  const step = { program: actionProgram, directory, event, mode, kubeconfig: "" };
  const { cost, githubRequests, comment, summary } = await runActionStep(step);
  const requests = `${githubRequests} requests, comment ${comment}, summary ${summary}`;
  return { ...cost, requests };
}
