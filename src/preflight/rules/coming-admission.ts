import { servingServices } from "../../model/cluster/serving-services.ts";
import { at, listAt } from "../../model/json.ts";
import { addressOf, type KubeObject, keyOf, nameOf } from "../../model/object.ts";
import type { Change } from "../../model/plan.ts";
import type { Finding } from "../../model/problems/finding.ts";
import { declaredAt } from "../../model/problems/problem.ts";
import { listed } from "../../model/text/closest.ts";
import { asPlanned } from "../planned-pods.ts";
import {
  type ComingPolicy,
  comingPolicies,
  namespacesToCome,
  policyOf,
} from "../policies/coming-policies.ts";
import { isMatchedBy, judgeByPolicy, type PolicyContext } from "../policies/judge-by-policy.ts";
import { matchesResources } from "../policies/matches.ts";
import { type AdmissionRequest, requestsFor } from "../policies/request.ts";
import { awaitsPodsOnNodes } from "../rollouts/daemon-nodes.ts";
import type { PreflightInput } from "../rule.ts";

const mostNames = 3;

/**
 * A webhook or a policy of appSetup decides about what app writes, and nobody can ask one that isn't there yet. Those of one stage come after
 * everything else of it. A ValidatingAdmissionPolicy is evaluated here, as far as all that decides is known.
 */
export function comingAdmission({ plan, facts, placeOf }: PreflightInput): readonly Finding[] {
  const { changes } = plan;
  const written = changes.filter(({ action }) => action !== "unchanged");
  const early = written.filter(({ stage }) => stage === "appSetup");
  const coming = early.filter(({ id }) => id.group === admission);
  const policies = comingPolicies(changes, facts);
  if (coming.length + policies.length === 0) return [];
  const context = namespacesToCome(changes, facts);
  const requests = written
    // The server asks nobody about admission itself.
    .filter(({ stage, id }) => stage === "app" && id.group !== admission)
    .flatMap((change) => requestsFor(change, facts))
    .map((request) => withoutGuess(request, coming, changes, context));
  const judged = policies.map((policy) => ({ policy, ...judge(policy, requests, context) }));
  const whole = new Set(policies.flatMap(({ policy, binding }) => [policy, binding]));
  const undecided = (change: Change) => [
    ...judged.flatMap((each) => (each.policy.coming === change ? each.undecided : [])),
    ...(coming.includes(change) && !whole.has(asPlanned(change))
      ? requests.filter((request) => isAbout(change, changes, request, context))
      : []),
  ];
  const open = [...new Set([...coming, ...policies.map((policy) => policy.coming)])];
  return [
    ...judged.flatMap(({ policy, denials }) =>
      denials.map((denial) => findingOfDenial(denial, policy, { facts, placeOf })),
    ),
    ...open.flatMap((change): readonly Finding[] => {
      const names = [...new Set(undecided(change).map(({ by }) => nameOf(by.id)))];
      if (names.length === 0) return [];
      const where = declaredAt({ where: placeOf(change.key) });
      const verdict = verdictOn(change, names, changes);
      return [{ object: addressOf(change.desired), where, ...verdict }];
    }),
  ];
}

const admission = "admissionregistration.k8s.io";

/** What a webhook or a policy that comes may change of an object isn't known. */
function withoutGuess(
  request: AdmissionRequest,
  coming: readonly Change[],
  changes: readonly Change[],
  context: PolicyContext,
): AdmissionRequest {
  const isMutated = coming
    .filter(({ id }) => id.kind.startsWith("Mutating"))
    .some((change) => isAbout(change, changes, request, context));
  return isMutated ? { ...request, object: undefined } : request;
}

interface Denial {
  readonly request: AdmissionRequest;
  readonly message: string;
}

function judge(
  policy: ComingPolicy,
  requests: readonly AdmissionRequest[],
  context: PolicyContext,
): { readonly denials: readonly Denial[]; readonly undecided: readonly AdmissionRequest[] } {
  const verdicts = requests.map(
    (request) => [request, judgeByPolicy(policy, request, context)] as const,
  );
  return {
    denials: verdicts.flatMap(([request, verdict]) =>
      verdict.by === "policy" && verdict.denies ? [{ request, message: verdict.message }] : [],
    ),
    undecided: verdicts.flatMap(([request, { by }]) => (by === "nobody" ? [request] : [])),
  };
}

