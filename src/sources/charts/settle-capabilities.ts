import pMap from "p-map";
import { type ApiFailure, apiProblem } from "../../model/cluster/api-failure.ts";
import { discoveryProblem } from "../../model/cluster/discovery-problem.ts";
import {
  apiNames,
  crdName,
  parseApiName,
  type VersionedKind,
} from "../../model/cluster/served-apis.ts";
import type { CapabilityAnswer } from "../../model/compilation.ts";
import type { Problem } from "../../model/problems/problem.ts";
import { summarizeList } from "../../model/text/closest.ts";
import {
  type AskedByChart,
  asksCluster,
  type CapabilityBasis,
  type CapabilityRound,
  type CapabilitySource,
  type ClusterCapabilities,
  openQuestions,
  seenCapabilities,
} from "./capabilities.ts";

/** The result of a round of rendering. */
type RoundResult =
  /** The charts got wrong answers, so qvs renders them again on this basis. */
  { readonly type: "again"; readonly basis: CapabilityBasis } | SettledRound;

/** A round whose charts got the answers that hold after the deployment. */
export interface SettledRound {
  readonly type: "settled";
  readonly answers: readonly CapabilityAnswer[];
  /** The questions that the cluster should have answered. They block a deployment. */
  readonly unanswered: readonly Problem[];
  readonly notices: readonly Problem[];
}

/** The newest version of Kubernetes that qvs supports. Charts see it without a cluster. */
const newestVersion = "v1.37.0";

/**
 * Returns the first round. Without a cluster, charts see `kubernetes`, such as "1.32", or else the
 * newest version.
 */
export function firstRound(
  source?: CapabilitySource,
  kubernetes: string | undefined = undefined,
): CapabilityRound {
  let reading: ReturnType<CapabilitySource["read"]> | undefined;
  const cluster = async () => {
    reading ??= source?.read();
    return reading;
  };
  const assumedVersion = kubernetes === undefined ? newestVersion : `v${kubernetes}.0`;
  const basis = { cluster, assumedVersion, declared: [], deleted: new Set<string>(), unlisted: [] };
  return { basis, asked: [], defined: [] };
}

/**
 * Returns the error of charts that define an API only if it is absent. No answer is right: the next
 * deployment would delete the definition.
 */
export function contradiction({ basis }: CapabilityRound): Problem {
  const defined = [...new Set([...basis.declared.map(crdName), ...basis.deleted])].toSorted();
  return {
    code: "capabilities-contradict",
    where: [],
    what: "A chart defines an API only if the cluster doesn't serve it",
    facts: [{ label: "definitions", value: summarizeList(defined, maxNamed) }],
    why: "The next deployment would find the API, and delete its definition",
    fix: "Set the value of the chart that always creates the definition",
    otherwise: ["set apiVersions in the entry of the chart"],
  };
}

/**
 * Compares the answers that charts got with those that hold after the deployment.
 * `declared` are the kinds that the deployment defines, which only its compilation shows: an
 * adapter can define the kind of a chart's object.
 */
export async function settleCapabilities(
  { basis, asked }: CapabilityRound,
  declared: readonly VersionedKind[],
  source: CapabilitySource | undefined,
): Promise<RoundResult> {
  const open = asked.filter(asksCluster);
  if (open.length === 0) return { type: "settled", answers: [], unanswered: [], notices: [] };
  const cluster = await basis.cluster();
  if (cluster === undefined || source === undefined) {
    const next = { ...basis, declared };
    return (await areWrong(open, next))
      ? { type: "again", basis: next }
      : { type: "settled", answers: [], unanswered: [], notices: open.map(assumedNotice) };
  }
  const listed = cluster.apis.ok ? cluster.apis.value.names : [];
  const late = await askForMissing(open, new Set(listed), source);
  const next = {
    ...{ ...basis, declared },
    unlisted: [...basis.unlisted, ...late.served],
    deleted: await deletedDefinitions(open, declared, { source, basis }),
  };
  if (await areWrong(open, next)) return { type: "again", basis: next };
  const where = open.map((each) => each.where);
  const unanswered = readProblems(open, cluster, late.failures);
  return {
    ...{ type: "settled", answers: answersOf(open), notices: [] },
    unanswered: unanswered.map((each) => ({ ...each, where, otherwise: giveVersions })),
  };
}

