import { type ApiFailure, apiProblem } from "../../model/cluster/api/api-failure.ts";
import { discoveryProblem, parseApiName } from "../../model/cluster/api/served-apis.ts";
import type { Problem } from "../../model/problems/problem.ts";
import { summarizeList } from "../../model/text/suggest.ts";
import {
  type AskedByChart,
  type ClusterCapabilities,
  checksVersion,
  openQuestions,
} from "./capabilities.ts";

/** A question of a chart whose answer differs in the next round. */
export interface ChangedAnswer {
  readonly chart: AskedByChart;
  /** The names of the APIs, or text such as `the list of all APIs`. */
  readonly names: readonly string[];
}

/** An API about which the API server gave no answer. */
export interface UnreadApi {
  readonly name: string;
  readonly failure: ApiFailure;
}

/** The most APIs that a message names. */
const maxNamed = 8;

/**
 * Returns the error of charts that define an API only if it is absent, or the reverse. Each answer
 * makes itself wrong.
 */
export function contradiction(changed: readonly ChangedAnswer[]): Problem {
  const names = [...new Set(changed.flatMap((each) => each.names.map(each.chart.hide)))];
  return {
    code: "capabilities-contradict",
    where: changed.map(({ chart }) => chart.where),
    what: "A chart defines an API only if the cluster doesn't serve it",
    facts: [
      ...changed.map(({ chart }) => ({ label: "chart", value: chart.written })),
      { label: "asked", value: summarizeList(names.toSorted(), maxNamed) },
    ],
    why: "With each answer, the deployment defines other APIs, so that the answer is wrong",
    fix: "Set the value of the chart that always creates the definition",
    otherwise: ["set apiVersions in the entry of the chart"],
  };
}

/** Returns the errors of the questions that the cluster didn't answer, each with its charts. */
export function readProblems(
  asked: readonly AskedByChart[],
  cluster: ClusterCapabilities,
  unread: readonly UnreadApi[],
): readonly Problem[] {
  const { version, apis } = cluster;
  const found: Problem[] = [];
  const add = (problem: Problem, isAsking: (each: AskedByChart) => boolean) => {
    const where = asked.filter(isAsking).map((each) => each.where);
    if (where.length === 0 || found.some(({ what }) => what === problem.what)) return;
    found.push({ ...problem, where, otherwise: giveVersions });
  };
  if (!version.ok)
    add(apiProblem(cluster, "read the version of the API server", version.failure), needsVersion);
  if (!apis.ok) {
    add(apiProblem(cluster, "read the APIs that the API server serves", apis.failure), asksForApis);
    return found;
  }
  for (const { name, failure } of unread) {
    const { apiVersion = name, kind = "kinds" } = parseApiName(name) ?? {};
    const isAsking = (each: AskedByChart) => openQuestions(each).apis.has(name);
    add(discoveryProblem(cluster, { apiVersion, kind }, failure), isAsking);
  }
  // A list without the kinds of one API server isn't the whole list.
  for (const apiVersion of apis.value.unreadable)
    add(
      discoveryProblem(cluster, { apiVersion, kind: "kinds" }, noAnswer),
      (each) => openQuestions(each).all,
    );
  return found;
}

const noAnswer: ApiFailure = {
  ...{ reason: "other", status: 503, causes: [] },
  message: "the API server of this group doesn't answer",
};

const giveVersions = [
  "set kubeVersion and apiVersions in the entry of the chart: then qvs doesn't ask the cluster",
];

function asksForApis(asked: AskedByChart): boolean {
  const { apis, all } = openQuestions(asked);
  return all || apis.size > 0;
}

function needsVersion(asked: AskedByChart): boolean {
  return openQuestions(asked).kubeVersion || checksVersion(asked);
}

/**
 * Adds the questions without a cluster to the error of a chart: templates often fail because an API
 * is absent.
 */
export function withAssumptions(problem: Problem, notices: readonly Problem[]): Problem {
  const isSamePlace = ({ where: [place] }: Problem) =>
    problem.where.some((each) => each.file === place?.file && each.line === place.line);
  const notice = problem.code === "render-failed" ? notices.find(isSamePlace) : undefined;
  if (notice === undefined) return problem;
  const { facts = [], otherwise = [] } = problem;
  return {
    ...problem,
    facts: [...facts, ...(notice.facts ?? [])],
    otherwise: [...otherwise, ...(notice.otherwise ?? [])],
  };
}

/**
 * Returns the notice about a chart whose questions no cluster answered. The limit in Chart.yaml
 * explains only an error: it leaves the objects as they are.
 */
export function assumedNotice(asked: AskedByChart, isFailed: boolean): Problem {
  const { written, where, seen, hide } = asked;
  const { kubeVersion, apis, all } = openQuestions(asked);
  const isVersionAssumed = kubeVersion || (isFailed && checksVersion(asked));
  const named = (isServed: boolean) =>
    [...apis]
      .filter(([, answer]) => answer === isServed)
      .map(([name]) => hide(name))
      .toSorted();
  const fact = (label: string, names: readonly string[]) =>
    names.length === 0 ? [] : [{ label, value: summarizeList(names, maxNamed) }];
  return {
    code: "capabilities-assumed",
    where: [where],
    what: `Chart "${written}" asks for the version or the APIs of the cluster`,
    facts: [
      ...(isVersionAssumed ? [{ label: "assumed version", value: seen.kubeVersion }] : []),
      ...fact("assumed absent", named(false)),
      ...fact("assumed served", named(true)),
      ...(all ? [{ label: "assumed list", value: "the API versions that Helm knows" }] : []),
    ],
    why: "No cluster answered here; a deployment renders the chart with the answers of its cluster",
    fix: "Preview with access to the cluster",
    otherwise: ["set kubeVersion and apiVersions in the entry of the chart"],
  };
}
