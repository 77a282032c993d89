import pMap from "p-map";
import { managedByLabel, managedByValue } from "../../model/annotations.ts";
import {
  type ApiResult,
  apiProblem,
  isMissingPermission,
} from "../../model/cluster/api/api-failure.ts";
import { textAt } from "../../model/json.ts";
import { idOf, type KubeObject, keyOf } from "../../model/object.ts";
import { UserError } from "../../model/problems/errors.ts";
import type { Problem } from "../../model/problems/problem.ts";
import { summarizeList } from "../../model/text/suggest.ts";
import type { Cluster } from "../../ports/kubernetes.ts";
import {
  type RecordedDeployment,
  recordedDeployments,
} from "../../releases/queries/recorded-deployments.ts";
import { releaseRevisionLabel } from "../../releases/release-names.ts";
import { listReleaseMetadata } from "../../releases/unreadable-records.ts";

/** The recorded deployments of one namespace, or of all accessible ones. */
export interface RecordedDeployments {
  readonly deployments: readonly RecordedDeployment[];
  /** The notices about namespaces that the identity isn't allowed to list. */
  readonly notices: readonly Problem[];
}

/** The number of simultaneous requests. */
export const concurrency = 16;

/**
 * Lists the recorded deployments with one LIST of metadata. An undefined `namespace` means all
 * namespaces.
 * If RBAC denies a LIST of all Secrets, it lists each accessible namespace and returns a notice.
 * Throws a UserError if it can read none.
 */
export async function listRecorded(
  cluster: Cluster,
  namespace: string | undefined,
): Promise<RecordedDeployments> {
  const answer = await listSecrets(cluster, namespace);
  if (answer.ok) return { deployments: recordedDeployments(answer.value.items), notices: [] };
  const where = namespace === undefined ? "all namespaces" : `namespace ${namespace}`;
  const problem = apiProblem(cluster, `list the releases in ${where}`, answer.failure);
  if (namespace !== undefined || !isMissingPermission(answer.failure))
    throw new UserError([problem]);
  return listByNamespace(cluster, problem);
}

/**
 * Lists the release Secrets by label, which finds those of newer versions. It also lists them by
 * type, which finds those with a missing label.
 */
async function listSecrets(
  cluster: Cluster,
  namespace: string | undefined,
): Promise<ApiResult<{ readonly items: readonly KubeObject[] }>> {
  const selector = `${managedByLabel}=${managedByValue},${releaseRevisionLabel}`;
  const [labeled, ofType] = await Promise.all([
    cluster.listMetadata("v1", "Secret", namespace, selector),
    listReleaseMetadata(cluster, namespace),
  ]);
  if (!labeled.ok || !ofType.ok) return labeled.ok ? ofType : labeled;
  const all = [...labeled.value.items, ...ofType.value.items];
  const byKey = new Map(all.map((secret) => [keyOf(idOf(secret)), secret]));
  return { ok: true, value: { items: [...byKey.values()] } };
}

async function listByNamespace(cluster: Cluster, denied: Problem): Promise<RecordedDeployments> {
  const answer = await cluster.listMetadata("v1", "Namespace", undefined);
  if (!answer.ok) {
    throw new UserError([
      {
        ...denied,
        fix: "Name a namespace with --namespace",
        otherwise: ["allow list on secrets in all namespaces to this identity"],
      },
    ]);
  }
  const names = answer.value.items.map((each) => textAt(each, "metadata", "name") ?? "");
  const read = await pMap(
    names,
    async (name) => ({ name, answer: await listSecrets(cluster, name) }),
    { concurrency },
  );
  const skipped = read.filter(({ answer }) => !answer.ok).map(({ name }) => name);
  if (skipped.length === names.length) throw new UserError([denied]);
  return {
    deployments: recordedDeployments(read.flatMap(({ answer }) => answerItems(answer))),
    notices: skipped.length === 0 ? [] : [skippedNotice(skipped, names.length)],
  };
}

function answerItems(
  answer: ApiResult<{ readonly items: readonly KubeObject[] }>,
): readonly KubeObject[] {
  return answer.ok ? answer.value.items : [];
}

function skippedNotice(skipped: readonly string[], all: number): Problem {
  return {
    code: "missing-permission",
    where: [],
    what: `${skipped.length} of ${all} namespaces are missing from the answer`,
    why: "This identity isn't allowed to list their Secrets",
    facts: [{ label: "missing", value: summarizeList(skipped, 8) }],
    fix: "Allow list on secrets in these namespaces to this identity",
    otherwise: ["name one namespace with --namespace"],
  };
}
