import type { Deployment } from "../../model/deployments/deployment.ts";
import { type EnvironmentState, hasExpired } from "../../model/deployments/environment-state.ts";
import type { JsonObject } from "../../model/json.ts";
import { formatAge } from "../../model/text/times.ts";
import type { TerminalText } from "../../redaction/shown.ts";
import { exactLine, terminal } from "../../redaction/terminal.ts";
import { plural } from "../text/counts.ts";
import type { Looks } from "../text/text-lines.ts";
import { type AnswerRow, renderColumns } from "./columns.ts";

/** An environment with the name of its deployment. */
type ListedEnvironment = EnvironmentState & { readonly deployment: Deployment };

/** Renders one row for each environment. */
export function renderEnvironments(
  environments: readonly ListedEnvironment[],
  now: string,
  looks: Looks = {},
): TerminalText {
  const rows = environments.map((each) => environmentRow(each, now));
  const titles = ["PULL REQUEST", "NAME", "NAMESPACE", "DEPLOYED", "EXPIRES", "STATE"];
  const total = plural(environments.length, "environment");
  return terminal`${renderColumns(titles, rows, looks)}\n${exactLine(total)}\n`;
}

function environmentRow(state: ListedEnvironment, now: string): AnswerRow {
  const { deployment, environment, deployedAt, release } = state;
  const age = deployedAt && (formatAge(deployedAt, now) ?? deployedAt);
  return {
    cells: [
      { text: `#${environment.number}` },
      { text: deployment.name },
      { text: environment.namespace },
      { text: age ?? "unknown" },
      { text: expiryText(state, now) },
      {
        text: stateText(state),
        tone: release.status === "succeeded" && !state.isDeleting ? "added" : "removed",
      },
    ],
  };
}

function expiryText(state: EnvironmentState, now: string): string {
  const { expiresAt } = state;
  if (expiresAt === undefined) return "never: its time is unknown";
  return hasExpired(state, now) ? "expired" : expiresAt.replace(/:\d\d\.\d+Z$/, "Z");
}

function stateText({ isDeleting, release }: EnvironmentState): string {
  return isDeleting ? "deletion unfinished" : release.status;
}

/** Returns an environment as JSON. null stands for an unknown value. */
export function environmentJson(state: ListedEnvironment, now: string): JsonObject {
  const { deployment, environment, deployedAt, expiresAt, release, isDeleting } = state;
  const { repository, list, entry, number, namespace, head } = environment;
  return {
    ...{ number, deployment: deployment.name, namespace, entry, list },
    releases: deployment.namespace,
    repository: repository.path ?? repository.id ?? null,
    head: head ?? null,
    deployedAt: deployedAt ?? null,
    expiresAt: expiresAt ?? null,
    hasExpired: hasExpired(state, now),
    release: release.revision,
    status: isDeleting ? "deleting" : release.status,
  };
}