/** Returns the errors of the questions that the cluster didn't answer. */
function readProblems(
  open: readonly AskedByChart[],
  cluster: ClusterCapabilities,
  unread: Awaited<ReturnType<typeof askForMissing>>["failures"],
): readonly Problem[] {
  const { version, apis } = cluster;
  if (!apis.ok && open.some(asksForApis))
    return [apiProblem(cluster, "read the APIs that the API server serves", apis.failure)];
  if (!version.ok && open.some((each) => openQuestions(each).kubeVersion))
    return [apiProblem(cluster, "read the version of the API server", version.failure)];
  if (!apis.ok) return [];
  // A list without the kinds of one API server isn't the whole list.
  const incomplete = open.some((each) => openQuestions(each).all) ? apis.value.unreadable : [];
  const failures = [
    ...unread,
    ...incomplete.map((apiVersion) => [{ apiVersion, kind: "kinds" }, noAnswer] as const),
  ];
  const problems = failures.map((each) => discoveryProblem(cluster, ...each));
  return [...new Map(problems.map((each) => [each.what, each])).values()];
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

/** Reports whether a chart got another answer than the next basis gives. */
async function areWrong(open: readonly AskedByChart[], next: CapabilityBasis): Promise<boolean> {
  const { names, kubeVersion } = await seenCapabilities(next);
  return open.some((each) => {
    const { apis, all, kubeVersion: asksVersion } = openQuestions(each);
    const { seen } = each;
    if (asksVersion && seen.kubeVersion !== kubeVersion) return true;
    if (all && !isSameSet(seen.names, names)) return true;
    // Without a cluster, Helm's own list also answers, which `names` doesn't contain.
    return [...apis.keys()].some((name) => seen.names.has(name) !== names.has(name));
  });
}

function isSameSet(a: ReadonlySet<string>, b: ReadonlySet<string>): boolean {
  return a.size === b.size && [...a].every((each) => b.has(each));
}

const atOnce = 8;

/** Asks once more for each absent API that the cluster doesn't list. */
async function askForMissing(
  open: readonly AskedByChart[],
  listed: ReadonlySet<string>,
  source: CapabilitySource,
) {
  const absent = open.flatMap((each) =>
    [...openQuestions(each).apis].filter(([, isServed]) => !isServed).map(([name]) => name),
  );
  const answers = await pMap(
    [...new Set(absent)].filter((name) => !listed.has(name)).toSorted(),
    async (name) => ({ name, answer: await source.servesApi(name) }),
    { concurrency: atOnce },
  );
  const served = answers.flatMap(({ name, answer }) => (answer.ok && answer.value ? [name] : []));
  const failures = answers.flatMap(({ name, answer }) => {
    const { apiVersion = name, kind = "kinds" } = parseApiName(name) ?? {};
    return answer.ok ? [] : [[{ apiVersion, kind }, answer.failure] as const];
  });
  return { served, failures };
}

/**
 * Returns the definitions that the deployment owns and no longer declares, if a chart got the
 * answer that such an API exists. Only then does qvs read the releases.
 */
async function deletedDefinitions(
  open: readonly AskedByChart[],
  declared: readonly VersionedKind[],
  { source, basis }: { readonly source: CapabilitySource; readonly basis: CapabilityBasis },
): Promise<ReadonlySet<string>> {
  const own = new Set(apiNames(declared));
  const depends = open.some((each) => {
    const { apis, all } = openQuestions(each);
    const canBeCustom = ([name, isServed]: readonly [string, boolean]) =>
      isServed && !own.has(name) && hasCustomGroup(name);
    return all || [...apis].some(canBeCustom);
  });
  if (!depends && basis.deleted.size === 0) return new Set();
  const names = new Set(declared.map(crdName));
  return new Set([...(await source.ownDefinitions())].filter((name) => !names.has(name)));
}

/** Reports whether a definition can serve the API. Groups such as `apps` are Kubernetes' own. */
function hasCustomGroup(name: string): boolean {
  return name.split("/")[0]?.includes(".") === true;
}

/** Returns each answer of the cluster once, sorted. */
function answersOf(open: readonly AskedByChart[]): readonly CapabilityAnswer[] {
  const answers = new Map<string, string>();
  for (const each of open) {
    const { kubeVersion, apis, all } = openQuestions(each);
    const { seen, hide } = each;
    if (kubeVersion) answers.set("kubeVersion", seen.kubeVersion);
    if (all) answers.set("apiVersions", [...seen.names].toSorted().join(" "));
    for (const [name, isServed] of apis) answers.set(hide(name), isServed ? "served" : "absent");
  }
  return [...answers]
    .map(([question, answer]) => ({ question, answer }))
    .toSorted((a, b) => (a.question < b.question ? -1 : 1));
}

/**
 * Adds to the error of a chart what it asked without a cluster: templates often fail because an API
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

/** The most APIs that a notice names. */
const maxNamed = 8;

/** Returns the notice about a chart whose questions no cluster answered. */
function assumedNotice(asked: AskedByChart): Problem {
  const { written, where, seen, hide } = asked;
  const { kubeVersion, apis, all } = openQuestions(asked);
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
      ...(kubeVersion ? [{ label: "assumed version", value: seen.kubeVersion }] : []),
      ...fact("assumed absent", named(false)),
      ...fact("assumed served", named(true)),
      ...(all ? [{ label: "assumed list", value: "the API versions that Helm knows" }] : []),
    ],
    why: "No cluster answered here; a deployment renders the chart with the answers of its cluster",
    fix: "Preview with access to the cluster",
    otherwise: ["set kubeVersion and apiVersions in the entry of the chart"],
  };
}
