import pMap from "p-map";
import { isBuiltInGroup } from "../../model/cluster/api/built-in-groups.ts";
import {
  apiNames,
  crdName,
  definedKinds,
  type VersionedKind,
} from "../../model/cluster/api/served-apis.ts";
import type { JsonObject } from "../../model/json.ts";
import type { Problem, Result } from "../../model/problems/problem.ts";
import {
  type CapabilityAnswer,
  type Compilation,
  unrenderedCharts,
} from "../../model/sources/compilation.ts";
import {
  type AskedByChart,
  asksCluster,
  type CapabilityBasis,
  type CapabilityRound,
  type CapabilitySource,
  type ClusterCapabilities,
  checksVersion,
  openQuestions,
  seenCapabilities,
} from "./capabilities.ts";
import {
  assumedNotice,
  type ChangedAnswer,
  contradiction,
  readProblems,
  type UnreadApi,
} from "./capability-problems.ts";

/** The result of a round of rendering. */
type RoundResult = UnsettledRound | SettledRound;

/** A round whose charts got wrong answers, so qvs renders them again on the next basis. */
interface UnsettledRound {
  readonly type: "again";
  readonly basis: CapabilityBasis;
  readonly changed: readonly ChangedAnswer[];
}

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

interface SettledCompilation<T> extends SettledRound {
  readonly compiled: Result<T>;
  readonly round: CapabilityRound;
}

interface Contradiction {
  readonly type: "contradiction";
  readonly problems: readonly Problem[];
}

/**
 * Compiles until all charts got the answers that hold after the deployment. Most charts need one
 * round, or two if the deployment defines an API that they ask for. If the same answers come again,
 * no answer is right, and the errors of these rounds are shown, too.
 */
export async function compileInRounds<T extends { readonly compilation: Compilation }>(
  compile: (round: CapabilityRound) => Promise<Result<T>>,
  source: CapabilitySource | undefined,
  kubernetes: string | undefined,
): Promise<SettledCompilation<T> | Contradiction> {
  let round = firstRound(source, kubernetes);
  const counts = new Map([[basisKey(round.basis), 0]]);
  let failure: { readonly count: number; readonly problems: readonly Problem[] } | undefined;
  for (let count = 0; ; count++) {
    const compiled = await compile(round);
    if (!compiled.ok) failure = { count, problems: compiled.problems };
    const found = compiled.ok ? compiledKinds(compiled.value.compilation) : undefined;
    const result = await settleCapabilities(round, found, source);
    if (result.type === "settled") return { ...result, compiled, round };
    const key = basisKey(result.basis);
    const before = counts.get(key);
    // If each chart of a chain asks for an API that the next one defines, each needs a round.
    if (before !== undefined || count > round.asked.length + 2) {
      const isRecent = failure !== undefined && failure.count >= (before ?? 0);
      const problems = isRecent ? (failure?.problems ?? []) : [];
      return { type: "contradiction", problems: [...problems, contradiction(result.changed)] };
    }
    counts.set(key, count + 1);
    round = { basis: result.basis, asked: [], defined: [] };
  }
}

/** The kinds that a deployment defines, as its compilation shows them. */
interface CompiledKinds {
  readonly kinds: readonly VersionedKind[];
  /** False if a chart isn't rendered, which can define more kinds. */
  readonly isComplete: boolean;
}

function compiledKinds(compilation: Compilation): CompiledKinds {
  const isComplete = unrenderedCharts(compilation.resources).length === 0;
  return { kinds: declaredKinds(compilation), isComplete };
}

/** Lists the kinds of the definitions that a compilation contains. */
export function declaredKinds({ resources }: Compilation): readonly VersionedKind[] {
  return definedKinds(
    resources.flatMap((each): readonly JsonObject[] =>
      each.type === "manifest" ? [each.object] : [],
    ),
  );
}

/** Returns the same text for two bases that give the same answers. */
function basisKey({ declared, deleted, unlisted }: CapabilityBasis): string {
  const parts = [apiNames(declared), declared.map(crdName), [...deleted], unlisted];
  return JSON.stringify(parts.map((part) => [...new Set(part)].toSorted()));
}

