import { describeEvidence, withoutLogs } from "../apply/failure/describe-evidence.ts";
import type { Evidence } from "../apply/failure/evidence.ts";
import type { Failure } from "../apply/result.ts";
import type { DeploymentOutcome } from "../commands/deploy-changed.ts";
import { describeProblem } from "../errors.ts";
import type { Outcome } from "../report/outcome.ts";

/** What is told of a deployment, and where: container logs stay in the log of the run. */
export function toOutcome(each: DeploymentOutcome): Outcome {
  const { name, environment } = each.deployment;
  if (each.type === "broken") return toBrokenOutcome(each);
  if (each.type === "refused") {
    const refusal = each.problems.map(describeProblem).join("\n");
    const nothing = { revision: undefined, rollbackOf: undefined, results: [], evidence: [] };
    return { deployment: name, environment, succeeded: false, refusal, ...nothing };
  }
  const { release, result } = each.outcome;
  const evidence = result.failures.map(evidenceOf);
  const { revision, rollbackOf } = release;
  const { succeeded, results } = result;
  return {
    deployment: name,
    environment,
    revision,
    rollbackOf,
    succeeded,
    results,
    evidence,
    refusal: undefined,
  };
}

function evidenceOf({ key, what, fix, evidence }: Failure): Outcome["evidence"][number] {
  const cure = `→ ${fix}`;
  if (evidence === undefined) return { key, lines: [what, cure], publicLines: [what, cure] };
  const published = describeEvidence(withoutLogs(evidence));
  return {
    key,
    lines: [what, ...describeEvidence(evidence), cure],
    publicLines: [what, ...published, ...whereLogsAre(evidence), cure],
  };
}

function whereLogsAre({ pods }: Evidence): readonly string[] {
  const hasLogs = pods.some(({ logs }) => Object.keys(logs).length > 0);
  return hasLogs ? ["(the last lines of the containers' logs are in the log of the run)"] : [];
}

/** What it has changed, if anything, is in its release record; the next deployment goes on from there. */
function toBrokenOutcome({ deployment, error }: DeploymentOutcome & { type: "broken" }): Outcome {
  const { name, environment } = deployment;
  const what = error instanceof Error ? error.message : String(error);
  const publicLines = ["A bug in qvs: the log of the run tells more"];
  const evidence = [{ key: name, lines: [`A bug in qvs: ${what}`], publicLines }];
  const unknown = { revision: undefined, rollbackOf: undefined, results: [], refusal: undefined };
  return { deployment: name, environment, succeeded: false, evidence, ...unknown };
}
