import type { ApprovedPlans } from "../../model/plan/approval.ts";
import type { Plan } from "../../model/plan/plan.ts";
import type { Fact } from "../../model/problems/problem.ts";
import type { CapabilityAnswer } from "../../model/sources/compilation.ts";
import { summarizeList } from "../../model/text/suggest.ts";
import { visible } from "../../redaction/visible.ts";
import { plural } from "../text/counts.ts";

/**
 * Returns the answers of the cluster that differ. They are in the digest of each operation. If
 * those of the approved plan aren't known, it returns all answers of the current plan.
 */
export function answerFacts(
  approved: ApprovedPlans["answers"],
  now: Plan["capabilities"] = [],
): readonly Fact[] {
  const label = "answer of the cluster";
  const text = ({ question, answer }: CapabilityAnswer) =>
    question === "apiVersions"
      ? `${question} ${plural(listOf(answer).length, "API")}`
      : `${question} ${answer}`;
  if (approved === undefined) return now.map((each) => ({ label, value: visible(text(each)) }));
  const before = new Map(approved.map(({ question, answer }) => [question, answer]));
  const after = new Map(now.map(({ question, answer }) => [question, answer]));
  return [...new Set([...before.keys(), ...after.keys()])].flatMap((question): readonly Fact[] => {
    const [old, fresh] = [before.get(question), after.get(question)];
    if (old === fresh) return [];
    const value = `${question} ${changedAnswer(question, old, fresh)}`;
    return [{ label, value: visible(value) }];
  });
}

function changedAnswer(
  question: string,
  before: string | undefined,
  now: string | undefined,
): string {
  if (question !== "apiVersions" || before === undefined || now === undefined)
    return `${before ?? "(not asked)"} → ${now ?? "(not asked)"}`;
  const [old, fresh] = [listOf(before), listOf(now)];
  const parts = [
    ...fresh.filter((each) => !old.includes(each)).map((each) => `+${each}`),
    ...old.filter((each) => !fresh.includes(each)).map((each) => `-${each}`),
  ];
  return summarizeList(parts, maxAnswers);
}

function listOf(answer: string): readonly string[] {
  return answer.split(" ");
}

/** The most APIs of a list that a fact names. */
const maxAnswers = 8;