function findingOfDenial(
  { request: { by, kind }, message }: Denial,
  { coming }: ComingPolicy,
  { facts, placeOf }: Pick<PreflightInput, "facts" | "placeOf">,
): Finding {
  const isItself = kind === by.id.kind;
  const what = isItself ? "it" : "every Pod of it";
  return {
    code: "coming-admission",
    severity: isItself || awaitsPodsOnNodes(by, facts) ? "error" : "warning",
    object: addressOf(by.desired),
    what: `${nameOf(by.id)}: the API server would refuse ${what}, by what appSetup deploys first`,
    why: `${message}; ${nameOf(coming.id)} comes with this deployment`,
    fix: "Satisfy the policy, or declare it in app, where it comes last",
    where: declaredAt({ where: placeOf(by.key) }),
  };
}

function verdictOn(change: Change, names: readonly string[], changes: readonly Change[]) {
  const [name, others] = [nameOf(change.id), listed(names, mostNames)];
  const late = serviceToCome(asPlanned(change), changes);
  if (late !== undefined) {
    return {
      code: "coming-admission",
      severity: "error",
      what: `${name} refuses ${others}: what serves it comes only after it`,
      why: `it is in appSetup, and asks ${nameOf(late.id)}, which is in app and is not there yet`,
      fix: "Declare it in app, where it comes last, or give it failurePolicy: Ignore",
    } as const;
  }
  return {
    code: "coming-admission",
    severity: "warning",
    what: `${name} decides about ${others}, and nobody can ask it before it is there`,
    why: "it is in appSetup, which is deployed before them",
    fix: "Deploy it by itself first: then the preview asks it; or declare it in app, where it comes last",
  } as const;
}

/** The Service of a webhook that refuses everything while nobody answers. */
function serviceToCome(object: KubeObject, changes: readonly Change[]): Change | undefined {
  const services = servingServices(object).filter(({ isNeeded }) => isNeeded);
  const keys = new Set(services.map(({ id }) => keyOf(id)));
  return changes.find(
    ({ key, stage, live }) => keys.has(key) && stage === "app" && live === undefined,
  );
}

/** Whether it may decide about the request, by its rules and selectors; those who bind a policy narrow it down. */
function isAbout(
  change: Change,
  changes: readonly Change[],
  request: AdmissionRequest,
  context: PolicyContext,
): boolean {
  const object = asPlanned(change);
  if (object.kind.endsWith("WebhookConfiguration")) {
    return listAt(object, "webhooks").some(
      (webhook) => matchesResources(webhook, listAt(webhook, "rules"), request, context) !== false,
    );
  }
  const isMatched = (policy: KubeObject, binding: KubeObject) =>
    isMatchedBy({ policy, binding }, request, context) !== false;
  if (!object.kind.endsWith("Binding")) {
    const bindings = boundBy(object, changes);
    return bindings.length === 0
      ? isMatched(object, none)
      : bindings.some((binding) => mayRefuse(binding) && isMatched(object, binding));
  }
  if (!mayRefuse(object)) return false;
  const policy = changes.find(
    ({ id }) => `${id.kind}Binding` === object.kind && id.name === policyOf(object),
  );
  return isMatched(policy === undefined ? none : asPlanned(policy), object);
}

const none: KubeObject = { apiVersion: "v1", kind: "None", metadata: {} };

/** One that only warns refuses nothing; a mutating one has no actions. */
function mayRefuse(binding: KubeObject): boolean {
  const actions = listAt(binding, "spec", "validationActions");
  return actions.length === 0 || actions.includes("Deny");
}

function boundBy(policy: KubeObject, changes: readonly Change[]): readonly KubeObject[] {
  const name = at(policy, "metadata", "name");
  return changes
    .filter(({ id }) => id.kind === `${policy.kind}Binding`)
    .map(asPlanned)
    .filter((binding) => policyOf(binding) === name);
}