/**
 * Compares the answers that charts got with those that hold after the deployment.
 * `compiled` are the kinds that the deployment defines, which only its compilation shows: an
 * adapter can define the kind of a chart's object. After an error, they are undefined. The kinds of
 * earlier rounds then stay known, so that a missing adapter takes none away.
 */
async function settleCapabilities(
  { basis, asked, defined }: CapabilityRound,
  compiled: CompiledKinds | undefined,
  source: CapabilitySource | undefined,
): Promise<RoundResult> {
  const concerned = asked.filter((each) => asksCluster(each) || checksVersion(each));
  if (concerned.length === 0) return settledRound;
  const open = asked.filter(asksCluster);
  const declared = compiled?.kinds ?? [...basis.declared, ...defined];
  const cluster = await basis.cluster();
  if (cluster === undefined || source === undefined) {
    const next = { ...basis, declared };
    const changed = await changedAnswers(open, next);
    if (changed.length > 0) return { type: "again", basis: next, changed };
    const isFailed = compiled === undefined;
    const assuming = isFailed ? concerned : open;
    return { ...settledRound, notices: assuming.map((each) => assumedNotice(each, isFailed)) };
  }
  const listed = cluster.apis.ok ? cluster.apis.value.names : [];
  const late = await askForMissing(open, new Set(listed), source);
  const next = {
    ...basis,
    declared,
    unlisted: [...new Set([...basis.unlisted, ...late.served])],
    deleted:
      compiled === undefined
        ? basis.deleted
        : await findDeleted(open, compiled, { source, cluster }),
  };
  const changed = await changedAnswers(open, next);
  if (changed.length > 0) return { type: "again", basis: next, changed };
  const unanswered = readProblems(concerned, cluster, late.unread);
  return { ...settledRound, answers: answersOf(open), unanswered };
}

const settledRound: SettledRound = { type: "settled", answers: [], unanswered: [], notices: [] };

/** Lists the answers that differ from those that charts got. */
async function changedAnswers(
  open: readonly AskedByChart[],
  next: CapabilityBasis,
): Promise<readonly ChangedAnswer[]> {
  if (open.length === 0) return [];
  const { names, kubeVersion } = await seenCapabilities(next);
  return open.flatMap((chart) => {
    const { apis, all, kubeVersion: asksVersion } = openQuestions(chart);
    const { seen } = chart;
    const changed = [
      ...(asksVersion && seen.kubeVersion !== kubeVersion ? ["the version"] : []),
      ...(all && !isSameSet(seen.names, names) ? ["the list of all APIs"] : []),
      // Without a cluster, Helm's own list also answers, which `names` doesn't contain.
      ...[...apis.keys()].filter((name) => seen.names.has(name) !== names.has(name)),
    ];
    return changed.length === 0 ? [] : [{ chart, names: changed }];
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
  const unread = answers.flatMap(({ name, answer }): readonly UnreadApi[] =>
    answer.ok ? [] : [{ name, failure: answer.failure }],
  );
  return { served, unread };
}

/**
 * Returns the definitions that the deployment deletes, among those of the APIs that charts asked
 * for. Only if it doesn't declare one of them, qvs reads the releases. A plan deletes nothing while
 * a chart isn't rendered.
 */
async function findDeleted(
  open: readonly AskedByChart[],
  { kinds: declared, isComplete }: CompiledKinds,
  { source, cluster }: { readonly source: CapabilitySource; readonly cluster: ClusterCapabilities },
): Promise<ReadonlySet<string>> {
  if (!cluster.apis.ok || !isComplete) return new Set();
  const own = new Set(declared.map(crdName));
  const questions = open.map(openQuestions);
  const isAsked = (kind: VersionedKind) =>
    questions.some(({ apis, all }) => all || apiNames([kind]).some((name) => apis.has(name)));
  const undeclared = cluster.apis.value.kinds.filter(
    (kind) => !isBuiltInGroup(kind.group) && !own.has(crdName(kind)) && isAsked(kind),
  );
  const names = new Set(undeclared.map(crdName));
  return names.size === 0 ? names : source.deletes(names);
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
